// A plain genetic algorithm: tournaments, crossover, mutation, a few of the best kept. Runtime and randomness are passed in.
import type { Runtime } from "vivarium";
import { cross, mutate, poison, randomProgram } from "./breeding.ts";
import { evaluate, type Evaluation } from "./evaluation.ts";
import { byFitness, type Individual, type Scored, type Trial } from "./individual.ts";
import type { Program } from "./program.ts";
import type { Random } from "./random.ts";

const eliteShare = 0.02;
const tournamentSize = 4;
const crossChance = 0.6;
const hostileChance = 0.05;

export interface EvolutionTerms {
  readonly population: number;
  readonly generations: number;
  readonly random: Random;
  /** The generation to continue after; `random` must be as it was then. */
  readonly from?: Pick<Generation, "number" | "ranked"> | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (generation: number, phase: "creating" | "calling", done: number) => void;
}

/** The results of one generation. */
export interface Generation {
  readonly number: number;
  readonly trials: readonly Trial[];
  /** Those with a score, the best first. */
  readonly ranked: readonly Scored[];
  readonly alive: Evaluation["alive"];
  readonly durationMs: number;
}

/**
 * Yields each generation when it is evaluated, and draws no random number until the next one is wanted. Ends early when the
 * signal is aborted.
 */
export async function* evolve(
  runtime: Runtime,
  terms: EvolutionTerms,
): AsyncGenerator<Generation, void, void> {
  const { from, signal } = terms;
  const first = (from?.number ?? 0) + 1;
  let ranked = from?.ranked ?? [];
  for (let number = first; number <= terms.generations && !signal.aborted; number++) {
    const startedMs = performance.now();
    const population = ranked.length === 0 ? seed(terms) : breed(ranked, number, terms);
    const { trials, alive } = await evaluate(runtime, population, {
      generation: number,
      signal,
      onProgress: (phase, done) => terms.onProgress(number, phase, done),
    });
    ranked = trials.filter((trial) => trial.isScored).sort(byFitness);
    yield { number, trials, ranked, alive, durationMs: performance.now() - startedMs };
  }
}

function seed({ population, random }: EvolutionTerms): readonly Individual[] {
  return Array.from({ length: population }, (_, index) =>
    toIndividual({ id: `g1-${index}`, parentIds: [] }, randomProgram(random), random),
  );
}

function breed(
  ranked: readonly Scored[],
  number: number,
  { population, random }: EvolutionTerms,
): readonly Individual[] {
  const elite = ranked.slice(0, Math.max(1, Math.round(population * eliteShare)));
  return Array.from({ length: population }, (_, index): Individual => {
    const id = `g${number}-${index}`;
    const kept = elite[index];
    if (kept !== undefined) return { ...kept.individual, id, parentIds: [kept.individual.id] };
    const mother = tournament(ranked, random);
    const father = random.chance(crossChance) ? tournament(ranked, random) : mother;
    const parentIds = [...new Set([mother.id, father.id])];
    const child = mother === father ? mother.program : cross(mother.program, father.program, random);
    return toIndividual(
      { id, parentIds },
      mutate(child.length === 0 ? mother.program : child, random),
      random,
    );
  });
}

function toIndividual(
  birth: Pick<Individual, "id" | "parentIds">,
  program: Program,
  random: Random,
): Individual {
  if (!random.chance(hostileChance)) return { ...birth, program, hostile: undefined };
  const poisoned = poison(program, random);
  return { ...birth, program: poisoned.program, hostile: poisoned.name };
}

// The list is in order, so the lowest place drawn is the winner.
function tournament(ranked: readonly Scored[], random: Random): Individual {
  const places = Array.from({ length: tournamentSize }, () => random.below(ranked.length));
  // There are always places, and each is one of the list.
  return (ranked[Math.min(...places)] as Scored).individual;
}
