// Adds up the results of the run: outcomes, kills, and losses of cells.
import type { Runtime } from "vivarium";
import type { Generation } from "./evolution.ts";
import { byFitness, type Scored } from "./individual.ts";

export type Counts = Readonly<Record<string, number>>;

export interface Totals {
  readonly generations: number;
  readonly evaluations: number;
  readonly evaluationMs: number;
  readonly best: Scored | undefined;
  readonly outcomes: Counts;
  /** For each kind of mutant: how often it ended in which way. */
  readonly fates: Readonly<Record<string, Counts>>;
  readonly bytesPerSandbox: number;
  /** Cell processes that ended before the runtime was closed, by cause. */
  readonly cellsLost: Counts;
  readonly cellsStarted: number;
  /** Sandboxes that were rebuilt after their isolate was lost. */
  readonly rebuilt: number;
}

/** Everything that is counted, at the end of a generation. */
export interface TallyState extends Omit<Totals, "bytesPerSandbox"> {
  /** The memory of one sandbox, by generation. */
  readonly samples: readonly number[];
}

export class Tally {
  readonly #outcomes: Record<string, number>;
  readonly #fates: Record<string, Record<string, number>>;
  readonly #samples: number[];
  /** What cells went through in earlier sittings. */
  readonly #earlier: Pick<Totals, "cellsLost" | "cellsStarted" | "rebuilt">;
  #generations: number;
  #evaluations: number;
  #evaluationMs: number;
  #best: Scored | undefined;

  constructor(earlier?: TallyState) {
    this.#outcomes = { ...earlier?.outcomes };
    this.#fates = structuredClone(earlier?.fates ?? {});
    this.#samples = [...(earlier?.samples ?? [])];
    this.#earlier = earlier ?? { cellsLost: {}, cellsStarted: 0, rebuilt: 0 };
    this.#generations = earlier?.generations ?? 0;
    this.#evaluations = earlier?.evaluations ?? 0;
    this.#evaluationMs = earlier?.evaluationMs ?? 0;
    this.#best = earlier?.best;
  }

  add({ trials, ranked: [best], alive, durationMs }: Generation): void {
    this.#generations++;
    this.#evaluations += trials.length;
    this.#evaluationMs += durationMs;
    this.#samples.push(alive.rssBytes / Math.max(1, alive.sandboxes));
    if (best !== undefined && (this.#best === undefined || byFitness(best, this.#best) < 0))
      this.#best = best;
    for (const trial of trials) {
      const how = trial.isScored ? "ok" : trial.kind;
      count(this.#outcomes, how);
      const kind = trial.individual.hostile ?? (trial.isScored ? undefined : "ordinary program");
      if (kind !== undefined) count((this.#fates[kind] ??= {}), how);
    }
  }

  get best(): Scored | undefined {
    return this.#best;
  }

  /** Programs that got no score so far. */
  get failures(): number {
    return this.#evaluations - (this.#outcomes["ok"] ?? 0);
  }

  async totals(runtime: Runtime): Promise<Totals> {
    const { samples, ...rest } = await this.state(runtime);
    return { ...rest, bytesPerSandbox: median(samples) };
  }

  /** Between generations. */
  async state(runtime: Runtime): Promise<TallyState> {
    const { cellsExited, cellsStarted, rebuilds } = await runtime.metrics();
    const cellsLost: Record<string, number> = { ...this.#earlier.cellsLost };
    for (const [cause, lost] of Object.entries(cellsExited))
      cellsLost[cause] = (cellsLost[cause] ?? 0) + lost;
    return {
      generations: this.#generations,
      evaluations: this.#evaluations,
      evaluationMs: this.#evaluationMs,
      best: this.#best,
      outcomes: this.#outcomes,
      fates: this.#fates,
      samples: this.#samples,
      cellsLost,
      cellsStarted: this.#earlier.cellsStarted + cellsStarted,
      rebuilt: this.#earlier.rebuilt + rebuilds,
    };
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
