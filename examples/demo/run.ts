// One run of the demo: the results of each generation, the best program so far, and when to stop.
import type { Runtime, RuntimeMetrics } from "vivarium";
import type { FitnessStatistics, Tracker } from "vivarium/evolution";
import type { Generation, Scored } from "./breeding.ts";
import type { Problem, Report } from "./problem.ts";
import { sizeOf } from "./tree.ts";
import type { Counts, Trials } from "./trials.ts";

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

export interface RunResult {
  readonly terms: RunTerms;
  readonly champion: Champion | undefined;
  readonly program: string | undefined;
  readonly report: Report;
  readonly generations: number;
  readonly evaluations: number;
  readonly durationMs: number;
  readonly outcomes: Counts;
  readonly fates: Readonly<Record<string, Counts>>;
  readonly repeated: Counts;
  /** Generations from the champion's seed to the champion. */
  readonly steps: number;
  readonly metrics: RuntimeMetrics;
}

/** How many programs of each island are compared with the champion in each generation. */
const choicesPerIsland = 2;

export class Run {
  readonly terms: RunTerms;
  readonly trials: Trials;
  readonly #tracker: Tracker;
  readonly #startedMs = performance.now();
  /** The best score on the training set, by generation. */
  readonly history: number[] = [];
  #statistics: FitnessStatistics | undefined;
  #champion: Champion | undefined;
  #generation = 0;

  constructor(terms: RunTerms, trials: Trials, tracker: Tracker) {
    this.terms = terms;
    this.trials = trials;
    this.#tracker = tracker;
  }

  get champion(): Champion | undefined {
    return this.#champion;
  }

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

  async add({ number, islands }: Generation): Promise<void> {
    this.#generation = number;
    this.#statistics = this.#tracker.fitness.statistics({ generation: number });
    const best = Math.min(...islands.map((island) => island[0]?.score ?? Infinity));
    if (Number.isFinite(best)) this.history.push(best);
    // One after the other, so that the choice does not depend on which is ready first.
    for (const individual of islands.flatMap((island) => island.slice(0, choicesPerIsland))) {
      const chosen = await this.trials.choose(individual);
      if (chosen !== null && this.#isBetter({ individual, chosen })) this.#champion = { individual, chosen };
    }
  }

  async result(runtime: Runtime): Promise<RunResult> {
    const { problem } = this.terms;
    const champion = this.#champion;
    const program = champion === undefined ? undefined : problem.toProgram(champion.individual.code);
    return {
      terms: this.terms,
      champion,
      program,
      evaluations: this.trials.evaluations,
      durationMs: this.durationMs,
      report: program === undefined ? [] : await problem.report(runtime, program),
      generations: this.#generation + 1,
      outcomes: this.trials.outcomes,
      fates: this.trials.fates,
      repeated: this.trials.repeated,
      steps: champion === undefined ? 0 : this.#tracker.lineage.pathToSeed(champion.individual.id).length - 1,
      metrics: await runtime.metrics(),
    };
  }

  #isBetter({ individual, chosen }: Champion): boolean {
    const champion = this.#champion;
    if (champion === undefined || chosen < champion.chosen) return true;
    return chosen === champion.chosen && sizeOf(individual.tree) < sizeOf(champion.individual.tree);
  }
}
