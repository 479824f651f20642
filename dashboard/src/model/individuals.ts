// Every individual that is known, living or dead, as rows in the order of their births. A row is never moved, so that a view may
// keep its number until the table is cleared.
import type { IndividualEntry } from "../../../src/contract/evolution-bodies.ts";
import { Column } from "../../../src/evolution/table/column.ts";
import { Names } from "./names.ts";
import { isPopulation } from "./populations.ts";
import type { Birth, Evaluated } from "./told.ts";

const states = ["awaited", "living", "dead"] as const;
export type IndividualState = (typeof states)[number];
const noPopulation = "";
const nobody = new Int32Array();

export class Individuals {
  direction: "maximise" | "minimise" = "maximise";
  /** Grows with every change, so that a view computes nothing twice. */
  changed = 0;
  #ids: string[] = [];
  #rows = new Map<string, number>();
  #parents: (readonly number[])[] = [];
  #children: number[][] = [];
  #components = new Map<number, Readonly<Record<string, number>>>();
  readonly #state = new Column("byte");
  readonly #generation = new Column("int");
  readonly #score = new Column("float", Number.NaN);
  // A document that others wrote may have any number of kinds.
  readonly #result = new Column("int");
  readonly #population = new Column("int");
  readonly #evaluatedAt = new Column("float", Number.NaN);
  readonly #evaluationMs = new Column("float", Number.NaN);
  readonly #results = new Names(["none", "ok"]);
  readonly #populations = new Names([noPopulation]);
  #componentNames = new Set<string>();
  /** Rows that a page told: another entry of their id is of another individual. */
  readonly #isPaged = new Column("byte");
  /** The greatest time of an evaluation that was counted. */
  readonly #countedAt = new Column("float", Number.NaN);
  /** Ids of which there are several individuals. */
  #usedAgain = new Set<string>();
  #best = -1;
  /** The best got worse: who it is now is found when somebody asks, as that takes a look at all. */
  #isBestInDoubt = false;
  #generationMax = -1;
  #scored = 0;
  #evaluated = 0;

  get size(): number {
    return this.#ids.length;
  }

  /** How many have a score, and how many were evaluated at all. */
  get counts(): { readonly scored: number; readonly evaluated: number } {
    return { scored: this.#scored, evaluated: this.#evaluated };
  }

  /** The latest generation; -1 before the first. */
  get generationMax(): number {
    return this.#generationMax;
  }

  /** The row of the best; -1 where nobody has a score. Of equals the first. */
  get best(): number {
    if (!this.#isBestInDoubt) return this.#best;
    this.#isBestInDoubt = false;
    return (this.#best = this.#findBest());
  }

  /** The names of populations, in the order in which they came. */
  get populations(): readonly string[] {
    return this.#populations.list.filter((name) => name !== noPopulation);
  }

  /** The names of what scores are made of. */
  get componentNames(): readonly string[] {
    return [...this.#componentNames];
  }

  /** The results that occurred: `none`, `ok` and kinds of failure. */
  get results(): readonly string[] {
    return this.#results.list;
  }

  /** The row of the latest individual of an id. */
  find(id: string): number | undefined {
    return this.#rows.get(id);
  }

  id(row: number): string {
    return this.#ids[row] ?? "";
  }

  generation(row: number): number {
    return this.#generation.get(row);
  }

  /** Whether there are several individuals of this id. */
  isUsedAgain(id: string): boolean {
    return this.#usedAgain.has(id);
  }

  /** Whether a page has told of it. */
  isPaged(row: number): boolean {
    return this.#isPaged.get(row) === 1;
  }

  /** NaN where it has none. */
  score(row: number): number {
    return this.#score.get(row);
  }

  result(row: number): string {
    return this.#results.name(this.#result.get(row));
  }

  state(row: number): IndividualState {
    return states[this.#state.get(row)] ?? "awaited";
  }

  /** Null where none was named. */
  population(row: number): string | null {
    return this.#populations.name(this.#population.get(row)) || null;
  }

  /** The place of its population in `populations`; -1 where it has none. */
  populationNumber(row: number): number {
    return this.#population.get(row) - 1;
  }

  /** NaN before its first evaluation. */
  evaluatedAt(row: number): number {
    return this.#evaluatedAt.get(row);
  }

  evaluationMs(row: number): number {
    return this.#evaluationMs.get(row);
  }

  components(row: number): Readonly<Record<string, number>> {
    return this.#components.get(row) ?? {};
  }

  parents(row: number): readonly number[] {
    return this.#parents[row] ?? [];
  }

  children(row: number): readonly number[] {
    return this.#children[row] ?? [];
  }

  /** From a seed, by first parents, to this one. */
  path(row: number): readonly number[] {
    // A set, as a document that was written by others may have a circle.
    const path = new Set<number>();
    for (let at: number | undefined = row; at !== undefined && !path.has(at); at = this.#parents[at]?.[0])
      path.add(at);
    return [...path].toReversed();
  }

  /** Whether a score is better than another; any is better than none. */
  isBetter(score: number, than: number): boolean {
    if (Number.isNaN(score)) return false;
    if (Number.isNaN(than)) return true;
    return this.direction === "maximise" ? score > than : score < than;
  }

  /** Adds what a page says of an individual, or replaces what was known of it. True where its evaluation was not known. */
  put(entry: IndividualEntry): boolean {
    const known = this.#rows.get(entry.id);
    const isAnother = known !== undefined && this.isPaged(known);
    const row = known === undefined || isAnother ? this.#add(entry.id) : known;
    this.#isPaged.set(row, 1);
    this.#connect(row, entry.parentIds, known);
    this.#setGeneration(row, entry.generation);
    this.#state.set(row, states.indexOf(entry.state));
    this.#setPopulation(row, entry.population);
    if (entry.result === "none") return false;
    return this.evaluated(row, {
      score: entry.score,
      result: entry.result,
      components: entry.components,
      at: entry.evaluatedAt ?? Number.NaN,
      durationMs: entry.evaluationMs,
      population: entry.population,
    });
  }

  /** A birth. The id of a dead one may be used again; told twice, it is one. */
  born({ id, parentIds, generation }: Birth): number {
    const known = this.#rows.get(id);
    const row = known === undefined || this.state(known) === "dead" ? this.#add(id) : known;
    this.#connect(row, parentIds, known);
    this.#setGeneration(row, generation);
    this.#state.set(row, states.indexOf("living"));
    return row;
  }

  /** It is a member of this population from now on. */
  joined(row: number, population: string | null): void {
    this.changed++;
    this.#setPopulation(row, population);
  }

  died(id: string): void {
    this.changed++;
    const row = this.#rows.get(id);
    if (row !== undefined) this.#state.set(row, states.indexOf("dead"));
  }

  /** The latest evaluation takes the place of an earlier one. False where it was known already. */
  evaluated(row: number, { score, result, components, at, durationMs, population }: Evaluated): boolean {
    // An event that comes late tells an evaluation before the one that a page told: that one is counted.
    const isKnown = this.result(row) !== "none" && !(at > this.#countedAt.get(row));
    if (!isKnown) this.#countedAt.set(row, at);
    if (this.result(row) === "none") this.#evaluated++;
    this.#result.set(row, this.#results.number(result));
    this.#evaluatedAt.set(row, at);
    this.#evaluationMs.set(row, durationMs ?? Number.NaN);
    this.#setPopulation(row, population);
    const names = Object.keys(components);
    if (names.length > 0) this.#components.set(row, components);
    for (const name of names) this.#componentNames.add(name);
    this.setScore(row, score ?? Number.NaN);
    return !isKnown;
  }

  setScore(row: number, score: number): void {
    this.changed++;
    const before = this.score(row);
    this.#scored += Number(!Number.isNaN(score)) - Number(!Number.isNaN(before));
    this.#score.set(row, score);
    if (this.#isBestInDoubt) return;
    if (row === this.#best) this.#isBestInDoubt = !Object.is(before, score) && !this.isBetter(score, before);
    else if (this.#best < 0 ? !Number.isNaN(score) : this.isBetter(score, this.score(this.#best)))
      this.#best = row;
  }

  clear(): void {
    this.changed++;
    this.#ids = [];
    this.#rows = new Map();
    this.#usedAgain = new Set();
    this.#parents = [];
    this.#children = [];
    this.#components = new Map();
    this.#componentNames = new Set();
    const small = [this.#state, this.#generation, this.#score, this.#result, this.#population, this.#isPaged];
    for (const column of [...small, this.#countedAt, this.#evaluatedAt, this.#evaluationMs])
      column.keep(nobody);
    [this.#best, this.#generationMax, this.#scored, this.#evaluated] = [-1, -1, 0, 0];
    this.#isBestInDoubt = false;
  }

  #add(id: string): number {
    if (this.#rows.has(id)) this.#usedAgain.add(id);
    const row = this.#ids.push(id) - 1;
    this.#rows.set(id, row);
    this.#parents.push([]);
    this.#children.push([]);
    return row;
  }

  // A parent that was not told of yet has a row of its own, as one that is awaited. Nobody is its own parent: of the same id it can
  // only be the one before, and where there was none, it is not known.
  #connect(row: number, parentIds: readonly string[], before: number | undefined): void {
    if (this.parents(row).length > 0 || parentIds.length === 0) return;
    const own = this.id(row);
    const parents = parentIds.flatMap((id) => {
      if (id !== own) return this.#rows.get(id) ?? this.#add(id);
      return before === undefined || before === row ? [] : before;
    });
    this.#parents[row] = [...new Set(parents)];
    for (const parent of this.#parents[row] ?? []) this.#children[parent]?.push(row);
  }

  #setGeneration(row: number, generation: number): void {
    this.changed++;
    this.#generation.set(row, generation);
    this.#generationMax = Math.max(this.#generationMax, generation);
  }

  #setPopulation(row: number, population: string | null): void {
    if (isPopulation(population)) this.#population.set(row, this.#populations.number(population));
  }

  #findBest(): number {
    let best = -1;
    for (let row = 0; row < this.size; row++) {
      const score = this.score(row);
      if (best < 0 ? !Number.isNaN(score) : this.isBetter(score, this.score(best))) best = row;
    }
    return best;
  }
}
