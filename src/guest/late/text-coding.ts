// TextEncoder and TextDecoder, for the encodings that texts on the web are in.
import type { Made } from "./needs.ts";

const replacement = 0xfffd;
const byteOrderMark = 0xfeff;
/** So many units become a text in one call. */
const unitsMax = 4_096;
/** Those of windows-1252 that are not those of Unicode. */
const latinLetters = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";
/** The encodings with their labels. */
const encodings = {
  "utf-8": "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
  "utf-16le": "utf-16le utf-16 csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff",
  "utf-16be": "utf-16be unicodefffe",
  "windows-1252":
    "windows-1252 latin1 l1 ascii us-ascii ansi_x3.4-1968 cp1252 x-cp1252 cp819 ibm819 csisolatin1 iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 iso-ir-100",
} as const;

export function make(): Made {
  for (const of of [TextEncoder, TextDecoder])
    Object.defineProperty(of.prototype, Symbol.toStringTag, { value: of.name, configurable: true });
  return { TextEncoder, TextDecoder };
}

class TextEncoder {
  get encoding(): string {
    return "utf-8";
  }

  encode(input: unknown = ""): Uint8Array {
    const text = `${input}`;
    const bytes = new Uint8Array(text.length * 3);
    const { written } = this.encodeInto(text, bytes);
    return bytes.slice(0, written);
  }

  encodeInto(input: unknown, into: unknown): { read: number; written: number } {
    const text = `${input as string}`;
    if (!(into instanceof Uint8Array))
      throw new TypeError("Cannot encode as the target must be a Uint8Array");
    let written = 0;
    let read = 0;
    while (read < text.length) {
      let point = text.codePointAt(read) as number;
      const units = point > 0xffff ? 2 : 1;
      if (point >= 0xd800 && point <= 0xdfff) point = replacement;
      const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (written + size > into.length) break;
      putPoint(into, written, { point, size });
      written += size;
      read += units;
    }
    return { read, written };
  }
}

function putPoint(into: Uint8Array, at: number, { point, size }: { point: number; size: number }): void {
  if (size === 1) {
    into[at] = point;
    return;
  }
  for (let i = size - 1; i > 0; i--) {
    into[at + i] = 0x80 | (point & 0x3f);
    point >>= 6;
  }
  into[at] = ((0xf0 << (4 - size)) & 0xff) | point;
}

interface DecoderOptions {
  readonly fatal?: unknown;
  readonly ignoreBOM?: unknown;
}

class TextDecoder {
  readonly #encoding: string;
  readonly #isFatal: boolean;
  readonly #ignoresMark: boolean;
  /** Bytes of a stream that begin what they do not end. */
  #rest = new Uint8Array(0);
  /** A stream whose first letter was decoded. */
  #isInside = false;

  constructor(label: unknown = "utf-8", options: DecoderOptions | null = {}) {
    this.#encoding = encodingOf(`${label as string}`);
    this.#isFatal = Boolean(options?.fatal);
    this.#ignoresMark = Boolean(options?.ignoreBOM);
  }

  get encoding(): string {
    return this.#encoding;
  }
  get fatal(): boolean {
    return this.#isFatal;
  }
  get ignoreBOM(): boolean {
    return this.#ignoresMark;
  }

  decode(input?: unknown, options: { readonly stream?: unknown } | null = {}): string {
    const isStream = Boolean(options?.stream);
    const bytes = joined(this.#rest, bytesOf(input));
    const { units, used } = this.#read(bytes, isStream);
    this.#rest = isStream ? bytes.slice(used) : new Uint8Array(0);
    const hasMark = !this.#isInside && units[0] === byteOrderMark && this.#encoding !== "windows-1252";
    if (units.length > 0) this.#isInside = true;
    if (!isStream) this.#isInside = false;
    return textOf(hasMark && !this.#ignoresMark ? units.subarray(1) : units);
  }

  #read(bytes: Uint8Array, isStream: boolean): Decoded {
    const decoded =
      this.#encoding === "utf-8"
        ? readUtf8(bytes, isStream)
        : this.#encoding === "windows-1252"
          ? readLatin(bytes)
          : readUtf16(bytes, { isStream, isBigEndian: this.#encoding === "utf-16be" });
    if (!decoded.isMalformed || !this.#isFatal) return decoded;
    this.#rest = new Uint8Array(0);
    this.#isInside = false;
    throw new TypeError(`Cannot decode as the bytes must be valid ${this.#encoding}`);
  }
}

/** What bytes were decoded to, and how many of them: in a stream the last few may be left. */
interface Decoded {
  readonly units: Uint16Array;
  readonly used: number;
  readonly isMalformed: boolean;
}

function readUtf8(bytes: Uint8Array, isStream: boolean): Decoded {
  // No byte gives more than one unit.
  const units = new Uint16Array(bytes.length);
  let [length, at, isMalformed] = [0, 0, false];
  while (at < bytes.length) {
    const { point, size } = readPoint(bytes, at);
    // Cut off by the end: in a stream what follows may complete it.
    if (point < 0 && isStream && at + size >= bytes.length && mayGoOn(bytes, at)) break;
    at += size;
    isMalformed ||= point < 0;
    const letter = point < 0 ? replacement : point;
    if (letter > 0xffff) units[length++] = 0xd800 + ((letter - 0x10000) >> 10);
    units[length++] = letter > 0xffff ? 0xdc00 + (letter & 0x3ff) : letter;
  }
  return { units: units.subarray(0, length), used: at, isMalformed };
}

// Whether bytes up to the end are the beginning of a letter.
function mayGoOn(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at] ?? 0;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return first >= 0xc2 && first < 0xf5 && bytes.length - at < size;
}

function readUtf16(
  bytes: Uint8Array,
  { isStream, isBigEndian }: { readonly isStream: boolean; readonly isBigEndian: boolean },
): Decoded {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const units = new Uint16Array((bytes.length >> 1) + 1);
  let [length, at, isMalformed] = [0, 0, false];
  for (; at + 1 < bytes.length; at += 2) {
    const unit = view.getUint16(at, !isBigEndian);
    const next = at + 3 < bytes.length ? view.getUint16(at + 2, !isBigEndian) : -1;
    const isHigh = unit >= 0xd800 && unit < 0xdc00;
    if (isHigh && next < 0 && isStream) break;
    if (isHigh && next >= 0xdc00 && next < 0xe000) {
      units[length++] = unit;
      units[length++] = next;
      at += 2;
    } else {
      const isAlone = unit >= 0xd800 && unit < 0xe000;
      isMalformed ||= isAlone;
      units[length++] = isAlone ? replacement : unit;
    }
  }
  if (!isStream && at < bytes.length) {
    // A high half that was alone before it is one mistake with it.
    isMalformed = true;
    if (bytes.length % 2 === 1) units[length++] = replacement;
    at = bytes.length;
  }
  return { units: units.subarray(0, length), used: at, isMalformed };
}

function readLatin(bytes: Uint8Array): Decoded {
  const units = Uint16Array.from(bytes, (byte) =>
    byte >= 0x80 && byte < 0xa0 ? latinLetters.charCodeAt(byte - 0x80) : byte,
  );
  return { units, used: bytes.length, isMalformed: false };
}

function encodingOf(label: string): string {
  const wanted = label.replaceAll(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "").toLowerCase();
  for (const [encoding, labels] of Object.entries(encodings))
    if (labels.split(" ").includes(wanted)) return encoding;
  const known = Object.keys(encodings).join(", ");
  throw new RangeError(`Cannot decode as the encoding must be one of ${known}: got ${label.slice(0, 100)}`);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function bytesOf(input: unknown): Uint8Array {
  if (input === undefined) return new Uint8Array(0);
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  const isBuffer =
    input instanceof ArrayBuffer || Object.prototype.toString.call(input) === "[object SharedArrayBuffer]";
  if (isBuffer) return new Uint8Array(input as ArrayBuffer); // Or a shared one, where there are such.
  throw new TypeError("Cannot decode as the bytes must be an ArrayBuffer, a typed array or a DataView");
}

function textOf(units: Uint16Array): string {
  let text = "";
  for (let at = 0; at < units.length; at += unitsMax)
    text += String.fromCharCode(...units.subarray(at, at + unitsMax));
  return text;
}

// A malformed sequence gives -1 and the number of bytes to skip, as the encoding standard has it.
function readPoint(bytes: Uint8Array, at: number): { point: number; size: number } {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return { point: first, size: 1 };
  const size =
    first >= 0xc2 && first < 0xe0
      ? 2
      : first >= 0xe0 && first < 0xf0
        ? 3
        : first >= 0xf0 && first < 0xf5
          ? 4
          : 0;
  if (size === 0) return { point: -1, size: 1 };
  let point = first & (0x7f >> size);
  for (let i = 1; i < size; i++) {
    const next = bytes[at + i] ?? 0;
    const low = i > 1 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const high = i > 1 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    if (next < low || next > high) return { point: -1, size: i };
    point = (point << 6) | (next & 0x3f);
  }
  return { point, size };
}
