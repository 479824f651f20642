// The long run of online bin packing: a rule that knows what has come so far, bred on instances of four lengths.
import { unwrap, type Candidate, type FitnessFunction } from "vivarium";
import { limits, operations, published, readFiles, report } from "../bin-packing.ts";
import type { Generation } from "../breeding.ts";
import { bestFitOn, excessOf, generateSet, type PackingSet } from "../packing.ts";
import { bare, helpersFor, type Problem, type ProblemTerms } from "../problem.ts";
import { packer, terminals, told } from "./packer.ts";

const lengths = [120, 250, 500, 1000] as const;
/** How many instances of each length. Short ones say less each, so there are more of them. */
const counts = {
  first: [20, 4, 2, 1],
  rest: [60, 20, 8, 3],
  choice: [300, 100, 50, 25],
  test: [100, 100, 100, 100],
} as const;
const trainFuel = 10_000_000;
/** Of the goal for the shortest instances: what is beyond is not tried on longer ones. */
const hopeless = 2;
/** The part of a generation that is worth measuring on all instances, and what a little worse is. */
const promisingShare = 0.3;
const tolerance = 1.02;
/** The worst length counts this much, the mean of all the rest of it. */
const worstShare = 0.8;

/** Sets by length, with what a score of 1 would be on each. */
interface Course {
  readonly sets: readonly PackingSet[];
  readonly goals: readonly number[];
}

export function binPackingLong({ seed, datasets }: ProblemTerms): Problem {
  // Every set has a seed of its own: the training, selection and test sets are disjoint.
  const make = (what: keyof typeof counts, at: number): readonly PackingSet[] =>
    lengths.map((items, index) =>
      generateSet(`generated, ${items} items`, {
        items,
        instances: counts[what][index] ?? 0,
        seed: seed * 100 + at + index,
      }),
    );
  const [first, rest] = [make("first", 31), make("rest", 41)];
  const all = first.map((set, index) => ({
    ...set,
    instances: [...set.instances, ...(rest[index]?.instances ?? [])],
  }));
  const training = { first: courseOf(first), rest, all: courseOf(all) };
  const race = { promising: Infinity };
  const choice = courseOf(make("choice", 51));
  const tests = make("test", 61).map((set) => ({ set }));
  const files = readFiles(datasets);
  return {
    name: "bin-packing-long",
    about: "a rule that packs items, which come one by one, into few bins",
    unit: "% of the goal",
    meaning: "excess in % of the goal, FunSearch's; the worst of four lengths counts most",
    known: { "Best Fit": percent(scoreOf(training.all, training.all.sets.map(bestFitOn))) },
    choiceInWords: (score) => `${score.toFixed(1)} % of the goal, on other bins`,
    grammar: {
      variables: Object.keys(terminals),
      numbers: [0, 0.1, 0.5, 1, 2, 5, 10, 20, 30, 50, 75, 100, 150],
      operations,
      tuneShare: 0.25,
    },
    toProgram,
    modules: { packer },
    limits,
    trainFuel,
    train: raceOn(training, race),
    expect: (generation) => (race.promising = promisingOf(generation)),
    migrateEvery: 10,
    choose: async (candidate) => percent(scoreOf(choice, await excesses(candidate, choice.sets))),
    perfect: undefined,
    evaluations: 24_000,
    report: (runtime, program) => report(runtime, { candidate: program, packer }, [...tests, ...files]),
  };
}

/** The goal is the part of Best Fit's excess that FunSearch's heuristic has, by the published figures of that length. */
function courseOf(sets: readonly PackingSet[]): Course {
  const goals = sets.map((set, index) => {
    const { bestFit = 1, funSearch = 1 } = published[lengths[index] ?? 0] ?? {};
    return (bestFitOn(set) * funSearch) / bestFit;
  });
  return { sets, goals };
}

/** From the excess on each set: 1 where all are as the goal. */
function scoreOf({ goals }: Course, excesses: readonly number[]): number {
  const shares = excesses.map((excess, index) => excess / (goals[index] ?? Number.NaN));
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return worstShare * Math.max(...shares) + (1 - worstShare) * mean;
}

const percent = (score: number): number => score * 100;

interface Training {
  readonly first: Course;
  readonly rest: readonly PackingSet[];
  readonly all: Course;
}

/** Few instances first. Only what is good on those is tried on the others too, and then it is scored on all of them. */
function raceOn(training: Training, race: { readonly promising: number }): FitnessFunction {
  const { first, rest, all } = training;
  const [shortest, ...longer] = first.sets;
  return async (candidate) => {
    const packings = await packAll(candidate, shortest === undefined ? [] : [shortest]);
    const [short = Number.NaN] = excessesOf([shortest as PackingSet], packings);
    const share = short / (first.goals[0] ?? Number.NaN);
    // Beyond all that is tried on more, whatever that gets.
    if (!(share < hopeless)) return percent(share * 10);
    packings.push(...(await packAll(candidate, longer)));
    const early = percent(scoreOf(first, excessesOf(first.sets, packings)));
    if (!(early < race.promising)) return early;
    const more = await packAll(candidate, rest);
    const joined = packings.map((some, index) => [...some, ...(more[index] ?? [])]);
    return percent(scoreOf(all, excessesOf(all.sets, joined)));
  };
}

async function packAll(candidate: Candidate, sets: readonly PackingSet[]): Promise<unknown[][]> {
  const packed: unknown[][] = [];
  for (const set of sets) {
    const args = [set.instances, set.capacity];
    const packings: unknown = unwrap(await candidate.call("packer.pack", { args }));
    packed.push(Array.isArray(packings) ? packings : []);
  }
  return packed;
}

/** The packings are checked and counted on the host; an invalid one has no number. */
function excessesOf(sets: readonly PackingSet[], packings: readonly unknown[]): readonly number[] {
  return sets.map((set, index) => excessOf(set, packings[index]) ?? Number.NaN);
}

async function excesses(candidate: Candidate, sets: readonly PackingSet[]): Promise<readonly number[]> {
  return excessesOf(sets, await packAll(candidate, sets));
}

/** From the scores of the latest generation, so that a run that is continued expects the same. */
function promisingOf({ islands }: Generation): number {
  const scores = islands
    .flatMap((island) => island.map(({ score }) => score))
    .sort((one, other) => one - other);
  return (scores[Math.floor(scores.length * promisingShare)] ?? Infinity) * tolerance;
}

export function toProgram(expression: string): string {
  const uses = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(expression);
  const used = Object.entries(terminals).filter(([name]) => uses(name));
  const names = told.filter(uses);
  const comment = used.map(([name, meaning]) => ` * - ${name}: ${meaning}`);
  const now = names.length === 0 ? "" : ", now: Now";
  return `${helpersFor(expression)}${
    names.length === 0
      ? ""
      : `type Now = Readonly<Record<${names.map((name) => `"${name}"`).join(" | ")}, number>>;\n`
  }/**
 * Of the bins that fit and a new one, the highest priority gets the item.
${comment.map((line) => `${line}\n`).join("")} */
export function priority(item: number, room: number${now}): number {
${uses("rest") ? "  const rest = room - item;\n" : ""}${
    names.length === 0 ? "" : `  const { ${names.join(", ")} } = now;\n`
  }  return ${bare(expression)};
}`;
}
