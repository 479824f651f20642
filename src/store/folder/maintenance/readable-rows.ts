// Reads a table of which some pages may be damaged: what stands on the others is read all the same.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { KeySpace } from "./key-space.ts";
import type { Row, RowOrder, TableName, Value } from "./tables.ts";

/** Rows that could not be read. */
export interface UnreadRows {
  readonly table: TableName;
  /** The key of the one row whose other columns cannot be read; null where not even keys can be. */
  readonly key: readonly Value[] | null;
  /** The keys between which the rows were, without these two; null: from the first, or up to the last one. */
  readonly after: readonly Value[] | null;
  readonly before: readonly Value[] | null;
  readonly reason: string;
}

// Result codes of SQLite: NOMEM and TOOBIG for a length that is nonsense, IOERR for a bad place of the disk, CORRUPT, NOTADB.
const damageCodes = [7, 10, 11, 18, 26];

/** Whether an error says that the file is damaged, and not that something else is wrong. */
export function isDamage(error: unknown): error is Error {
  const { errcode, code } = error as { readonly errcode?: number; readonly code?: string };
  if (code === "ERR_OUT_OF_RANGE") return true;
  return errcode !== undefined && damageCodes.includes(errcode & 0xff);
}

/** How many damaged places of one table are passed; what is behind the last counts as one of them. */
const damagedPlacesMax = 100_000;

interface Cursor {
  readonly key: readonly Value[] | null;
  /** The row with this very key is still to be read. */
  readonly isIncluded: boolean;
}

/** Every row that can be read, in order. `onUnread` is called for what cannot, and reading goes on behind it. */
export function* readableRows(
  database: DatabaseSync,
  order: RowOrder,
  onUnread: (unread: UnreadRows) => void,
): Generator<Row> {
  const reader = new TableReader(database, order);
  let cursor: Cursor | undefined = { key: null, isIncluded: true };
  let passed: Cursor = cursor;
  for (let places = 0; cursor !== undefined && places < damagedPlacesMax; places++) {
    try {
      for (const row of reader.rows(cursor)) {
        cursor = { key: reader.keyOf(row), isIncluded: false };
        yield row;
      }
      return;
    } catch (error) {
      if (!isDamage(error)) throw error;
      // Keys on a damaged page may be in any order: what was passed once is not read again.
      const { unread, next } = reader.passDamage(reader.later(cursor, passed), error.message);
      onUnread(unread);
      cursor = next;
      passed = next ?? passed;
    }
  }
}

class TableReader {
  readonly #order: RowOrder;
  readonly #database: DatabaseSync;
  readonly #columns: readonly string[];
  readonly #space: KeySpace;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, order: RowOrder) {
    this.#database = database;
    this.#order = order;
    this.#columns = Object.keys(order.key);
    this.#space = new KeySpace(Object.values(order.key));
  }

  keyOf(row: Row): readonly Value[] {
    return this.#columns.map((column) => row[column] ?? null);
  }

  later(one: Cursor, other: Cursor): Cursor {
    return this.#placeOf(one) < this.#placeOf(other) ? other : one;
  }

  rows(cursor: Cursor): Iterable<Row> {
    const columns = [...this.#columns, ...this.#order.columns];
    return this.#select(columns, cursor).iterate(...(cursor.key ?? [])) as Iterable<Row>;
  }

  /** What cannot be read at a cursor, and where reading goes on; undefined: there is nothing behind it. */
  passDamage(cursor: Cursor, reason: string): { readonly unread: UnreadRows; readonly next?: Cursor } {
    const { table } = this.#order;
    const next = this.#nextKey(cursor);
    if (next === "damaged") {
      const found = this.#behind(cursor);
      const before = found === undefined ? null : found.key;
      const unread = { table, key: null, after: cursor.key, before, reason };
      return found === undefined ? { unread } : { unread, next: found };
    }
    const unread = { table, key: next ?? null, after: cursor.key, before: null, reason };
    return next === undefined ? { unread } : { unread, next: { key: next, isIncluded: false } };
  }

  /** The key of the first row at a cursor; undefined: there is none. */
  #nextKey(cursor: Cursor): readonly Value[] | "damaged" | undefined {
    try {
      const row = this.#select(this.#columns, cursor, 1).get(...(cursor.key ?? [])) as Row | undefined;
      if (row === undefined) return undefined;
      const key = this.keyOf(row);
      return this.#space.placeOf(key) < this.#placeOf(cursor) ? "damaged" : key;
    } catch (error) {
      if (isDamage(error)) return "damaged";
      throw error;
    }
  }

  // Goes on in steps that double until a place can be read, and then looks for the first such place by halving.
  #behind(cursor: Cursor): Cursor | undefined {
    const from = this.#placeOf(cursor);
    const last = this.#space.size - 1n;
    const isReadable = (place: bigint): boolean =>
      this.#nextKey({ key: this.#space.keyAt(place), isIncluded: true }) !== "damaged";
    let [damaged, readable] = [from, from + 1n];
    for (let step = 1n; !isReadable(readable); step *= 2n) {
      if (readable === last) return undefined;
      damaged = readable;
      readable = from + step > last ? last : from + step;
    }
    while (readable - damaged > 1n) {
      const middle = (damaged + readable) / 2n;
      if (isReadable(middle)) readable = middle;
      else damaged = middle;
    }
    return { key: this.#space.keyAt(readable), isIncluded: true };
  }

  #placeOf({ key }: Cursor): bigint {
    return key === null ? 0n : this.#space.placeOf(key);
  }

  #select(columns: readonly string[], { key, isIncluded }: Cursor, limit?: number): StatementSync {
    const sorted = this.#columns.join(", ");
    const marks = this.#columns.map(() => "?").join(", ");
    const where = key === null ? "" : ` WHERE (${sorted}) ${isIncluded ? ">=" : ">"} (${marks})`;
    const end = limit === undefined ? "" : ` LIMIT ${limit}`;
    const sql = `SELECT ${columns.join(", ")} FROM ${this.#order.table}${where} ORDER BY ${sorted}${end}`;
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
