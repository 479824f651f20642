// atob and btoa.
import { at, fromBase64, toBase64 } from "../../model/wire/intrinsics.ts";
import type { Exceptions } from "./exceptions.ts";
import type { Made, Needs } from "./needs.ts";

/** So many letters are made of codes in one call. */
const lettersMax = 8_192;

export function make({ made }: Needs): Made {
  const refused = (message: string): Error => {
    const { DOMException } = made("exceptions") as Exceptions;
    return new DOMException(message, "InvalidCharacterError");
  };
  // Methods, so that they cannot be constructed, as the web's.
  return {
    btoa(...given: readonly unknown[]): string {
      const text = argumentOf("btoa", given);
      const bytes = new Uint8Array(text.length);
      for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (code > 0xff) throw refused("Cannot encode as base64 as every letter must be at most U+00FF");
        bytes[i] = code;
      }
      return toBase64(bytes);
    },
    atob(...given: readonly unknown[]): string {
      const text = argumentOf("atob", given).replaceAll(/[\t\n\f\r ]/g, "");
      const digits = text.length % 4 === 0 ? text.replace(/==?$/, "") : text;
      if (digits.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(digits))
        throw refused("Cannot decode as the text must be base64");
      const bytes = fromBase64(whole(digits));
      let letters = "";
      for (let i = 0; i < bytes.length; i += lettersMax)
        letters += String.fromCharCode(...bytes.subarray(i, i + lettersMax));
      return letters;
    },
  };
}

// The bits that are left over are dropped, as the web has it: strict decoders want them to be zero.
function whole(digits: string): string {
  const rest = digits.length % 4;
  if (rest === 0) return digits;
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const last = alphabet.indexOf(digits.at(-1) ?? "");
  const kept = alphabet[last & (rest === 2 ? 0x30 : 0x3c)] ?? "";
  return digits.slice(0, -1) + kept + "=".repeat(4 - rest);
}

function argumentOf(name: string, given: readonly unknown[]): string {
  if (given.length === 0) throw new TypeError(`Cannot call ${name} as a text must be given: got none`);
  return `${at(given, 0)}`;
}
