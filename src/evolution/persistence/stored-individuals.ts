// The rows of individuals in a store. Each has a number for good, in the order of rows: rows of the table move when others are
// forgotten.
import type { ChangedRows, RowWriter } from "../../std/row-writer.ts";
import { firstWhere } from "../bisection.ts";
import { Column } from "../table/column.ts";
import { decodeIndividual, encodeIndividual } from "./individual-codec.ts";
import type { TableListener } from "../table/individual-row.ts";
import type { Individuals } from "../table/individuals.ts";

export const individualsCollection = "tracker.individuals";
export const countersCollection = "tracker.counters";

/** A birth that was reported when its individual had a row already, and whose parents are not connected yet. */
interface LateBirth {
  readonly at: number;
  readonly number: number;
  readonly parents: readonly number[];
}

export class StoredIndividuals implements TableListener {
  readonly #table: Individuals;
  readonly #counters: ChangedRows;
  readonly #rows: ChangedRows;
  readonly #numbers = new Column("float", -1);
  /** Of those that were named before their birth: its place among the numbers. */
  #lateBirths = new Map<number, number>();
  /** In the order of their births. */
  readonly #unconnected: LateBirth[] = [];
  #next = 1;

  constructor(table: Individuals, writer: RowWriter) {
    this.#table = table;
    // First, so that no number is given twice.
    this.#counters = writer.add({
      collection: countersCollection,
      valueOf: () => ({ next: this.#next, forgotten: table.forgotten }),
    });
    this.#rows = writer.add({
      collection: individualsCollection,
      valueOf: (number) => this.#encode(number),
    });
  }

  added(row: number): void {
    this.#numbers.set(row, this.#next++);
    this.changed(row);
  }

  bornLate(row: number): void {
    this.#lateBirths.set(row, this.#next++);
  }

  changed(row: number): void {
    this.#rows.changed(this.#numbers.get(row));
  }

  kept(rows: Int32Array, size: number): void {
    const late = new Map<number, number>();
    for (let row = 0, place = 0; row < size; row++) {
      if (rows[place] !== row) {
        this.#rows.removed(this.#numbers.get(row));
        continue;
      }
      const birth = this.#lateBirths.get(row);
      if (birth !== undefined) late.set(place, birth);
      place++;
    }
    this.#lateBirths = late;
    this.#numbers.keep(rows);
    this.#counters.changed(0);
  }

  loadCounters(value: unknown): void {
    const { next, forgotten } = (value ?? {}) as Readonly<Record<string, unknown>>;
    if (Number.isSafeInteger(next)) this.#next = Math.max(this.#next, next as number);
    if (Number.isSafeInteger(forgotten)) this.#table.restoreForgotten(forgotten as number);
  }

  /** Takes a row as it was persisted; they must come in the order of their numbers. */
  load(number: number, value: unknown): void {
    this.#rows.known(number);
    this.#next = Math.max(this.#next, number + 1);
    const stored = decodeIndividual(value);
    if (stored === undefined) return;
    this.#connectBefore(number);
    const { row: described, parents, lateBirth, checksum = null } = stored;
    const { codes } = this.#table.code;
    const known = (code: number): number => (codes.has(code) ? code : 0);
    const row = this.#table.restore({
      ...described,
      code: known(described.code) || codes.note(checksum),
      parentCode: known(described.parentCode),
    });
    this.#numbers.set(row, number);
    if (lateBirth === null) return this.#connect(row, parents);
    this.#next = Math.max(this.#next, lateBirth + 1);
    this.#lateBirths.set(row, lateBirth);
    const place = firstWhere(this.#unconnected, ({ at }) => at > lateBirth);
    this.#unconnected.splice(place, 0, { at: lateBirth, number, parents });
  }

  /** All rows were loaded. */
  loaded(): void {
    this.#connectBefore(Infinity);
    this.#table.code.makeRoom();
  }

  // Children are told in the order of births: of those that were born late, before the next row that is younger.
  #connectBefore(number: number): void {
    for (
      let first = this.#unconnected[0];
      first !== undefined && first.at < number;
      first = this.#unconnected[0]
    ) {
      this.#unconnected.shift();
      const row = this.#find(first.number);
      if (row !== undefined) this.#connect(row, first.parents);
    }
  }

  // A parent that is not found was forgotten; one that comes from the row itself is named in a damaged row.
  #connect(row: number, parents: readonly number[]): void {
    if (parents.length === 0) return;
    const { edges } = this.#table;
    const below = new Set([row]);
    for (const at of below) for (const child of edges.childrenOf(at)) below.add(child);
    for (const number of parents) {
      const parent = this.#find(number);
      if (parent !== undefined && !below.has(parent)) edges.add(row, parent);
    }
  }

  #encode(number: number): Record<string, unknown> | undefined {
    const row = this.#find(number);
    if (row === undefined) return undefined;
    const parents = this.#table.edges.parentsOf(row).map((parent) => this.#numbers.get(parent));
    const lateBirth = this.#lateBirths.get(row) ?? null;
    return encodeIndividual({ row: this.#table.describe(row), parents, lateBirth });
  }

  #find(number: number): number | undefined {
    let [low, high] = [0, this.#table.size];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#numbers.get(middle) < number) low = middle + 1;
      else high = middle;
    }
    return this.#numbers.get(low) === number && low < this.#table.size ? low : undefined;
  }
}
