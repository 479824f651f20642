// The only file that uses the machine's randomness.
import { randomBytes } from "node:crypto";

const nameBytes = 9;
const secretBytes = 32;
/** Bytes for so many names are made at a time: that takes little longer than for one. */
const namesAtOnce = 256;
let bytes: Buffer = Buffer.alloc(0);
let used = 0;

/** A unique name that cannot be guessed. */
export function randomName(prefix: string): string {
  if (used >= bytes.length) {
    bytes = randomBytes(nameBytes * namesAtOnce);
    used = 0;
  }
  const name = bytes.toString("base64url", used, used + nameBytes).replaceAll("_", ".");
  used += nameBytes;
  return `${prefix}-${name}`;
}

/** A seeded source of numbers in [0, 1): the same seed gives the same sequence on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A text that nobody can guess, of letters, digits, - and _: for tokens. */
export function randomSecret(): string {
  return randomBytes(secretBytes).toString("base64url");
}
