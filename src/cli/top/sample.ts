// What `vivarium top` shows of a runtime at one moment: its figures, its sandboxes, and how much was done since the last look.
import type { Clock, ListFilter, Runtime, RuntimeMetrics, SandboxInfo, Status } from "../../index.ts";
import { VivariumError } from "../../model/errors.ts";

export interface Sample {
  readonly at: number;
  /** How long ago the sample before it was taken; the rates are of that time. */
  readonly intervalMs: number;
  readonly runsPerSecond: number;
  readonly evaluationsPerSecond: number;
  /** All sandboxes, whether listed or not. */
  readonly total: number;
  /** Null where the token may not see the figures of the whole runtime. */
  readonly metrics: RuntimeMetrics | null;
  /** The oldest so many of those that are wanted. */
  readonly sandboxes: readonly SandboxInfo[];
}

interface Counts {
  readonly atMs: number;
  readonly runs: number;
  readonly evaluations: number;
}

export interface SamplerOptions {
  readonly runtime: Pick<Runtime, "metrics" | "list">;
  readonly clock: Clock;
  /** How many sandboxes are listed at most. */
  readonly limit: number;
}

export class Sampler {
  readonly #options: SamplerOptions;
  #before: Counts | undefined;

  constructor(options: SamplerOptions) {
    this.#options = options;
  }

  /** Rates are 0 in the first sample. */
  async take(status?: Status): Promise<Sample> {
    const { runtime, clock, limit } = this.#options;
    const filter: ListFilter = status === undefined ? { limit } : { limit, status };
    const [metrics, sandboxes] = await Promise.all([metricsOf(runtime), runtime.list(filter)]);
    const counts = countsOf(metrics, clock.monotonic());
    const before = this.#before ?? counts;
    this.#before = counts;
    const intervalMs = counts.atMs - before.atMs;
    const rate = (count: number): number => (intervalMs > 0 ? (Math.max(0, count) / intervalMs) * 1_000 : 0);
    return {
      at: clock.now(),
      intervalMs,
      runsPerSecond: rate(counts.runs - before.runs),
      evaluationsPerSecond: rate(counts.evaluations - before.evaluations),
      total: metrics === null ? sandboxes.length : sum(Object.values(metrics.sandboxes)),
      metrics,
      sandboxes,
    };
  }
}

async function metricsOf(runtime: Pick<Runtime, "metrics">): Promise<RuntimeMetrics | null> {
  try {
    return await runtime.metrics();
  } catch (error) {
    if (error instanceof VivariumError && error.code === "FORBIDDEN") return null;
    throw error;
  }
}

function countsOf(metrics: RuntimeMetrics | null, atMs: number): Counts {
  if (metrics === null) return { atMs, runs: 0, evaluations: 0 };
  const evaluations = Object.values(metrics.fitness).map(({ results }) => sum(Object.values(results)));
  return { atMs, runs: sum(Object.values(metrics.outcomes)), evaluations: sum(evaluations) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
