// One run of the demo: the results of each generation, the best program so far, and when to stop.
import type { Runtime, RuntimeMetrics } from "vivarium";
import type { FitnessStatistics, Tracker } from "vivarium/evolution";
import type { Generation, Scored } from "./breeding.ts";
import { recordIslands } from "./islands.ts";
import type { Problem, Report } from "./problem.ts";
import { sizeOf } from "./tree.ts";
import type { Counts, Trials, TrialsCounts } from "./trials.ts";

export interface RunTerms {
  readonly problem: Problem;
  readonly seed: number;
  readonly population: number;
  readonly islands: number;
  readonly evaluationsMax: number;
  readonly durationMsMax: number;
}

/** The best program so far, with its score on the set by which it was chosen. */
export interface Champion {
  readonly individual: Scored;
  readonly chosen: number;
}

/** What became of cells, in all sittings together. */
export interface CellCounts {
  readonly started: number;
  /** Those that were lost, by cause. */
  readonly exited: Counts;
  /** Sandboxes that were made anew. */
  readonly rebuilds: number;
}

/** Where a run is at the end of a generation. */
export interface RunState {
  readonly generation: number;
  /** The best score on the training set, by generation. */
  readonly history: readonly number[];
  readonly statistics: FitnessStatistics | undefined;
  readonly champion: Champion | undefined;
  /** In all sittings together; what was interrupted is not counted. */
  readonly durationMs: number;
  readonly cells: CellCounts;
}

export interface RunResult extends TrialsCounts {
  readonly terms: RunTerms;
  readonly champion: Champion | undefined;
  /** Where a run was interrupted before any champion: the best on the training set. */
  readonly leading: Scored | undefined;
  readonly program: string | undefined;
  readonly report: Report;
  /** The best score on the training set, by generation. */
  readonly history: readonly number[];
  /** Whether it ended by itself, and not by an interruption. */
  readonly complete: boolean;
  /** Those that were finished. */
  readonly generations: number;
  readonly durationMs: number;
  /** Generations from the champion's seed to the champion. */
  readonly steps: number;
  readonly cells: CellCounts;
}

export interface RunParts {
  readonly trials: Trials;
  readonly tracker: Tracker;
  /** Where an interrupted run was. */
  readonly earlier?: RunState | undefined;
}

/** How many programs of each island are compared with the champion in each generation. */
const choicesPerIsland = 2;

export class Run {
  readonly terms: RunTerms;
  readonly trials: Trials;
  readonly #tracker: Tracker;
  readonly #startedMs: number;
  readonly #earlierCells: CellCounts;
  /** The best score on the training set, by generation. */
  readonly history: number[];
  #statistics: FitnessStatistics | undefined;
  #champion: Champion | undefined;
  #generation: number;

  constructor(terms: RunTerms, { trials, tracker, earlier }: RunParts) {
    this.terms = terms;
    this.trials = trials;
    this.#tracker = tracker;
    this.#startedMs = performance.now() - (earlier?.durationMs ?? 0);
    this.#earlierCells = earlier?.cells ?? { started: 0, exited: {}, rebuilds: 0 };
    this.history = [...(earlier?.history ?? [])];
    this.#statistics = earlier?.statistics;
    this.#champion = earlier?.champion;
    this.#generation = earlier?.generation ?? -1;
  }

  get champion(): Champion | undefined {
    return this.#champion;
  }

  /** The latest that was finished; -1 before the first one was. */
  get generation(): number {
    return this.#generation;
  }

  /** Of the latest generation. */
  get statistics(): FitnessStatistics | undefined {
    return this.#statistics;
  }

  get durationMs(): number {
    return performance.now() - this.#startedMs;
  }

  /** The part of the budget that is spent, from 0 to 1. */
  get share(): number {
    const { evaluationsMax, durationMsMax } = this.terms;
    return Math.min(1, Math.max(this.trials.evaluations / evaluationsMax, this.durationMs / durationMsMax));
  }

  get isOver(): boolean {
    const { perfect } = this.terms.problem;
    return this.share >= 1 || (perfect !== undefined && this.#champion?.chosen === perfect);
  }

  /** Between generations. */
  state(metrics: RuntimeMetrics): RunState {
    const { generation, history, statistics, champion, durationMs } = this;
    return { generation, history, statistics, champion, durationMs, cells: this.#cells(metrics) };
  }

  /** The best score of a generation on the training set; null where nothing has a score. */
  bestOf({ islands }: Generation): number | null {
    const best = Math.min(...islands.map((island) => island[0]?.score ?? Infinity));
    return Number.isFinite(best) ? best : null;
  }

  async add(generation: Generation): Promise<void> {
    const { number, islands } = generation;
    this.#generation = number;
    this.#statistics = this.#tracker.fitness.statistics(this.trials.latest);
    recordIslands(this.#tracker, generation, this.trials.latest);
    const best = this.bestOf(generation);
    if (best !== null) this.history.push(best);
    const candidates = islands.flatMap((island) => island.slice(0, choicesPerIsland));
    const scores = await this.trials.chooseAll(candidates);
    for (const [index, individual] of candidates.entries()) {
      const chosen = scores[index] ?? null;
      if (chosen !== null && this.#isBetter({ individual, chosen })) this.#champion = { individual, chosen };
    }
  }

  async result(runtime: Runtime): Promise<RunResult> {
    const { problem } = this.terms;
    const champion = this.#champion;
    const leading = champion === undefined ? this.trials.leading : undefined;
    const best = champion?.individual ?? leading;
    const program = best === undefined ? undefined : problem.toProgram(best.code);
    return {
      terms: this.terms,
      champion,
      leading,
      program,
      durationMs: this.durationMs,
      history: this.history,
      complete: this.isOver,
      report: program === undefined ? [] : await problem.report(runtime, program),
      generations: this.#generation + 1,
      ...this.trials.counts,
      steps: best?.steps ?? 0,
      cells: this.#cells(await runtime.metrics()),
    };
  }

  #cells({ cellsStarted, cellsExited, rebuilds }: RuntimeMetrics): CellCounts {
    const { started, exited, rebuilds: rebuiltEarlier } = this.#earlierCells;
    const causes = new Set([...Object.keys(exited), ...Object.keys(cellsExited)]);
    return {
      started: started + cellsStarted,
      exited: Object.fromEntries(
        [...causes].map((cause) => [cause, (exited[cause] ?? 0) + (cellsExited[cause] ?? 0)]),
      ),
      rebuilds: rebuiltEarlier + rebuilds,
    };
  }

  #isBetter({ individual, chosen }: Champion): boolean {
    const champion = this.#champion;
    if (champion === undefined || chosen < champion.chosen) return true;
    return chosen === champion.chosen && sizeOf(individual.tree) < sizeOf(champion.individual.tree);
  }
}
