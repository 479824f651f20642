// SHA-1, SHA-256, SHA-384 and SHA-512 in JavaScript: what they take is the guest's own time and memory, and a run that is ended
// meanwhile ends there. In the cell they would be ten times as fast, and keep its main thread from all others meanwhile.
import { at } from "../../model/wire/intrinsics.ts";
import { absorb512, wordAt } from "./sha-512.ts";

/** The first primes, from which the standard takes its constants. */
const primes: number[] = [];
for (let n = 2; primes.length < 80; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);

interface Constants {
  /** The first 64 bits of the fractions of cube roots, as halves. */
  readonly rounds: Int32Array;
  /** The same of the square roots of the first 16 primes. */
  readonly starts: Int32Array;
}

let known: Constants | undefined;
const constants = (): Constants => (known ??= { rounds: fractions(80, 3n), starts: fractions(16, 2n) });

function fractions(count: number, power: bigint): Int32Array {
  const halves = new Int32Array(count * 2);
  for (let i = 0; i < count; i++) {
    const root = rootOf(BigInt(primes[i] ?? 0) << (64n * power), power);
    halves[i * 2] = Number(BigInt.asIntN(32, root >> 32n));
    halves[i * 2 + 1] = Number(BigInt.asIntN(32, root));
  }
  return halves;
}

// The largest whole number whose power is at most the given one.
function rootOf(value: bigint, power: bigint): bigint {
  let root = 0n;
  for (let bit = 1n << 70n; bit > 0n; bit >>= 1n) if ((root + bit) ** power <= value) root += bit;
  return root;
}

/** How a text of blocks becomes a state. */
interface Algorithm {
  /** Of a block, in bytes: the length of the message is in its last eighth. */
  readonly block: number;
  /** Of the result, in bytes. */
  readonly length: number;
  readonly start: () => Int32Array;
  readonly absorb: (state: Int32Array, view: DataView, offset: number) => void;
}

/** By the names of the standard, in upper case. */
export const algorithms: ReadonlyMap<string, Algorithm> = new Map(
  Object.entries({
    "SHA-1": {
      block: 64,
      length: 20,
      start: () => new Int32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]),
      absorb: absorb1,
    },
    "SHA-256": {
      block: 64,
      length: 32,
      start: () =>
        constants()
          .starts.subarray(0, 16)
          .filter((_, i) => i % 2 === 0),
      absorb: absorb256,
    },
    "SHA-384": { block: 128, length: 48, start: () => constants().starts.slice(16), absorb: absorbLong },
    "SHA-512": { block: 128, length: 64, start: () => constants().starts.slice(0, 16), absorb: absorbLong },
  }),
);

/** The digest of bytes. */
export function digest({ block, length, start, absorb }: Algorithm, bytes: Uint8Array): ArrayBuffer {
  const state = start();
  const whole = bytes.length - (bytes.length % block);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < whole; at += block) absorb(state, view, at);
  const rest = bytes.subarray(whole);
  const tail = new Uint8Array(rest.length + 1 + block / 8 > block ? block * 2 : block);
  tail.set(rest);
  tail[rest.length] = 0x80;
  const end = new DataView(tail.buffer);
  end.setUint32(tail.length - 8, Math.floor(bytes.length / 2 ** 29));
  end.setUint32(tail.length - 4, (bytes.length << 3) >>> 0);
  for (let at = 0; at < tail.length; at += block) absorb(state, end, at);
  const result = new DataView(new ArrayBuffer(length));
  for (let at = 0; at < length; at += 4) result.setInt32(at, state[at / 4] ?? 0);
  return result.buffer;
}

const words = new Int32Array(160);

function absorb1(state: Int32Array, view: DataView, offset: number): void {
  const w = words;
  for (let i = 0; i < 16; i++) w[i] = view.getInt32(offset + i * 4);
  for (let i = 16; i < 80; i++) {
    const mixed = wordAt(w, i - 3) ^ wordAt(w, i - 8) ^ wordAt(w, i - 14) ^ wordAt(w, i - 16);
    w[i] = (mixed << 1) | (mixed >>> 31);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (let i = 0; i < 80; i++) {
    const f = i < 20 ? (b & c) | (~b & d) : i < 40 || i >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
    const k = i < 20 ? 0x5a827999 : i < 40 ? 0x6ed9eba1 : i < 60 ? 0x8f1bbcdc : 0xca62c1d6;
    const next = (((a << 5) | (a >>> 27)) + f + e + k + wordAt(w, i)) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  add(state, [a, b, c, d, e]);
}

function absorb256(state: Int32Array, view: DataView, offset: number): void {
  const w = words;
  const { rounds } = constants();
  for (let i = 0; i < 16; i++) w[i] = view.getInt32(offset + i * 4);
  for (let i = 16; i < 64; i++) {
    const x = wordAt(w, i - 15);
    const y = wordAt(w, i - 2);
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (wordAt(w, i - 16) + s0 + wordAt(w, i - 7) + s1) | 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    // Those of 32 bits begin those of 64.
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + wordAt(rounds, i * 2) + wordAt(w, i)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  add(state, [a, b, c, d, e, f, g, h]);
}

function absorbLong(state: Int32Array, view: DataView, offset: number): void {
  for (let i = 0; i < 32; i++) words[i] = view.getInt32(offset + i * 4);
  absorb512(state, words, constants().rounds);
}

function add(state: Int32Array, values: readonly number[]): void {
  for (let i = 0; i < values.length; i++) state[i] = wordAt(state, i) + at(values, i);
}
