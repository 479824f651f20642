// A variant beside a function in production: both get the same arguments, the caller gets only production's answer, and
// what they did is compared until the variant has earned its promotion or not.
import { isDeepStrictEqual } from "node:util";
import type { Outcome } from "../model/runs/outcome.ts";
import { fields, func, integer, number, required, type Shape } from "../model/schema.ts";
import { systemClock } from "../std/clock.ts";

export interface ShadowOptions<A extends readonly unknown[], R> {
  readonly production: (...args: A) => R | Promise<R>;
  /** The variant, in its sandbox. Its failures never reach the caller. */
  readonly variant: (...args: A) => Promise<Outcome<R>>;
  /** Whether two answers are the same. Default: equal as data. */
  readonly isMatch?: (production: R, variant: R) => boolean;
  /** How many of the latest comparisons count, and how many it takes. Default: 1,000. */
  readonly window?: number;
  /** The share of matches that must be surpassed. Default: 0.99. */
  readonly matchRateAbove?: number;
  /** What the mean time of the variant in shares of production's must stay below. Default: 1.1. */
  readonly timeRatioBelow?: number;
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
  underwayMax: integer({ min: 0, max: 1_000_000, default: 16 }),
  monotonic: func<() => number>(),
} satisfies Shape<ShadowOptions<never, never>>);

export interface ShadowReport {
  /** Within the window. */
  readonly comparisons: number;
  readonly matchRate: number;
  /** Mean time of the variant over production's; null before the first comparison. */
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
  readonly variantMs: number;
}

export class Shadow<A extends readonly unknown[], R> {
  readonly #options: Required<ShadowOptions<A, R>>;
  #latest: Comparison[] = [];
  #skipped = 0;
  #running = 0;
  readonly #comparing = new Set<Promise<void>>();

  constructor(options: ShadowOptions<A, R>) {
    const complete = shadowOptions.read(options, "options");
    const { isMatch = isDeepStrictEqual, monotonic = () => systemClock.monotonic() } = complete;
    // Functions are checked to be some; what they take and give only the compiler knows.
    this.#options = { ...complete, isMatch, monotonic } as Required<ShadowOptions<A, R>>;
  }

  /** Production's answer, or what it throws. The variant runs beside it, and the caller does not wait for it. */
  async serve(...args: A): Promise<R> {
    const { production, underwayMax, monotonic } = this.#options;
    const variant = this.#running < underwayMax ? this.#try(args) : undefined;
    const startedMs = monotonic();
    try {
      const answer = await production(...args);
      const productionMs = monotonic() - startedMs;
      this.#settle(variant?.then((tried) => this.#compare({ answer, productionMs }, tried)));
      return answer;
    } catch (error) {
      this.#settle(undefined);
      throw error;
    }
  }

  report(): ShadowReport {
    const { window, matchRateAbove, timeRatioBelow } = this.#options;
    const comparisons = this.#latest.length;
    const count = (is: (one: Comparison) => boolean): number => this.#latest.filter(is).length;
    const sum = (of: (one: Comparison) => number): number =>
      this.#latest.reduce((total, one) => total + of(one), 0);
    const matchRate = comparisons === 0 ? 0 : count(({ isMatch }) => isMatch) / comparisons;
    const timeRatio =
      comparisons === 0 ? null : sum(({ variantMs }) => variantMs) / sum(({ productionMs }) => productionMs);
    return {
      comparisons,
      matchRate,
      timeRatio,
      failures: count(({ isFailure }) => isFailure),
      skipped: this.#skipped,
      promotable:
        comparisons >= window &&
        matchRate > matchRateAbove &&
        timeRatio !== null &&
        timeRatio < timeRatioBelow,
    };
  }

  /** Resolves when no variant is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#comparing);
  }

  async #try(args: A): Promise<{ readonly outcome: Outcome<R> | undefined; readonly ms: number }> {
    const { variant, monotonic } = this.#options;
    const startedMs = monotonic();
    this.#running++;
    const outcome = await Promise.try(variant, ...args).catch(() => undefined);
    this.#running--;
    return { outcome, ms: monotonic() - startedMs };
  }

  #settle(comparing: Promise<void> | undefined): void {
    if (comparing === undefined) return void this.#skipped++;
    const done = comparing.catch(() => void this.#skipped++).finally(() => this.#comparing.delete(done));
    this.#comparing.add(done);
  }

  #compare(
    { answer, productionMs }: { readonly answer: R; readonly productionMs: number },
    { outcome, ms }: { readonly outcome: Outcome<R> | undefined; readonly ms: number },
  ): void {
    const isFailure = outcome?.ok !== true;
    const isMatch = !isFailure && this.#options.isMatch(answer, outcome.value);
    this.#latest.push({ isMatch, isFailure, productionMs, variantMs: ms });
    if (this.#latest.length > this.#options.window) this.#latest.shift();
  }
}
