// Scores programs in sandboxes: one each, destroyed after one evaluation. The scores of known programs are reused.
import type { BatchEvaluation, ErrorCode, FitnessFunction, Runtime, VivariumError } from "vivarium";
import type { Tracker } from "vivarium/evolution";
import type { Individual, Scored } from "./breeding.ts";
import type { Random } from "./random.ts";
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

/** How the trials of a run ended so far. */
export interface TrialsCounts {
  readonly evaluations: number;
  /** How evaluations ended: `ok`, or why there is no score. */
  readonly outcomes: Counts;
  /** How the hostile programs ended. */
  readonly fates: Readonly<Record<string, Counts>>;
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
}

const hostileShare = 0.02;
/** How many sandboxes exist at a time. */
const aliveMax = 256;

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
  }

  get evaluations(): number {
    return this.#evaluations;
  }

  get counts(): TrialsCounts {
    const { evaluations, outcomes, fates, repeated } = this;
    return { evaluations, outcomes, fates, repeated };
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
    const { random, problem } = this.#parts;
    const hostile = new Map<string, HostileName>();
    for (const { id } of individuals)
      if (random.next() < hostileShare) hostile.set(id, random.pick(hostileNames));
    const fresh = new Map<string, Individual>();
    for (const individual of individuals) {
      const { code, id } = individual;
      if (hostile.has(id)) continue;
      if (!this.#known.has(code) && !fresh.has(code)) fresh.set(code, individual);
      else this.#remember(individual);
    }
    const toTry = [...fresh.values(), ...individuals.filter(({ id }) => hostile.has(id))];
    for (let at = 0; at < toTry.length; at += aliveMax) {
      const some = toTry.slice(at, at + aliveMax);
      const results = await this.#evaluate(some, problem.train, { hostile, fuel: problem.trainFuel });
      for (const [index, individual] of some.entries()) {
        const kind = hostile.get(individual.id);
        const result = results[index];
        const how = result === undefined ? "cancelled" : result.ok ? "ok" : result.error.kind;
        count(this.outcomes, how);
        if (kind === undefined) this.#known.set(individual.code, result?.ok === true ? result.score : null);
        else count((this.fates[kind] ??= {}), how);
      }
    }
    return individuals.map(({ code, id }) => (hostile.has(id) ? null : (this.#known.get(code) ?? null)));
  }

  /** The score of a program on the set by which the result is chosen. */
  async choose(individual: Scored): Promise<number | null> {
    const { choose } = this.#parts.problem;
    if (choose === undefined) return individual.score;
    const known = this.#chosen.get(individual.code);
    if (known !== undefined) return known;
    const [result] = await this.#evaluate([{ ...individual, id: `choice-${individual.id}` }], choose, {});
    const score = result?.ok === true ? result.score : null;
    this.#chosen.set(individual.code, score);
    return score;
  }

  // Repeats evaluations that failed without fault of the program, so that a seed gives the same program on any machine.
  async #evaluate(
    individuals: readonly Individual[],
    fitness: FitnessFunction,
    how: Terms,
  ): Promise<readonly (BatchEvaluation | undefined)[]> {
    const results = new Map<string, BatchEvaluation>();
    let left = individuals;
    for (let attempt = 1; left.length > 0 && attempt <= attemptsMax; attempt++) {
      const tried = await this.#evaluateOnce(left, fitness, how);
      for (const result of tried.results) results.set(result.sandboxId, result);
      if (attempt === 1) this.#evaluations += left.length;
      if (this.#parts.signal.aborted) break;
      if (attempt === attemptsMax && tried.refusal !== undefined) throw tried.refusal;
      left = left.filter(({ id }) => {
        const result = results.get(id);
        const kind = result?.ok === false ? result.error.kind : "ok";
        const isUnearned = unearned.has(kind) && how.hostile?.has(id) !== true;
        if (isUnearned) count(this.repeated, kind);
        return isUnearned;
      });
    }
    return individuals.map(({ id }) => results.get(id));
  }

  async #evaluateOnce(
    individuals: readonly Individual[],
    fitness: FitnessFunction,
    how: Terms,
  ): Promise<{
    readonly results: readonly BatchEvaluation[];
    readonly refusal: VivariumError | undefined;
  }> {
    const { runtime, problem, signal, onProgress } = this.#parts;
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
    const batch = runtime.batch.evaluate(ids, fitness, {
      signal,
      ...(how.fuel === undefined ? {} : { fuel: how.fuel }),
    });
    for await (const _ of batch) onProgress();
    const results = await batch;
    await runtime.batch.destroy(ids);
    return { results, refusal: refused?.ok === false ? refused.error : undefined };
  }

  // It is the same program as another: it need not be run, but it is recorded as an individual.
  #remember({ id, parentIds, generation, mutation }: Individual): void {
    this.#parts.tracker.lineage.born({ id, parentIds, generation, mutation });
    this.#parts.tracker.lineage.died(id);
  }
}

function count(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
