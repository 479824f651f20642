// What evaluations came to, population by population: scores as a histogram, failures by kind. It only listens.
import type { Events } from "./bus.ts";
import { ScoreHistogram, type Scores } from "./score-histogram.ts";

export interface PopulationFitness {
  /** Evaluations by `ok` or how they failed. */
  readonly results: Readonly<Record<string, number>>;
  /** Of those that are `ok`: a score that stands for a failure is none. */
  readonly scores: Scores;
}

/** How many populations are kept; the one that has not been evaluated for longest makes room. */
const populationsMax = 100;

export class FitnessMetrics {
  readonly #populations = new Map<string, { results: Record<string, number>; scores: ScoreHistogram }>();

  constructor(events: Events) {
    events.on("fitness.computed", ({ population, score, result }) => {
      const kept = this.#kept(population);
      kept.results[result] = (kept.results[result] ?? 0) + 1;
      if (result === "ok" && score !== null) kept.scores.add(score);
    });
  }

  byPopulation(): Readonly<Record<string, PopulationFitness>> {
    return Object.fromEntries(
      [...this.#populations].map(([name, { results, scores }]) => [
        name,
        { results: { ...results }, scores: scores.toScores() },
      ]),
    );
  }

  // The latest is always the last, so that the first may go.
  #kept(name: string): { results: Record<string, number>; scores: ScoreHistogram } {
    const kept = this.#populations.get(name) ?? { results: {}, scores: new ScoreHistogram() };
    this.#populations.delete(name);
    this.#populations.set(name, kept);
    const [oldest] = this.#populations.keys();
    if (this.#populations.size > populationsMax) this.#populations.delete(oldest as string);
    return kept;
  }
}
