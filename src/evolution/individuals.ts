// Every individual that is remembered, living or dead, as rows of one table. The living have details beside their row;
// of the dead the row is left, and at the bound the oldest of them are forgotten.
import { InvalidOptionsError } from "../model/errors.ts";
import { show } from "../model/show.ts";
import { Column } from "./column.ts";
import { Edges } from "./edges.ts";
import type { Details, FitnessResult, IndividualRow, TableListener } from "./individual-row.ts";

const states: Readonly<Record<IndividualRow["state"], number>> = { awaited: 0, living: 1, dead: 2 };

/** How many are forgotten together at the bound, as a share of it. */
const forgottenShare = 0.1;

export class Individuals {
  readonly #max: number;
  readonly #mutationBytesMax: number;
  #ids: string[] = [];
  #rows = new Map<string, number>();
  readonly #state = new Column("byte", states.awaited);
  readonly generation: Column = new Column("int");
  readonly depth: Column = new Column("int");
  readonly score: Column = new Column("float", Number.NaN);
  readonly #result = new Column("byte");
  readonly revision: Column = new Column("int");
  readonly evaluatedAt: Column = new Column("float");
  readonly edges: Edges = new Edges();
  #details = new Map<number, Details>();
  #mutations = new Map<number, unknown>();
  readonly #results: FitnessResult[] = ["none", "ok"];
  #living = 0;
  #forgotten = 0;
  listener: TableListener | undefined;

  constructor(bounds: { readonly individualsMax: number; readonly mutationBytesMax: number }) {
    this.#max = bounds.individualsMax;
    this.#mutationBytesMax = bounds.mutationBytesMax;
  }

  get size(): number {
    return this.#ids.length;
  }

  get living(): number {
    return this.#living;
  }

  get forgotten(): number {
    return this.#forgotten;
  }

  /** What rows, edges and details take, without the texts of ids. */
  get bytes(): number {
    const columns = [this.#state, this.generation, this.depth, this.score, this.#result, this.revision];
    return [...columns, this.evaluatedAt].reduce((sum, column) => sum + column.bytes, this.edges.bytes);
  }

  find(id: string): number | undefined {
    return this.#rows.get(id);
  }

  require(id: string): number {
    const row = this.#rows.get(id);
    if (row !== undefined) return row;
    throw new InvalidOptionsError(
      `Cannot find individual ${show(id)} as it must be one that was born or evaluated: it is not known`,
      "id",
    );
  }

  idOf(row: number): string {
    return this.#ids[row] as string; // Rows come from this table; a check of each would cost time.
  }

  isLiving(row: number): boolean {
    return this.#state.get(row) === states.living;
  }

  /** Whether the individual that had this id last is dead. */
  isDead(id: string): boolean {
    const row = this.#rows.get(id);
    return row !== undefined && this.#state.get(row) === states.dead;
  }

  isAwaited(row: number): boolean {
    return this.#state.get(row) === states.awaited;
  }

  /** The details of the living individual of an id. */
  livingOf(id: string): Details | undefined {
    const row = this.#rows.get(id);
    return row === undefined ? undefined : this.#details.get(row);
  }

  /** Says which sandbox the living individual of an id is; what is known of it stays. */
  identify(id: string, { createdAt, checksum }: Pick<Details, "createdAt" | "checksum">): void {
    const row = this.require(id);
    const details = this.#details.get(row);
    if (details === undefined) return;
    const known = { createdAt: details.createdAt ?? createdAt, checksum: details.checksum ?? checksum };
    if (known.createdAt === details.createdAt && known.checksum === details.checksum) return;
    Object.assign(details, known);
    this.listener?.changed(row);
  }

  detailsOf(row: number): Details | undefined {
    return this.#details.get(row);
  }

  mutationOf(row: number): unknown {
    return this.#mutations.get(row) ?? null;
  }

  resultOf(row: number): FitnessResult {
    return this.#results[this.#result.get(row)] ?? "none";
  }

  setResult(row: number, result: FitnessResult): void {
    const known = this.#results.indexOf(result);
    this.#result.set(row, known >= 0 ? known : this.#results.push(result) - 1);
  }

  /** The row of an id, made when there is none: an individual may be named before its birth is reported. */
  rowFor(id: string): number {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    this.makeRoom(1);
    const row = this.#add(id);
    this.listener?.added(row);
    return row;
  }

  /** Removes the oldest dead individuals where this many more would exceed the bound; rows then move. */
  makeRoom(count: number): void {
    if (this.#ids.length + count > this.#max) this.#forgetOldest(count);
  }

  /** Adds an individual. The id of a dead one may be used again; the dead one keeps its row but is no longer found by its id. */
  bear(id: string, checksum: string | null, mutation: unknown): number {
    const known = this.#rows.get(id);
    if (known !== undefined && this.isLiving(known)) {
      throw new InvalidOptionsError(
        `Cannot bear individual ${show(id)} as it must not be living: it is`,
        "id",
      );
    }
    if (known !== undefined && this.#state.get(known) === states.dead) this.#rows.delete(id);
    const row = this.rowFor(id);
    if (row === known) this.listener?.bornLate(row);
    this.#state.set(row, states.living);
    this.#living++;
    this.#details.set(row, { checksum, createdAt: null, components: {}, adjustments: [] });
    if (mutation !== null && mutation !== undefined) this.#mutations.set(row, mutation);
    return row;
  }

  /** A living individual has other code from now on. */
  mutate(row: number, checksum: string | null, mutation: unknown): void {
    const details = this.#details.get(row);
    if (details !== undefined) details.checksum = checksum;
    if (mutation === null || mutation === undefined) this.#mutations.delete(row);
    else this.#mutations.set(row, mutation);
    this.listener?.changed(row);
  }

  /** Of the dead only the row is left, and a mutation record that is short. */
  archive(row: number): void {
    if (!this.isLiving(row)) return;
    this.#state.set(row, states.dead);
    this.#living--;
    this.#details.delete(row);
    const mutation = this.#mutations.get(row);
    if (mutation !== undefined && JSON.stringify(mutation).length > this.#mutationBytesMax)
      this.#mutations.delete(row);
    this.listener?.changed(row);
  }

  /** Everything that is known of an individual but its parents. */
  describe(row: number): IndividualRow {
    const {
      checksum = null,
      createdAt = null,
      components = {},
      adjustments = [],
    } = this.#details.get(row) ?? {};
    return {
      id: this.idOf(row),
      state: this.isLiving(row) ? "living" : this.isAwaited(row) ? "awaited" : "dead",
      generation: this.generation.get(row),
      depth: this.depth.get(row),
      score: this.score.get(row),
      result: this.resultOf(row),
      revision: this.revision.get(row),
      evaluatedAt: this.evaluatedAt.get(row),
      mutation: this.mutationOf(row),
      checksum,
      createdAt,
      components,
      adjustments,
    };
  }

  /** Adds an individual as it was described. The latest one of an id is found by it. */
  restore(given: IndividualRow): number {
    this.makeRoom(1);
    const row = this.#add(given.id);
    const { checksum, createdAt, components, adjustments, mutation } = given;
    this.#state.set(row, states[given.state]);
    this.generation.set(row, given.generation);
    this.depth.set(row, given.depth);
    this.score.set(row, given.score);
    this.setResult(row, given.result);
    this.revision.set(row, given.revision);
    this.evaluatedAt.set(row, given.evaluatedAt);
    if (mutation !== null) this.#mutations.set(row, mutation);
    if (given.state !== "living") return row;
    this.#living++;
    this.#details.set(row, { checksum, createdAt, components, adjustments });
    return row;
  }

  /** So many were forgotten before the first of these rows. */
  restoreForgotten(count: number): void {
    this.#forgotten += count;
  }

  #add(id: string): number {
    const row = this.#ids.push(id) - 1;
    this.#rows.set(id, row);
    return row;
  }

  // In one go for many, so that a birth costs the same at the bound as before it.
  #forgetOldest(count: number): void {
    const kept: number[] = [];
    let toForget = Math.max(count, Math.ceil(this.#max * forgottenShare));
    for (let row = 0; row < this.#ids.length; row++) {
      if (toForget > 0 && this.#state.get(row) !== states.living) toForget--;
      else kept.push(row);
    }
    if (kept.length + count > this.#max) {
      const rule = `at most individualsMax, ${this.#max}, must be living`;
      throw new InvalidOptionsError(
        `Cannot remember another individual as ${rule}: all are`,
        "individualsMax",
      );
    }
    const size = this.#ids.length;
    this.#forgotten += size - kept.length;
    const rows = Int32Array.from(kept);
    this.#keep(rows);
    this.listener?.kept(rows, size);
  }

  #keep(kept: Int32Array): void {
    const places = new Column("int", -1);
    for (const [place, row] of kept.entries()) places.set(row, place);
    this.edges.keep(places);
    for (const column of [
      this.#state,
      this.generation,
      this.depth,
      this.score,
      this.#result,
      this.revision,
      this.evaluatedAt,
    ])
      column.keep(kept);
    this.#ids = Array.from(kept, (row) => this.idOf(row));
    this.#rows = moved(this.#rows.entries(), (id, row) => [id, places.get(row)]);
    this.#details = moved(this.#details.entries(), (row, details) => [places.get(row), details]);
    this.#mutations = moved(this.#mutations.entries(), (row, record) => [places.get(row), record]);
    for (const [id, row] of this.#rows) if (row < 0) this.#rows.delete(id);
    this.#mutations.delete(-1);
  }
}

function moved<A, B, K, V>(entries: Iterable<[A, B]>, move: (a: A, b: B) => [K, V]): Map<K, V> {
  const map = new Map<K, V>();
  for (const [a, b] of entries) map.set(...move(a, b));
  return map;
}
