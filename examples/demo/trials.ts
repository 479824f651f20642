// Scores programs in sandboxes: one each, destroyed after one evaluation. The scores of known programs are reused.
import type { BatchEvaluation, ErrorCode, FitnessFunction, Runtime, VivariumError } from "vivarium";
import type { Tracker } from "vivarium/evolution";
import { byFitness, type Individual, type Scored } from "./breeding.ts";
import type { Random } from "./random.ts";
import { choiceOf, isChoice } from "./choices.ts";
import { joinIslands } from "./islands.ts";
import { hostileNames, poison, type HostileName } from "./hostile.ts";
import { labels, type Problem } from "./problem.ts";

export type Counts = Record<string, number>;

export interface TrialsParts {
  readonly runtime: Runtime;
  readonly problem: Problem;
  readonly tracker: Tracker;
  /** Decides which programs are made hostile; a separate source, so that breeding is not affected. */
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly onProgress: () => void;
  /** What an interrupted run had counted and learned. */
  readonly earlier?: (TrialsCounts & Learned) | undefined;
}

/** How the trials of a run ended so far. The evaluations are all of `outcomes`, of `fates`, and the choices. */
export interface TrialsCounts {
  readonly evaluations: number;
  /** How ordinary programs ended on the training set: `ok`, or why there is no score. */
  readonly outcomes: Counts;
  /** How the hostile programs ended, by what they tried. */
  readonly fates: Readonly<Record<string, Counts>>;
  /** Evaluations on the set by which the result is chosen. */
  readonly choices: number;
  /** Evaluations that were repeated, by how they had failed: the program was not at fault. */
  readonly repeated: Counts;
}

/** Programs with their scores; null for one that has none. */
export type Scores = readonly (readonly [code: string, score: number | null])[];

/** Scores on the training set, and on the set by which the result is chosen. */
export interface Learned {
  readonly programs: Scores;
  readonly chosen: Scores;
}

/** Failures that are not the fault of a program bounded by fuel: they come from a busy machine. */
const unearned: ReadonlySet<string> = new Set([
  "cancelled",
  "cell-lost",
  "not-running",
  "timeout",
  "load",
  "compile",
  // No program of this grammar can throw or hold much memory.
  "crashed",
  "memory",
]);
/** What `create` says of a program. Any other refusal is of the machine, and no result. */
const ofCode: ReadonlySet<ErrorCode> = new Set([
  "PARSE_FAILED",
  "COMPILE_FAILED",
  "SECURITY_REJECTED",
  "LOAD_FAILED",
]);
const attemptsMax = 3;

interface Terms {
  readonly hostile?: ReadonlyMap<string, HostileName>;
  readonly fuel?: number;
  /** Called once for each program, as soon as its result is final. */
  readonly onFinal: (individual: Individual, result: BatchEvaluation) => void;
}

/** How far the generation under way is. */
export interface Pace {
  readonly generation: number;
  readonly tried: number;
  /** Programs to try; those that are known already are not among them. */
  readonly toTry: number;
}

const hostileShare = 0.02;
/** How many sandboxes exist at a time. */
const aliveMax = 256;
/** The first batch is small, so that there is something to see at once; each of the next is twice as large. */
const firstBatch = 16;

export class Trials {
  readonly #parts: TrialsParts;
  readonly #known: Map<string, number | null>;
  readonly #chosen: Map<string, number | null>;
  /** How many of each were taken by `takeLearned`; a map has its entries in the order in which they came. */
  #taken: { readonly programs: number; readonly chosen: number };
  readonly outcomes: Counts;
  readonly fates: Record<string, Counts>;
  readonly repeated: Counts;
  #evaluations: number;
  #choices: number;
  #pace: Pace = { generation: 0, tried: 0, toTry: 0 };
  #batch = firstBatch;
  #leading: Scored | undefined;
  #latest: readonly string[] = [];

  constructor(parts: TrialsParts) {
    this.#parts = parts;
    const { earlier } = parts;
    this.#known = new Map(earlier?.programs);
    this.#chosen = new Map(earlier?.chosen);
    this.#taken = { programs: this.#known.size, chosen: this.#chosen.size };
    this.outcomes = { ...earlier?.outcomes };
    this.fates = structuredClone(earlier?.fates ?? {});
    this.repeated = { ...earlier?.repeated };
    this.#evaluations = earlier?.evaluations ?? 0;
    this.#choices = earlier?.choices ?? 0;
  }

  get evaluations(): number {
    return this.#evaluations;
  }

  get choices(): number {
    return this.#choices;
  }

  get pace(): Pace {
    return this.#pace;
  }

  /** The individuals that were tried last: one generation. */
  get latest(): readonly string[] {
    return this.#latest;
  }

  /** The best on the training set of all that were tried in this sitting. */
  get leading(): Scored | undefined {
    return this.#leading;
  }

  get counts(): TrialsCounts {
    const { evaluations, outcomes, fates, choices, repeated } = this;
    return { evaluations, outcomes, fates, choices, repeated };
  }

  /** What was learned since the last time. */
  takeLearned(): Learned {
    const { programs, chosen } = this.#taken;
    this.#taken = { programs: this.#known.size, chosen: this.#chosen.size };
    return {
      programs: this.#known.entries().drop(programs).toArray(),
      chosen: this.#chosen.entries().drop(chosen).toArray(),
    };
  }

  /** The scores of programs on the training set, in order; null where there is none. */
  async tryAll(individuals: readonly Individual[]): Promise<readonly (number | null)[]> {
    const { random, problem, signal } = this.#parts;
    const hostile = new Map<string, HostileName>();
    for (const { id } of individuals)
      if (random.next() < hostileShare) hostile.set(id, random.pick(hostileNames));
    const fresh = new Map<string, Individual>();
    const copies: Individual[] = [];
    for (const individual of individuals) {
      const { code, id } = individual;
      if (hostile.has(id)) continue;
      if (!this.#known.has(code) && !fresh.has(code)) fresh.set(code, individual);
      else copies.push(individual);
    }
    const toTry = individuals.filter(({ id, code }) => hostile.has(id) || fresh.get(code)?.id === id);
    this.#pace = { generation: individuals[0]?.generation ?? 0, tried: 0, toTry: toTry.length };
    const onFinal: Terms["onFinal"] = (individual, result) => this.#count(individual, result, hostile);
    for (let at = 0; at < toTry.length && !signal.aborted;) {
      const some = toTry.slice(at, at + this.#batch);
      await this.#evaluate(some, problem.train, { hostile, fuel: problem.trainFuel, onFinal });
      at += some.length;
      this.#batch = Math.min(aliveMax, this.#batch * 2);
    }
    if (!signal.aborted) for (const copy of copies) this.#remember(copy);
    this.#latest = individuals.map(({ id }) => id);
    return individuals.map(({ code, id }) => (hostile.has(id) ? null : (this.#known.get(code) ?? null)));
  }

  /** The scores of programs on the set by which the result is chosen, in order. */
  async chooseAll(individuals: readonly Scored[]): Promise<readonly (number | null)[]> {
    const { choose } = this.#parts.problem;
    if (choose === undefined) return individuals.map(({ score }) => score);
    const fresh = new Map<string, Individual>();
    for (const individual of individuals)
      if (!this.#chosen.has(individual.code)) fresh.set(individual.code, choiceOf(individual));
    const scores = new Map(individuals.map((one) => [choiceOf(one).id, one.score]));
    // All scores that are recorded are of the training set, so that they can be compared.
    const fitness: FitnessFunction = async (candidate, trial) => {
      const score = await choose(candidate, trial);
      const chosen = typeof score === "number" ? score : score.score;
      return { score: scores.get(candidate.id) ?? chosen, components: { chosen } };
    };
    await this.#evaluate([...fresh.values()], fitness, {
      onFinal: ({ code }, result) => {
        this.#evaluations++;
        this.#choices++;
        this.#chosen.set(code, result.ok ? (result.components["chosen"] ?? null) : null);
      },
    });
    return individuals.map(({ code }) => this.#chosen.get(code) ?? null);
  }

  #count(individual: Individual, result: BatchEvaluation, hostile: ReadonlyMap<string, HostileName>): void {
    this.#evaluations++;
    this.#pace = { ...this.#pace, tried: this.#pace.tried + 1 };
    const how = result.ok ? "ok" : result.error.kind;
    const kind = hostile.get(individual.id);
    if (kind !== undefined) return count((this.fates[kind] ??= {}), how);
    count(this.outcomes, how);
    this.#known.set(individual.code, result.ok ? result.score : null);
    if (!result.ok) return;
    const scored = { ...individual, score: result.score };
    if (this.#leading === undefined || byFitness(scored, this.#leading) < 0) this.#leading = scored;
  }

  // Repeats evaluations that failed without fault of the program, so that a seed gives the same program on any machine.
  async #evaluate(individuals: readonly Individual[], fitness: FitnessFunction, how: Terms): Promise<void> {
    const { signal } = this.#parts;
    let left = individuals;
    for (let attempt = 1; left.length > 0 && attempt <= attemptsMax; attempt++) {
      const again = new Set<string>();
      const refusal = await this.#evaluateOnce(left, fitness, {
        ...how,
        onFinal: (individual, result) => {
          const kind = result.ok ? "ok" : result.error.kind;
          // What was interrupted has no result.
          if (kind === "cancelled" && signal.aborted) return;
          const isUnearned = unearned.has(kind) && how.hostile?.has(individual.id) !== true;
          if (isUnearned) count(this.repeated, kind);
          if (isUnearned && attempt < attemptsMax) again.add(individual.id);
          else how.onFinal(individual, result);
        },
      });
      if (signal.aborted) return;
      if (attempt === attemptsMax && refusal !== undefined) throw refusal;
      left = left.filter(({ id }) => again.has(id));
    }
  }

  /** One attempt; returns why the machine refused to create one of them, if it did. */
  async #evaluateOnce(
    individuals: readonly Individual[],
    fitness: FitnessFunction,
    how: Terms,
  ): Promise<VivariumError | undefined> {
    const { runtime, problem, tracker, signal, onProgress } = this.#parts;
    const { modules, limits, toProgram } = problem;
    const specs = individuals.map(({ id, code, parentIds, generation, mutation }) => {
      const kind = how.hostile?.get(id);
      const candidate = kind === undefined ? toProgram(code) : poison(toProgram(code), kind);
      const ancestry = { parentIds, generation, mutation: kind ?? mutation };
      return { id, modules: { ...modules, candidate }, limits, ancestry, labels };
    });
    const ids = specs.map(({ id }) => id);
    const created = await runtime.batch.create(specs, { signal });
    const refused = created.find((result) => !result.ok && !ofCode.has(result.error.code));
    const byId = new Map(individuals.map((individual) => [individual.id, individual]));
    const born = individuals.filter((_, index) => created[index]?.ok === true);
    joinIslands(
      tracker,
      born.filter(({ id }) => !isChoice(id)),
    );
    const batch = runtime.batch.evaluate(ids, fitness, {
      signal,
      ...(how.fuel === undefined ? {} : { fuel: how.fuel }),
    });
    for await (const result of batch) {
      const individual = byId.get(result.sandboxId);
      if (individual !== undefined) how.onFinal(individual, result);
      onProgress();
    }
    await runtime.batch.destroy(ids);
    return refused?.ok === false ? refused.error : undefined;
  }

  // It is the same program as another: it need not be run, but it is recorded as an individual.
  #remember(individual: Individual): void {
    const { id, code, parentIds, generation, mutation } = individual;
    const { tracker, problem } = this.#parts;
    const { modules, toProgram } = problem;
    const sources = { ...modules, candidate: toProgram(code) };
    tracker.lineage.born({ id, parentIds, generation, mutation, checksum: code, sources });
    const score = this.#known.get(code) ?? null;
    if (score !== null) tracker.fitness.record({ id, score, result: "ok", evaluatedAt: Date.now() });
    joinIslands(tracker, [individual]);
    tracker.lineage.died(id);
  }
}

function count(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
