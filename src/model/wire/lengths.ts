// How long a text is in bytes, without a copy of it.
import * as it from "./intrinsics.ts";

/** How many bytes of UTF-8 a well-formed text takes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = it.charCodeAt(text, i);
    // A surrogate pair is two units of two bytes each: four together.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

/** How many bytes of UTF-8 a text without control characters and lone surrogates takes as a string of JSON. */
export function quotedBytes(text: string): number {
  let bytes = utf8Length(text) + 2;
  for (let i = 0; i < text.length; i++) {
    const unit = it.charCodeAt(text, i);
    if (unit === 0x22 || unit === 0x5c) bytes++;
  }
  return bytes;
}
