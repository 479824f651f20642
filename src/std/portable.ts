// Time and randomness on any machine that runs JavaScript, browsers included: for what may import nothing of Node's.
import type { Clock } from "./clock.ts";

const delayMsMax = 2 ** 31 - 1;

export const portableClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, act) {
    const handle = setTimeout(act, Math.min(delayMs, delayMsMax));
    return { cancel: () => clearTimeout(handle) };
  },
};

/** A text that nobody else has. */
export function uniqueText(): string {
  return crypto.randomUUID();
}

/** A number in [0, 1) that nobody needs to be unable to guess. */
export function anyShare(): number {
  return Math.random();
}
