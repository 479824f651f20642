// A variant beside a function in production: both get the same arguments, the caller gets only production's answer, and
// what they did is compared until the variant has earned its promotion or not.
import { isDeepStrictEqual } from "node:util";
import type { Outcome } from "../model/runs/outcome.ts";
import { fields, func, integer, isRecord, number, required, type Shape } from "../model/schema.ts";
import { systemClock } from "../std/clock.ts";

export interface ShadowOptions<A extends readonly unknown[], R, P extends R | Outcome<R> = R> {
  /** Gives the answer, or the outcome of a run where production is in a sandbox too: its time inside is then compared. */
  readonly production: (...args: A) => P | Promise<P>;
  /** The variant, in its sandbox. Its failures never reach the caller. */
  readonly variant: (...args: A) => Promise<Outcome<R>>;
  /** Whether two answers are the same. Default: equal as data. */
  readonly isMatch?: (production: R, variant: R) => boolean;
  /** How many of the latest comparisons count, and how many it takes. Default: 1,000. */
  readonly window?: number;
  /** The share of matches that must be surpassed. Default: 0.99. */
  readonly matchRateAbove?: number;
  /** What the mean time of the variant inside its sandbox, in shares of production's, must stay below. Default: 1.1. */
  readonly timeRatioBelow?: number;
  /** By how much that mean time may be longer in any case: what it takes to enter an isolate. Default: 0.25. */
  readonly timeSlackMs?: number;
  /** Variants under way at a time; beyond it a call is served without one. Default: 16. */
  readonly underwayMax?: number;
  /** Milliseconds that never go back. Default: the machine's clock. */
  readonly monotonic?: () => number;
}

type AnyFunction = (...args: never[]) => unknown;

const shadowOptions = fields({
  production: required(func<AnyFunction>()),
  variant: required(func<AnyFunction>()),
  isMatch: func<AnyFunction>(),
  window: integer({ min: 1, max: 1_000_000, default: 1_000 }),
  matchRateAbove: number({ min: 0, default: 0.99 }),
  timeRatioBelow: number({ min: 0, default: 1.1 }),
  timeSlackMs: number({ min: 0, default: 0.25 }),
  underwayMax: integer({ min: 0, max: 1_000_000, default: 16 }),
  monotonic: func<() => number>(),
} satisfies Shape<ShadowOptions<never, never>>);

export interface ShadowReport {
  /** Within the window. */
  readonly comparisons: number;
  readonly matchRate: number;
  /** Mean time of the variant inside its sandbox over production's; null before the first comparison of times. */
  readonly timeRatio: number | null;
  /** Variants that failed, within the window: they match nothing. */
  readonly failures: number;
  /** Calls that were served without a variant, or whose production failed: there is nothing to compare. */
  readonly skipped: number;
  readonly promotable: boolean;
}

interface Comparison {
  readonly isMatch: boolean;
  readonly isFailure: boolean;
  readonly productionMs: number;
  /** Inside; null where it gave no outcome. */
  readonly variantMs: number | null;
}

interface Answer<R> {
  readonly value: R;
  readonly ms: number;
}

export class Shadow<A extends readonly unknown[], R, P extends R | Outcome<R> = R> {
  readonly #options: Required<ShadowOptions<A, R, P>>;
  #latest: Comparison[] = [];
  #skipped = 0;
  #running = 0;
  readonly #comparing = new Set<Promise<void>>();

  constructor(options: ShadowOptions<A, R, P>) {
    const complete = shadowOptions.read(options, "options");
    const { isMatch = isDeepStrictEqual, monotonic = () => systemClock.monotonic() } = complete;
    // Functions are checked to be some; what they take and give only the compiler knows.
    this.#options = { ...complete, isMatch, monotonic } as Required<ShadowOptions<A, R, P>>;
  }

  /** Production's answer, or what it throws. The variant runs beside it, and the caller does not wait for it. */
  async serve(...args: A): Promise<P> {
    const { production, underwayMax, monotonic } = this.#options;
    const variant = this.#running < underwayMax ? this.#try(args) : undefined;
    const startedMs = monotonic();
    try {
      const given = await production(...args);
      const answer = answerOf<R>(given, monotonic() - startedMs);
      const comparing = variant?.then((outcome) => answer && this.#compare(answer, outcome));
      this.#settle(answer === undefined ? undefined : comparing);
      return given;
    } catch (error) {
      this.#settle(undefined);
      throw error;
    }
  }

  report(): ShadowReport {
    const { window, matchRateAbove, timeRatioBelow, timeSlackMs } = this.#options;
    const comparisons = this.#latest.length;
    const count = (is: (one: Comparison) => boolean): number => this.#latest.filter(is).length;
    const matchRate = comparisons === 0 ? 0 : count(({ isMatch }) => isMatch) / comparisons;
    let [timed, productionMs, variantMs] = [0, 0, 0];
    for (const one of this.#latest) {
      if (one.variantMs === null) continue;
      timed++;
      productionMs += one.productionMs;
      variantMs += one.variantMs;
    }
    const timeRatio = timed === 0 ? null : variantMs / productionMs;
    return {
      comparisons,
      matchRate,
      timeRatio,
      failures: count(({ isFailure }) => isFailure),
      skipped: this.#skipped,
      promotable:
        comparisons >= window &&
        matchRate > matchRateAbove &&
        timed > 0 &&
        variantMs < productionMs * timeRatioBelow + timeSlackMs * timed,
    };
  }

  /** Resolves when no variant is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#comparing);
  }

  async #try(args: A): Promise<Outcome<R> | undefined> {
    this.#running++;
    const outcome = await Promise.try(this.#options.variant, ...args).catch(() => undefined);
    this.#running--;
    return outcome;
  }

  #settle(comparing: Promise<void> | undefined): void {
    if (comparing === undefined) return void this.#skipped++;
    const done = comparing.catch(() => void this.#skipped++).finally(() => this.#comparing.delete(done));
    this.#comparing.add(done);
  }

  #compare({ value, ms: productionMs }: Answer<R>, outcome: Outcome<R> | undefined): void {
    const isFailure = outcome?.ok !== true;
    const isMatch = !isFailure && this.#options.isMatch(value, outcome.value);
    // Waiting for a cell and the way there and back are no fault of the variant's.
    const variantMs = outcome?.usage.wallMs ?? null;
    this.#latest.push({ isMatch, isFailure, productionMs, variantMs });
    if (this.#latest.length > this.#options.window) this.#latest.shift();
  }
}

// What production answered, and in which time; undefined where it is an outcome without a value.
function answerOf<R>(given: unknown, ms: number): Answer<R> | undefined {
  if (!isOutcome(given)) return { value: given as R, ms }; // What is no outcome is the answer itself.
  return given.ok ? { value: given.value as R, ms: given.usage.wallMs } : undefined;
}

function isOutcome(value: unknown): value is Outcome {
  return isRecord(value) && typeof value["ok"] === "boolean" && "usage" in value && "logs" in value;
}
