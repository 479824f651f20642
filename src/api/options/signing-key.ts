// The caller's key for individuals. It is held as an object that shows nothing when it is printed, and no message shows it.
import { createSecretKey, type KeyObject } from "node:crypto";
import { InvalidOptionsError } from "../../model/errors.ts";

/** Shorter keys can be guessed. */
const keyBytesMin = 32;
const keyBytesMax = 4_096;

/** The key of a text or of bytes, in a copy. */
export function readSigningKey(value: unknown, path: string): KeyObject | undefined {
  if (value === undefined) return undefined;
  const isKey = typeof value === "string" || value instanceof Uint8Array;
  const bytes = isKey ? Buffer.from(value as string | Uint8Array<ArrayBuffer>) : undefined;
  if (bytes !== undefined && bytes.length >= keyBytesMin && bytes.length <= keyBytesMax)
    return createSecretKey(bytes);
  const got = bytes === undefined ? `a value of type ${typeof value}` : `${bytes.length} bytes`;
  const rule = `it must be a text or bytes, of ${keyBytesMin}–${keyBytesMax} bytes`;
  throw new InvalidOptionsError(`Cannot use ${path} as ${rule}: got ${got}`, path);
}
