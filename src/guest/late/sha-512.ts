// One block of SHA-512. Words of 64 bits are two of 32, the high one first.

/** So much above is carried from a sum of low halves. */
const carry = 2 ** 32;

/** A word at an index that is within the list. */
export function wordAt(list: Int32Array, index: number): number {
  return list[index] as number; // By its caller.
}

/** Mixes the 32 halves at the beginning of `w`, which has room for 160, into the state. */
export function absorb512(state: Int32Array, w: Int32Array, rounds: Int32Array): void {
  for (let i = 32; i < 160; i += 2) extend(w, i);
  const s = state.slice();
  for (let i = 0; i < 160; i += 2) round(s, w, { rounds, i });
  for (let i = 0; i < 16; i += 2) {
    const low = (wordAt(state, i + 1) >>> 0) + (wordAt(s, i + 1) >>> 0);
    state[i] = wordAt(state, i) + wordAt(s, i) + (low >= carry ? 1 : 0);
    state[i + 1] = low;
  }
}

function extend(w: Int32Array, i: number): void {
  const xh = wordAt(w, i - 30);
  const xl = wordAt(w, i - 29);
  const yh = wordAt(w, i - 4);
  const yl = wordAt(w, i - 3);
  const s0h = ((xh >>> 1) | (xl << 31)) ^ ((xh >>> 8) | (xl << 24)) ^ (xh >>> 7);
  const s0l = ((xl >>> 1) | (xh << 31)) ^ ((xl >>> 8) | (xh << 24)) ^ ((xl >>> 7) | (xh << 25));
  const s1h = ((yh >>> 19) | (yl << 13)) ^ ((yl >>> 29) | (yh << 3)) ^ (yh >>> 6);
  const s1l = ((yl >>> 19) | (yh << 13)) ^ ((yh >>> 29) | (yl << 3)) ^ ((yl >>> 6) | (yh << 26));
  const low = (wordAt(w, i - 31) >>> 0) + (s0l >>> 0) + (wordAt(w, i - 13) >>> 0) + (s1l >>> 0);
  w[i] = wordAt(w, i - 32) + s0h + wordAt(w, i - 14) + s1h + Math.floor(low / carry);
  w[i + 1] = low;
}

function round(
  s: Int32Array,
  w: Int32Array,
  { rounds, i }: { readonly rounds: Int32Array; readonly i: number },
): void {
  const ah = wordAt(s, 0);
  const al = wordAt(s, 1);
  const eh = wordAt(s, 8);
  const el = wordAt(s, 9);
  const s1h = ((eh >>> 14) | (el << 18)) ^ ((eh >>> 18) | (el << 14)) ^ ((el >>> 9) | (eh << 23));
  const s1l = ((el >>> 14) | (eh << 18)) ^ ((el >>> 18) | (eh << 14)) ^ ((eh >>> 9) | (el << 23));
  const chh = (eh & wordAt(s, 10)) ^ (~eh & wordAt(s, 12));
  const chl = (el & wordAt(s, 11)) ^ (~el & wordAt(s, 13));
  const low1 =
    (wordAt(s, 15) >>> 0) +
    (s1l >>> 0) +
    (chl >>> 0) +
    (wordAt(rounds, i + 1) >>> 0) +
    (wordAt(w, i + 1) >>> 0);
  const high1 = (wordAt(s, 14) + s1h + chh + wordAt(rounds, i) + wordAt(w, i) + Math.floor(low1 / carry)) | 0;
  const s0h = ((ah >>> 28) | (al << 4)) ^ ((al >>> 2) | (ah << 30)) ^ ((al >>> 7) | (ah << 25));
  const s0l = ((al >>> 28) | (ah << 4)) ^ ((ah >>> 2) | (al << 30)) ^ ((ah >>> 7) | (al << 25));
  const majh = (ah & wordAt(s, 2)) ^ (ah & wordAt(s, 4)) ^ (wordAt(s, 2) & wordAt(s, 4));
  const majl = (al & wordAt(s, 3)) ^ (al & wordAt(s, 5)) ^ (wordAt(s, 3) & wordAt(s, 5));
  const low2 = (low1 >>> 0) + (s0l >>> 0) + (majl >>> 0);
  const lowE = (wordAt(s, 7) >>> 0) + (low1 >>> 0);
  const highD = wordAt(s, 6);
  s.copyWithin(2, 0, 14);
  s[8] = highD + high1 + (lowE >= carry ? 1 : 0);
  s[9] = lowE;
  s[0] = high1 + s0h + majh + Math.floor(low2 / carry);
  s[1] = low2;
}
