// A plain genetic algorithm on islands: tournaments, crossover, mutation, a few of the best kept, the best migrate.
// How programs are tried is passed in, and so is randomness: the same seed and budget breed the same programs.
import type { Random } from "./random.ts";
import { cross, grow, mutate, sizeOf, toCode, type Grammar, type Tree } from "./tree.ts";

export interface Individual {
  readonly id: string;
  readonly tree: Tree;
  readonly code: string;
  readonly parentIds: readonly string[];
  readonly generation: number;
  readonly mutation: string;
  /** Generations from its seed, along the first parents. */
  readonly steps: number;
}

/** A program with its score; less is better. */
export interface Scored extends Individual {
  readonly score: number;
}

export interface BreedingTerms {
  readonly grammar: Grammar;
  readonly population: number;
  readonly islands: number;
  readonly random: Random;
  /** After how many generations the best migrate. */
  readonly migrateEvery?: number | undefined;
  /** The generation to continue after; `random` must be as it was then. */
  readonly from?: Generation | undefined;
  /** Tries programs, in order; null for one that has no score. */
  readonly tryAll: (individuals: readonly Individual[]) => Promise<readonly (number | null)[]>;
}

export interface Generation {
  readonly number: number;
  /** The best of each island first. */
  readonly islands: readonly (readonly Scored[])[];
}

const elites = 2;
const tournamentSize = 4;
const crossShare = 0.6;
const freshShare = 0.05;
const usualMigrateEvery = 5;
const migrants = 2;

/** Yields generations without end: the caller decides when to stop. Between two of them it draws no random numbers. */
export async function* breed(terms: BreedingTerms): AsyncGenerator<Generation, never, void> {
  const { migrateEvery = usualMigrateEvery } = terms;
  const size = Math.max(elites + 1, Math.floor(terms.population / terms.islands));
  let islands = terms.from?.islands ?? Array.from({ length: terms.islands }, (): readonly Scored[] => []);
  for (let number = (terms.from?.number ?? -1) + 1; ; number++) {
    const litters = islands.map((island, at) => litterOf(island, { number, at, size }, terms));
    const children = litters.flat();
    const scores = await terms.tryAll(children);
    const scored = new Map(
      children.flatMap((child, index) => {
        const score = scores[index] ?? null;
        return score === null ? [] : [[child.id, { ...child, score }] as const];
      }),
    );
    islands = islands.map((island, at) =>
      [...island.slice(0, elites), ...(litters[at] ?? []).flatMap(({ id }) => scored.get(id) ?? [])].sort(
        byFitness,
      ),
    );
    if (number > 0 && number % migrateEvery === 0) islands = migrate(islands);
    yield { number, islands };
  }
}

/** On which island an individual was bred. */
export function islandOf({ id }: Pick<Individual, "id">): number {
  return Number(id.split("-")[1]);
}

/** Less error first, then the shorter program; equals stay in their order. */
export function byFitness(one: Scored, other: Scored): number {
  return one.score - other.score || sizeOf(one.tree) - sizeOf(other.tree);
}

function litterOf(
  island: readonly Scored[],
  { number, at, size }: { readonly number: number; readonly at: number; readonly size: number },
  { grammar, random }: BreedingTerms,
): readonly Individual[] {
  const count = island.length === 0 ? size : size - elites;
  return Array.from({ length: count }, (_, index) => {
    const child = childOf(island, grammar, random);
    return {
      id: `g${number}-${at}-${index}`,
      code: toCode(child.tree, grammar),
      generation: number,
      ...child,
    };
  });
}

function childOf(
  island: readonly Scored[],
  grammar: Grammar,
  random: Random,
): Pick<Individual, "tree" | "parentIds" | "mutation" | "steps"> {
  if (island.length === 0 || random.next() < freshShare)
    return { tree: grow(grammar, 1 + random.below(4), random), parentIds: [], mutation: "seed", steps: 0 };
  const mother = tournament(island, random);
  const steps = mother.steps + 1;
  if (random.next() >= crossShare)
    return { tree: mutate(mother.tree, grammar, random), parentIds: [mother.id], mutation: "mutate", steps };
  const father = tournament(island, random);
  const child = cross(mother.tree, father.tree, random);
  const isChanged = random.next() < 0.3;
  return {
    tree: isChanged ? mutate(child, grammar, random) : child,
    parentIds: [...new Set([mother.id, father.id])],
    mutation: isChanged ? "cross, mutate" : "cross",
    steps,
  };
}

// The best of each island are copied to the next, in place of its worst.
function migrate(islands: readonly (readonly Scored[])[]): readonly (readonly Scored[])[] {
  return islands.map((island, at) => {
    const from = islands[(at + islands.length - 1) % islands.length] ?? [];
    const known = new Set(island.map(({ id }) => id));
    const coming = from.slice(0, migrants).filter(({ id }) => !known.has(id));
    return [...island.slice(0, Math.max(0, island.length - coming.length)), ...coming].sort(byFitness);
  });
}

// The list is in order, so the lowest place drawn is the winner.
function tournament(island: readonly Scored[], random: Random): Scored {
  const places = Array.from({ length: tournamentSize }, () => random.below(island.length));
  // There are always places, and each is one of the list.
  return island[Math.min(...places)] as Scored;
}
