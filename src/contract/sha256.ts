// SHA-256 of a text, on any machine that runs JavaScript: browsers have their own only on pages that came in safety.
const bytesPerBlock = 64;
const primes = firstPrimes(64);
/** The first 32 bits of the fractional parts of roots of primes. */
const fractionOf = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
const constants = primes.map((prime) => fractionOf(Math.cbrt(prime)));
const start = primes.slice(0, 8).map((prime) => fractionOf(Math.sqrt(prime)));

/** Its digest in base 64, as content security policies have it. */
export function sha256Base64(text: string): string {
  const state = Int32Array.from(start);
  const bytes = padded(new TextEncoder().encode(text));
  const view = new DataView(bytes.buffer);
  const words = new Int32Array(constants.length);
  for (let at = 0; at < bytes.length; at += bytesPerBlock) {
    for (let index = 0; index < 16; index++) words[index] = view.getInt32(at + index * 4);
    expand(words);
    mix(state, words);
  }
  const digest = new DataView(new ArrayBuffer(state.length * 4));
  for (const [index, word] of state.entries()) digest.setInt32(index * 4, word);
  return btoa(String.fromCharCode(...new Uint8Array(digest.buffer)));
}

// A one, zeros to the end of a block, and the length in bits there.
function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const lengthBytes = 8;
  const length = Math.ceil((bytes.length + 1 + lengthBytes) / bytesPerBlock) * bytesPerBlock;
  const all = new Uint8Array(length);
  all.set(bytes);
  all[bytes.length] = 0x80;
  new DataView(all.buffer).setBigUint64(length - lengthBytes, BigInt(bytes.length) * 8n);
  return all;
}

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function expand(words: Int32Array): void {
  const word = (index: number): number => words[index] ?? 0;
  for (let index = 16; index < words.length; index++) {
    const [far, near] = [word(index - 15), word(index - 2)];
    const low = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
    const high = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
    words[index] = (word(index - 16) + low + word(index - 7) + high) | 0;
  }
}

function mix(state: Int32Array, words: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < words.length; index++) {
    const high = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const one = (h + high + chosen + (constants[index] ?? 0) + (words[index] ?? 0)) | 0;
    const low = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const two = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries())
    state[index] = ((state[index] ?? 0) + word) | 0;
}

function firstPrimes(count: number): readonly number[] {
  const found: number[] = [];
  for (let next = 2; found.length < count; next++)
    if (found.every((prime) => next % prime !== 0)) found.push(next);
  return found;
}
