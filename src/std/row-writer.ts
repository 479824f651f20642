// Persists numbered rows that change faster than they can be written: what changed is collected and written in groups, one
// write at a time. What could not be written stays collected and is tried again.
import { nextTurn, type Clock, type Timer } from "./clock.ts";

/** The rows of one collection. */
export interface RowTable {
  readonly collection: string;
  /** What a row is now; undefined for one that is gone. */
  readonly valueOf: (number: number) => unknown;
  /** Called when a row is persisted as it was when it was asked for. */
  readonly onWritten?: (number: number) => void;
}

export interface RowWriterParts {
  readonly clock: Clock;
  /** Writes rows, all or none; undefined removes one. */
  readonly write: (collection: string, rows: ReadonlyMap<string, unknown>) => Promise<void>;
  /** From a change to its write, so that others join it; doubled with each failure, up to `retryMsMax`. */
  readonly delayMs: number;
  /** Called before rows are collected for a write. */
  readonly beforeWrite?: () => void;
  /** Whether no later write can succeed after this error. */
  readonly isFinal?: (error: unknown) => boolean;
}

/** The longest time between two attempts at a write that fails. */
const retryMsMax = 1_000;
/** The most rows of one write, and their length as JSON. */
const groupRowsMax = 500;
const groupBytesMax = 2 ** 20;
const keyLength = 16;

/** Numbers as keys: in the order of numbers. */
export function keyOfRow(number: number): string {
  return String(number).padStart(keyLength, "0");
}

/** The pages of a collection in the order of keys; other work has a turn before each. */
export async function* pagesOf(
  read: (collection: string, after?: string) => Promise<readonly (readonly [key: string, value: unknown])[]>,
  collection: string,
): AsyncGenerator<readonly (readonly [number: number, value: unknown])[]> {
  for (let after: string | undefined = ""; after !== undefined;) {
    await nextTurn();
    const page = await read(collection, after);
    const rows = page.map(([key, value]) => [Number(key), value] as const);
    yield rows.filter(([number]) => Number.isSafeInteger(number));
    after = page.at(-1)?.[0];
  }
}

/** The rows of a table that are still to be written. */
export class ChangedRows {
  readonly #table: RowTable;
  readonly #wake: () => boolean;
  readonly #changed = new Set<number>();
  /** Those of a write that failed. */
  #failed: readonly number[] = [];
  /** The highest number of a row that may be persisted. */
  #triedMax = -1;

  constructor(table: RowTable, wake: () => boolean) {
    this.#table = table;
    this.#wake = wake;
  }

  get size(): number {
    return this.#failed.length + this.#changed.size;
  }

  /** This row is persisted already. */
  known(number: number): void {
    this.#triedMax = Math.max(this.#triedMax, number);
  }

  changed(number: number): void {
    if (this.#wake()) this.#changed.add(number);
  }

  /** A row is gone. One that was never written needs no write. */
  removed(number: number): void {
    if (number > this.#triedMax) this.#changed.delete(number);
    else this.changed(number);
  }

  /** Writes what has changed by now, group by group. */
  async write(write: RowWriterParts["write"]): Promise<void> {
    for (let left = this.size; left > 0;) {
      const { numbers, rows } = this.#take(left);
      try {
        await write(this.#table.collection, rows);
      } catch (error) {
        this.#failed = [...numbers, ...this.#failed];
        throw error;
      }
      for (const number of numbers) this.#table.onWritten?.(number);
      left -= numbers.length;
      if (left > 0) await nextTurn();
    }
  }

  #take(countMax: number): { readonly numbers: readonly number[]; readonly rows: Map<string, unknown> } {
    const rows = new Map<string, unknown>();
    const numbers: number[] = [];
    let bytes = 0;
    for (const number of this.#inOrder()) {
      if (numbers.length >= Math.min(countMax, groupRowsMax)) break;
      const value = this.#table.valueOf(number);
      bytes += value === undefined ? 0 : JSON.stringify(value).length;
      if (numbers.length > 0 && bytes > groupBytesMax) break;
      numbers.push(number);
      rows.set(keyOfRow(number), value);
      this.known(number);
    }
    for (const number of numbers.slice(this.#failed.length)) this.#changed.delete(number);
    this.#failed = this.#failed.slice(numbers.length);
    return { numbers, rows };
  }

  *#inOrder(): Generator<number> {
    yield* this.#failed;
    yield* this.#changed;
  }
}

interface Failure {
  readonly error: unknown;
}

export class RowWriter {
  readonly #parts: RowWriterParts;
  readonly #tables: ChangedRows[] = [];
  #state: "loading" | "open" | "closing" | "closed" = "loading";
  #timer: Timer | undefined;
  #current: Promise<Failure | undefined> | undefined;
  /** Something changed since the latest write began. */
  #isWanted = false;
  #failures = 0;

  constructor(parts: RowWriterParts) {
    this.#parts = parts;
  }

  /** Adds a table. Tables are written in the order in which they were added; after one that failed, no later one is. */
  add(table: RowTable): ChangedRows {
    const rows = new ChangedRows(table, () => this.wake());
    this.#tables.push(rows);
    return rows;
  }

  /** What was persisted before has been read: writes may begin. */
  open(): void {
    this.#state = "open";
    if (this.#isWanted) this.wake();
  }

  /** There is something to write; false once this is closed. */
  wake(): boolean {
    this.#isWanted = true;
    if (this.#current === undefined) this.#timer ??= this.#schedule(this.#parts.delayMs);
    return this.#state !== "closed";
  }

  /** Resolves when all that changed before is persisted; rejects with the error of the store. */
  async saved(): Promise<void> {
    // The write that is under way has not seen everything.
    await this.#current;
    const failure = await (this.#current ?? this.#start());
    if (failure !== undefined) throw failure.error;
  }

  /**
   * Writes what is left, unless it was never open; rejects with the error of the store. Later changes are not written.
   */
  async close(): Promise<void> {
    const isOpen = this.#state === "open";
    this.#state = isOpen ? "closing" : "closed";
    if (!isOpen) return;
    const failure = (await this.#current) ?? (await this.#start());
    this.#state = "closed";
    if (failure !== undefined) throw failure.error;
  }

  #schedule(delayMs: number): Timer | undefined {
    if (this.#state !== "open") return undefined;
    return this.#parts.clock.after(delayMs, () => void this.#start());
  }

  #start(): Promise<Failure | undefined> {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#isWanted = false;
    this.#current = this.#writeAll().then((failure) => {
      this.#current = undefined;
      this.#next(failure);
      return failure;
    });
    return this.#current;
  }

  async #writeAll(): Promise<Failure | undefined> {
    try {
      this.#parts.beforeWrite?.();
      for (const table of this.#tables) await table.write(this.#parts.write);
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  #next(failure: Failure | undefined): void {
    const { delayMs, isFinal } = this.#parts;
    this.#failures = failure === undefined ? 0 : this.#failures + 1;
    if (failure !== undefined && isFinal?.(failure.error) === true) this.#state = "closed";
    const isLeft = this.#isWanted || failure !== undefined;
    if (isLeft) this.#timer = this.#schedule(Math.min(retryMsMax, delayMs * 2 ** this.#failures));
  }
}
