// Every individual that is remembered, living or dead, as rows of one table, with details and code beside their rows. At the
// bound the oldest of the dead are forgotten.
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { CodeRows, type ToldCode } from "./code-rows.ts";
import { Column } from "./column.ts";
import { DetailsTable, noDetails } from "./details.ts";
import { Edges } from "./edges.ts";
import type { Details, IndividualRow, TableBounds, TableListener } from "./individual-row.ts";
import { moved } from "./moved.ts";
import { NameColumn } from "./name-column.ts";
import { ResultColumn } from "./result-column.ts";

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
  readonly result: ResultColumn = new ResultColumn();
  readonly revision: Column = new Column("int");
  readonly evaluatedAt: Column = new Column("float");
  readonly evaluationMs: Column = new Column("float");
  readonly population: NameColumn = new NameColumn();
  readonly edges: Edges = new Edges();
  readonly code: CodeRows;
  readonly #details: DetailsTable;
  #mutations = new Map<number, unknown>();
  #living = 0;
  #forgotten = 0;
  listener: TableListener | undefined;

  constructor(bounds: TableBounds) {
    this.#max = bounds.individualsMax;
    this.#mutationBytesMax = bounds.mutationBytesMax;
    this.code = new CodeRows(bounds.sourceBytesMax, {
      size: () => this.size,
      isLiving: (row) => this.isLiving(row),
      parentsOf: (row) => this.edges.parentsOf(row),
      changed: (row) => this.listener?.changed(row),
    });
    this.#details = new DetailsTable(bounds.detailBytesMax, (row) => this.listener?.changed(row));
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

  /** What rows and edges take, without the texts of ids. */
  get bytes(): number {
    return this.#columns.reduce(
      (sum, column) => sum + column.bytes,
      this.edges.bytes + this.population.bytes,
    );
  }

  get detailBytes(): number {
    return this.#details.bytes;
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

  /** Whether the one that had this id last is dead. */
  isDead(id: string): boolean {
    const row = this.#rows.get(id);
    return row !== undefined && this.#state.get(row) === states.dead;
  }

  isAwaited(row: number): boolean {
    return this.#state.get(row) === states.awaited;
  }

  /** The living individual of an id: when its sandbox was created, and its code. */
  livingOf(id: string): { readonly createdAt: number | null; readonly checksum: string | null } | undefined {
    const row = this.#rows.get(id);
    const details = row === undefined ? undefined : this.#details.living(row);
    if (row === undefined || details === undefined) return undefined;
    return { createdAt: details.createdAt, checksum: this.code.checksumOf(row) };
  }

  /** Says which sandbox the living individual of an id is; what is known of it stays. */
  identify(id: string, { createdAt, checksum }: { readonly createdAt: number } & ToldCode): void {
    const row = this.require(id);
    const details = this.#details.living(row);
    if (details === undefined) return;
    const isCoded = this.code.checksumOf(row) !== null;
    if (details.createdAt !== null && isCoded) return;
    details.createdAt ??= createdAt;
    if (!isCoded) this.code.set(row, { checksum });
    this.listener?.changed(row);
  }

  /** Undefined where there are none, or they had to make room. */
  detailsOf(row: number): Details | undefined {
    return this.#details.get(row);
  }

  updateDetails(row: number, change: Partial<Details>): void {
    this.#details.update(row, change);
  }

  mutationOf(row: number): unknown {
    return this.#mutations.get(row) ?? null;
  }

  /** These are members of a population from now on; those that are not known stay so. */
  joined(population: string, ids: Iterable<string>): void {
    for (const row of [...ids].map((id) => this.#rows.get(id)))
      if (row !== undefined && this.population.set(row, population)) this.listener?.changed(row);
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
  bear(id: string, code: ToldCode, mutation: unknown): number {
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
    this.#details.bear(row);
    this.code.set(row, code);
    if (mutation !== null && mutation !== undefined) this.#mutations.set(row, mutation);
    return row;
  }

  /** Its parents, the first of whom gave it its code. */
  connect(row: number, parents: readonly number[]): void {
    for (const parent of parents) this.edges.add(row, parent);
    const [first] = parents;
    if (first !== undefined) this.code.parent.set(row, this.code.own.get(first));
  }

  /** A living individual has other code from now on. */
  mutate(row: number, code: ToldCode, mutation: unknown): void {
    this.code.set(row, code);
    if (mutation === null || mutation === undefined) this.#mutations.delete(row);
    else this.#mutations.set(row, mutation);
    this.listener?.changed(row);
  }

  /** Of the dead are left the row, a mutation record that is short, and for as long as there is room details and code. */
  archive(row: number): void {
    if (!this.isLiving(row)) return;
    this.#state.set(row, states.dead);
    this.#living--;
    this.#details.archive(row);
    const mutation = this.#mutations.get(row);
    if (mutation !== undefined && JSON.stringify(mutation).length > this.#mutationBytesMax)
      this.#mutations.delete(row);
    this.listener?.changed(row);
  }

  /** Everything that is known of an individual but its parents. */
  describe(row: number): IndividualRow {
    return {
      ...(this.#details.get(row) ?? noDetails),
      id: this.idOf(row),
      state: this.isLiving(row) ? "living" : this.isAwaited(row) ? "awaited" : "dead",
      generation: this.generation.get(row),
      depth: this.depth.get(row),
      score: this.score.get(row),
      result: this.result.get(row),
      revision: this.revision.get(row),
      evaluatedAt: this.evaluatedAt.get(row),
      evaluationMs: this.evaluationMs.get(row),
      population: this.population.get(row),
      mutation: this.mutationOf(row),
      code: this.code.own.get(row),
      parentCode: this.code.parent.get(row),
    };
  }

  /** Adds an individual as it was described. The latest one of an id is found by it. */
  restore(given: IndividualRow): number {
    this.makeRoom(1);
    const row = this.#add(given.id);
    const { mutation, createdAt, components, tests, message, adjustments } = given;
    this.#state.set(row, states[given.state]);
    this.generation.set(row, given.generation);
    this.depth.set(row, given.depth);
    this.score.set(row, given.score);
    this.result.set(row, given.result);
    this.revision.set(row, given.revision);
    this.evaluatedAt.set(row, given.evaluatedAt);
    this.evaluationMs.set(row, given.evaluationMs);
    this.population.set(row, given.population);
    this.code.own.set(row, given.code);
    this.code.parent.set(row, given.parentCode);
    if (mutation !== null) this.#mutations.set(row, mutation);
    const isLiving = given.state === "living";
    if (isLiving) this.#living++;
    this.#details.restore(row, { createdAt, components, tests, message, adjustments }, isLiving);
    return row;
  }

  /** So many were forgotten before the first of these rows. */
  restoreForgotten(count: number): void {
    this.#forgotten += count;
  }

  get #columns(): readonly Column[] {
    const { generation, depth, score, revision, evaluatedAt, evaluationMs } = this;
    const own = [this.#state, this.result.cells, this.code.own, this.code.parent];
    return [...own, generation, depth, score, revision, evaluatedAt, evaluationMs];
  }

  #add(id: string): number {
    this.#rows.set(id, this.#ids.push(id) - 1);
    return this.size - 1;
  }

  // In one go for many, so that a birth costs the same at the bound as before it; refused before all rows are looked at.
  #forgetOldest(count: number): void {
    if (this.#living + count > this.#max) {
      const message = `Cannot remember another individual as at most individualsMax, ${this.#max}, must be living: all are`;
      throw new InvalidOptionsError(message, "individualsMax");
    }
    const kept: number[] = [];
    let toForget = Math.max(count, Math.ceil(this.#max * forgottenShare));
    for (let row = 0; row < this.#ids.length; row++) {
      if (toForget > 0 && this.#state.get(row) !== states.living) toForget--;
      else kept.push(row);
    }
    const { size } = this;
    this.#forgotten += size - kept.length;
    const rows = Int32Array.from(kept);
    this.#keep(rows);
    this.listener?.kept(rows, size);
  }

  #keep(kept: Int32Array): void {
    const places = new Column("int", -1);
    for (const [place, row] of kept.entries()) places.set(row, place);
    this.edges.keep(places);
    for (const column of this.#columns) column.keep(kept);
    this.population.keep(kept);
    this.#ids = Array.from(kept, (row) => this.idOf(row));
    this.#rows = moved(this.#rows.entries(), (id, row) => [id, places.get(row)]);
    this.#details.move((row) => places.get(row));
    this.#mutations = moved(this.#mutations.entries(), (row, record) => [places.get(row), record]);
    for (const [id, row] of this.#rows) if (row < 0) this.#rows.delete(id);
    this.#mutations.delete(-1);
  }
}
