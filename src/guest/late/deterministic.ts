// Deterministic mode: randomness from a seed, time from the sandbox's virtual clock, and nothing else that could make two
// runs differ.

import type { Made, Needs } from "./needs.ts";

/** Randomness that begins anew with each run. */
export interface Seeded {
  /** So many bytes, as `Needs.random` has them. */
  readonly random: Needs["random"];
  /** Begins the seed's sequences anew. */
  readonly restart: () => void;
}

/** What the script makes. */
export interface DeterministicMode extends Made {
  /** Replaces every source of randomness and time. */
  readonly makeDeterministic: (seed: number) => Seeded;
}

/** Between the numbers of `Math.random` and the bytes of `crypto`: neither changes with how many of the other were taken. */
const apart = 0x5bd1e995;

export function make({ now }: Needs): DeterministicMode {
  return { makeDeterministic: (seed) => makeDeterministic(seed, now) };
}

function makeDeterministic(seed: number, now: () => number): Seeded {
  const numbers = sequenceOf(seed);
  const bytes = sequenceOf(seed ^ apart);
  const { fromCharCode } = String;
  Math.random = () => numbers.next() / 2 ** 32;
  replaceDate(now);
  replaceIntl(now);
  // Their results depend on when memory is collected.
  for (const name of ["WeakRef", "FinalizationRegistry"])
    delete (globalThis as Record<string, unknown>)[name];
  return {
    random: (length) => {
      let text = "";
      for (let i = 0; i < length; i++) text += fromCharCode(bytes.next() >>> 24);
      return text;
    },
    restart: () => {
      numbers.restart();
      bytes.restart();
    },
  };
}

interface Sequence {
  /** A whole number below 2 ** 32. */
  readonly next: () => number;
  readonly restart: () => void;
}

function sequenceOf(seed: number): Sequence {
  const { imul } = Math;
  let state = seed | 0;
  return {
    next: () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return (mixed ^ (mixed >>> 14)) >>> 0;
    },
    restart: () => {
      state = seed | 0;
    },
  };
}

function replaceDate(now: () => number): void {
  const RealDate = Date;
  const { construct } = Reflect;
  function VirtualDate(...args: unknown[]): unknown {
    if (new.target === undefined) return new RealDate(now()).toString();
    return construct(RealDate, args.length === 0 ? [now()] : args, new.target);
  }
  Object.defineProperties(VirtualDate, {
    name: { value: "Date" },
    length: { value: 7 },
    prototype: { value: RealDate.prototype, writable: false },
    now: { value: now, writable: true, configurable: true },
    parse: { value: RealDate.parse, writable: true, configurable: true },
    UTC: { value: RealDate.UTC, writable: true, configurable: true },
  });
  Object.defineProperty(RealDate.prototype, "constructor", { value: VirtualDate });
  Object.defineProperty(globalThis, "Date", { value: VirtualDate });
}

// Formatting without a date means "now" to Intl.
function replaceIntl(now: () => number): void {
  const prototype = Intl.DateTimeFormat.prototype;
  const { get } = Object.getOwnPropertyDescriptor(prototype, "format") as {
    get: () => (date?: unknown) => string;
  };
  Object.defineProperty(prototype, "format", {
    configurable: true,
    get(this: Intl.DateTimeFormat) {
      const format = Reflect.apply(get, this, []);
      return (date?: unknown) => format(date === undefined ? now() : date);
    },
  });
  const { formatToParts } = prototype;
  prototype.formatToParts = function (this: Intl.DateTimeFormat, date?: Date | number) {
    return Reflect.apply(formatToParts, this, [date === undefined ? now() : date]);
  };
}
