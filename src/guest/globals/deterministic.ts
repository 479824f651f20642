// Deterministic mode: randomness from a seed, time from the sandbox's virtual clock, and nothing else that could make two
// runs differ.

/** Replaces every source of randomness and time; returns a function that restarts the seed's sequence. */
export function makeDeterministic(seed: number, now: () => number): () => void {
  const { imul } = Math;
  let state = seed | 0;
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  replaceDate(now);
  replaceIntl(now);
  // Their results depend on when memory is collected.
  for (const name of ["WeakRef", "FinalizationRegistry"])
    delete (globalThis as Record<string, unknown>)[name];
  return () => {
    state = seed | 0;
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
