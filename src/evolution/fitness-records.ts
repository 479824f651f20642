// The latest fitness of each individual, and the order that it gives. A failure is never a score.
import {
  evaluationFailureKinds,
  isReason,
  messageLengthMax,
  reasonRule,
  testsRememberedMax,
  type Components,
  type TestResult,
} from "../model/fitness.ts";
import { InvalidOptionsError } from "../model/errors.ts";
import { fields, integer, list, number, readGiven, refuseOption, required, unread } from "../model/schema.ts";
import { show } from "../model/show.ts";
import type { FitnessResult } from "./table/individual-row.ts";
import type { Individuals } from "./table/individuals.ts";
import { firstWhere } from "./bisection.ts";
import { paretoFronts, type Direction, type ParetoEntry } from "./pareto.ts";
import { statisticsOf, type FitnessStatistics } from "./statistics.ts";

/** The result of one evaluation. */
export interface FitnessEntry {
  readonly id: string;
  /** Null for an evaluation that failed. */
  readonly score: number | null;
  /** `ok`, or how it failed. */
  readonly result: FitnessResult;
  readonly components?: Components;
  /** The results of its tests; the first 100 are remembered. */
  readonly tests?: readonly TestResult[];
  /** Why there is no score, in words; the first 2,000 characters are remembered. */
  readonly message?: string | null;
  readonly revision?: number;
  readonly evaluatedAt?: number;
  /** How long the evaluation took. */
  readonly evaluationMs?: number;
}

/** What is known of one individual's fitness. Of the dead, what beside the score had to make room is empty. */
export interface FitnessRecord extends Required<FitnessEntry> {
  readonly generation: number;
  /** What was added to the score since, and why. */
  readonly adjustments: readonly { readonly delta: number; readonly reason: string }[];
}

export interface Ranked {
  readonly id: string;
  readonly score: number;
}

/** Something that was added to a score, and what came of it. */
export interface Adjustment {
  readonly id: string;
  readonly delta: number;
  readonly score: number;
  readonly reason: string;
}

/** How many adjustments of one individual are remembered; the latest are. */
const adjustmentsMax = 100;

const whole = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const finite = number({ isFinite: true });
const generationOnly = fields({ generation: required(whole) });
const listed = list(unread);
const entryNames = [
  ...(["id", "score", "result", "components", "tests", "message"] as const),
  ...(["revision", "evaluatedAt", "evaluationMs"] as const),
];

export class FitnessRecords {
  readonly #table: Individuals;
  readonly #direction: Direction;
  readonly #report: (adjustment: Adjustment) => void;

  /** @internal A `Tracker` makes it. */
  constructor(table: Individuals, direction: Direction, report: (adjustment: Adjustment) => void = () => {}) {
    this.#table = table;
    this.#direction = direction;
    this.#report = report;
  }

  /** Takes the place of what was known before. */
  record(entry: FitnessEntry): void {
    readGiven(entry ?? null, "entry", entryNames);
    const { id, score, result, components = {}, tests = [], message = null } = entry;
    const { revision = 0, evaluatedAt = 0, evaluationMs = 0 } = entry;
    whole.read(revision, "entry.revision");
    finite.read(evaluatedAt, "entry.evaluatedAt");
    finite.read(evaluationMs, "entry.evaluationMs");
    listed.read(tests, "entry.tests");
    if (message !== null && typeof message !== "string")
      throw refuseOption({ verb: "use", path: "entry.message", rule: "a text or null", got: message });
    checkNumbers(components, "entry.components");
    if (score !== null && !Number.isFinite(score)) {
      throw new InvalidOptionsError(
        `Cannot record the fitness of ${show(id)} as its score must be a finite number or null: got ${score}`,
        "score",
      );
    }
    if ((score === null) === (result === "ok") || result === "none") {
      const rule = "a score must come with a result, and ok with a score";
      throw new InvalidOptionsError(
        `Cannot record the fitness of ${show(id)} as ${rule}: got ${score} and ${result}`,
        "result",
      );
    }
    if (result !== "ok" && !Object.hasOwn(evaluationFailureKinds, result)) {
      const rule = "ok, or one of evaluationFailureKinds";
      throw refuseOption({ verb: "use", path: "result", rule, got: result });
    }
    const row = this.#table.rowFor(id);
    this.#table.score.set(row, score ?? Number.NaN);
    this.#table.result.set(row, result);
    this.#table.revision.set(row, revision);
    this.#table.evaluatedAt.set(row, evaluatedAt);
    this.#table.evaluationMs.set(row, evaluationMs);
    this.#table.updateDetails(row, {
      components,
      tests: tests.slice(0, testsRememberedMax),
      message: message?.slice(0, messageLengthMax) ?? null,
      adjustments: [],
    });
    this.#table.listener?.changed(row);
  }

  /** Undefined for one that was never evaluated. */
  get(id: string): FitnessRecord | undefined {
    const table = this.#table;
    const row = table.find(id);
    const result = row === undefined ? "none" : table.result.get(row);
    if (row === undefined || result === "none") return undefined;
    const score = table.score.get(row);
    const details = table.detailsOf(row);
    return {
      id,
      score: Number.isNaN(score) ? null : score,
      result,
      components: details?.components ?? {},
      tests: details?.tests ?? [],
      message: details?.message ?? null,
      revision: table.revision.get(row),
      evaluatedAt: table.evaluatedAt.get(row),
      evaluationMs: table.evaluationMs.get(row),
      generation: table.generation.get(row),
      adjustments: details?.adjustments ?? [],
    };
  }

  /** Adds to a score, as monitoring may after the evaluation; returns the new one. Every followed runtime emits it. */
  adjust(id: string, delta: number, reason: string): number {
    const row = this.#table.require(id);
    if (!isReason(reason)) {
      throw new InvalidOptionsError(
        `Cannot adjust the fitness of ${show(id)} as its reason must be ${reasonRule}: got ${show(reason)}`,
        "reason",
      );
    }
    const score = this.#table.score.get(row) + delta;
    if (!Number.isFinite(score)) {
      throw new InvalidOptionsError(
        `Cannot adjust the fitness of ${show(id)} as the sum must be a finite number: got ${score}`,
        "delta",
      );
    }
    this.#table.score.set(row, score);
    const before = this.#table.detailsOf(row)?.adjustments ?? [];
    const adjustments = [...before, { delta, reason }].slice(-adjustmentsMax);
    this.#table.updateDetails(row, { adjustments });
    this.#table.listener?.changed(row);
    this.#report({ id, delta, score, reason });
    return score;
  }

  /** Those that have a score, the best first; equals in the order given. */
  rank(ids: Iterable<string>): readonly Ranked[] {
    const scored: Ranked[] = [];
    for (const id of ids) {
      const row = this.#table.find(id);
      const score = row === undefined ? Number.NaN : this.#table.score.get(row);
      if (!Number.isNaN(score)) scored.push({ id, score });
    }
    const sign = this.#sign;
    return scored.sort((a, b) => (b.score - a.score) * sign);
  }

  /** The best `count` of all that are remembered, or of these. */
  top(count: number, ids?: Iterable<string>): readonly Ranked[] {
    required(whole).read(count, "count");
    if (ids !== undefined) return this.rank(ids).slice(0, count);
    const best = new BestRows(count, (row) => this.#table.score.get(row) * this.#sign);
    for (let row = 0; row < this.#table.size; row++)
      if (!Number.isNaN(this.#table.score.get(row))) best.offer(row);
    return best.rows.map((row) => ({ id: this.#table.idOf(row), score: this.#table.score.get(row) }));
  }

  /** Statistics of all that are remembered, of a generation, or of these. */
  statistics(of: { readonly generation: number } | Iterable<string> | "all" = "all"): FitnessStatistics {
    // Each once: an id named twice is still one individual.
    const named = typeof of === "object" && Symbol.iterator in of ? new Set(of) : undefined;
    const scores = new Float64Array(named?.size ?? this.#table.size);
    let [scored, failed] = [0, 0];
    const add = (row: number): void => {
      const score = this.#table.score.get(row);
      if (!Number.isNaN(score)) scores[scored++] = score;
      else if (this.#table.result.get(row) !== "none") failed++;
    };
    if (named === undefined) {
      if (typeof of === "string" && of !== "all")
        throw refuseOption({ verb: "use", path: "of", rule: '"all", { generation } or ids', got: of });
      const { generation } = of === "all" ? {} : generationOnly.read(of, "of");
      for (let row = 0; row < this.#table.size; row++)
        if (generation === undefined || this.#table.generation.get(row) === generation) add(row);
    } else {
      for (const id of named) {
        const row = this.#table.find(id);
        if (row !== undefined) add(row);
      }
    }
    return statisticsOf(scores.subarray(0, scored), failed);
  }

  /** The weighted sum of components, for those living that have all of them. */
  composite(ids: Iterable<string>, weights: Components): readonly Ranked[] {
    checkNumbers(weights, "weights");
    const factors = Object.values(weights);
    const scored = this.#withComponents(ids, Object.keys(weights)).map(({ id, values }) => {
      const score = values.reduce((sum, value, index) => sum + value * (factors[index] ?? 0), 0);
      return { id, score };
    });
    return scored.sort((a, b) => (b.score - a.score) * this.#sign);
  }

  /** Pareto fronts over components, for those of whom all of them are known. */
  fronts(
    ids: Iterable<string>,
    objectives: Readonly<Record<string, Direction>>,
    limit?: number,
  ): readonly (readonly ParetoEntry[])[] {
    const entries = this.#withComponents(ids, Object.keys(objectives));
    return paretoFronts(entries, Object.values(objectives), limit);
  }

  get #sign(): 1 | -1 {
    return this.#direction === "maximise" ? 1 : -1;
  }

  #withComponents(ids: Iterable<string>, names: readonly string[]): ParetoEntry[] {
    const entries: ParetoEntry[] = [];
    for (const id of ids) {
      const row = this.#table.find(id);
      const components = row === undefined ? undefined : this.#table.detailsOf(row)?.components;
      const values = names.map((name) => components?.[name] ?? Number.NaN);
      if (values.every((value) => Number.isFinite(value))) entries.push({ id, values });
    }
    return entries;
  }
}

function checkNumbers(values: Components, path: string): void {
  for (const [name, value] of Object.entries(values)) required(finite).read(value, `${path}.${name}`);
}

// The best of many without sorting all: a short list in order, into which few are ever put.
class BestRows {
  readonly rows: number[] = [];
  readonly #count: number;
  readonly #worth: (row: number) => number;

  constructor(count: number, worth: (row: number) => number) {
    this.#count = count;
    this.#worth = worth;
  }

  offer(row: number): void {
    const worth = this.#worth(row);
    const last = this.rows.at(-1);
    if (this.rows.length >= this.#count && (last === undefined || worth <= this.#worth(last))) return;
    const place = firstWhere(this.rows, (other) => this.#worth(other) < worth);
    this.rows.splice(place, 0, row);
    if (this.rows.length > this.#count) this.rows.pop();
  }
}
