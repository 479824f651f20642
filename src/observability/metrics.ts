// Folds events into counters. It only listens, but for runs, whose ends it is told.
import type { Events } from "./bus.ts";
import type { KilledReason } from "./catalogue.ts";
import { FitnessMetrics, type PopulationFitness } from "./fitness-metrics.ts";
import type { Histogram } from "./score-histogram.ts";

export interface Counters {
  /** Runs ended, by `ok` or failure kind. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly killed: Readonly<Partial<Record<KilledReason, number>>>;
  readonly created: number;
  readonly loadErrors: number;
  readonly destroyed: number;
  readonly restarts: number;
  readonly rebuilds: number;
  readonly cellsStarted: number;
  readonly cellsExited: Readonly<Record<string, number>>;
  readonly quarantined: number;
  readonly collected: number;
  /** How long runs took, from acceptance to outcome. */
  readonly runDurations: Durations;
  /** What evaluations came to, by population; empty where `telemetry.fitness` is off. */
  readonly fitness: Readonly<Record<string, PopulationFitness>>;
}

/** In milliseconds. */
export interface Durations extends Histogram {
  readonly sumMs: number;
}

const bounds: readonly number[] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];

type Tally = Record<string, number>;

export class Metrics {
  readonly #outcomes: Tally = {};
  readonly #killed: Tally = {};
  readonly #cellsExited: Tally = {};
  readonly #durationCounts: number[] = Array.from({ length: bounds.length + 1 }, () => 0);
  #durationSumMs = 0;
  readonly #fitness: FitnessMetrics | undefined;
  readonly #counts = {
    created: 0,
    loadErrors: 0,
    destroyed: 0,
    restarts: 0,
    rebuilds: 0,
    cellsStarted: 0,
    quarantined: 0,
    collected: 0,
  };

  constructor(events: Events, { fitness }: { readonly fitness: boolean }) {
    this.#fitness = fitness ? new FitnessMetrics(events) : undefined;
    const count = this.#counts;
    events.on("sandbox.killed", ({ reason }) => add(this.#killed, reason));
    events.on(
      "sandbox.create.stop",
      ({ result }) => void (result === "ok" ? count.created++ : count.loadErrors++),
    );
    events.on("sandbox.destroy.stop", () => void count.destroyed++);
    events.on("sandbox.restart.stop", () => void count.restarts++);
    events.on("sandbox.rebuilt", () => void count.rebuilds++);
    events.on("cell.started", () => void count.cellsStarted++);
    events.on("cell.exited", ({ cause }) => add(this.#cellsExited, cause));
    events.on("cell.quarantined", () => void count.quarantined++);
    events.on("gc.collected", ({ expired, failed, unretained }) => {
      count.collected += expired + failed + unretained;
    });
  }

  /**
   * So many runs have ended with this result, each after so long. Runs are many, and their events are put together only for
   * subscribers; so these are counted by themselves.
   */
  noteRuns(result: string, durationMs: number, count: number): void {
    add(this.#outcomes, result, count);
    let at = 0;
    while (at < bounds.length && durationMs > (bounds[at] ?? Infinity)) at++;
    this.#durationCounts[at] = (this.#durationCounts[at] ?? 0) + count;
    this.#durationSumMs += durationMs * count;
  }

  counters(): Counters {
    return {
      ...this.#counts,
      outcomes: { ...this.#outcomes },
      killed: { ...this.#killed },
      cellsExited: { ...this.#cellsExited },
      runDurations: { bounds, counts: [...this.#durationCounts], sumMs: this.#durationSumMs },
      fitness: this.#fitness?.byPopulation() ?? {},
    };
  }
}

function add(tally: Tally, name: string, count = 1): void {
  tally[name] = (tally[name] ?? 0) + count;
}
