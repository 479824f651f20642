// TextEncoder and TextDecoder (UTF-8), which the language itself does not have.
import type { Made } from "./needs.ts";

const replacement = 0xfffd;

export function make(): Made {
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

  encodeInto(text: string, into: Uint8Array): { read: number; written: number } {
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
  fatal?: boolean;
  ignoreBOM?: boolean;
}

class TextDecoder {
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;

  constructor(label: unknown = "utf-8", options: DecoderOptions = {}) {
    if (!["utf-8", "utf8", "unicode-1-1-utf-8"].includes(`${label}`.trim().toLowerCase())) {
      throw new RangeError(`Cannot decode as the encoding must be utf-8: got ${label}`);
    }
    this.fatal = Boolean(options.fatal);
    this.ignoreBOM = Boolean(options.ignoreBOM);
  }

  get encoding(): string {
    return "utf-8";
  }

  decode(
    input: ArrayBuffer | ArrayBufferView = new ArrayBuffer(0),
    options: { stream?: boolean } = {},
  ): string {
    if (options.stream) throw new TypeError("Cannot decode as a stream: give all the bytes at once");
    const bytes = ArrayBuffer.isView(input)
      ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
      : new Uint8Array(input);
    const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    let text = "";
    for (let at = hasMark && !this.ignoreBOM ? 3 : 0; at < bytes.length;) {
      const { point, size } = readPoint(bytes, at);
      if (point < 0 && this.fatal) throw new TypeError("Cannot decode as the bytes must be valid UTF-8");
      text += String.fromCodePoint(point < 0 ? replacement : point);
      at += size;
    }
    return text;
  }
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
