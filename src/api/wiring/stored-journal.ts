// The journal of a runtime: numbered events as rows of its store, a group of them in each, bounded in bytes. The oldest rows are
// removed first.
import { VivariumError } from "../../model/errors.ts";
import { isRecord } from "../../model/schema.ts";
import type { AnyEvent, Bus } from "../../observability/bus.ts";
import {
  isJournalled,
  journalledNames,
  toJournalled,
  type JournalEntry,
} from "../../observability/journalled.ts";
import type { Clock } from "../../std/clock.ts";
import { keyOfRow, pagesOf, RowWriter, type ChangedRows } from "../../std/row-writer.ts";
import { inSlices } from "../../std/slicing.ts";
import type { Documents } from "../../store/store.ts";

const collection = "vivarium.journal";
/** From an event to its write. */
const delayMs = 100;
/** A group is not added to once it is this long, as JSON, or a part of what the journal may have. */
const groupBytesMax = 64 * 2 ** 10;
const groupShare = 1 / 8;
/** How much waits for a store that fails; beyond that the oldest events are dropped, and their numbers missing. */
const waitingBytesMax = 2 ** 20;

export interface JournalParts {
  readonly documents: Documents;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly bytesMax: number;
}

interface Group {
  readonly count: number;
  readonly bytes: number;
  /** Until they are persisted. */
  events: readonly AnyEvent[] | undefined;
}

export class StoredJournal {
  readonly #parts: JournalParts;
  readonly #writer: RowWriter;
  readonly #rows: ChangedRows;
  readonly #ends: readonly (() => void)[];
  /** By the number of their first event, oldest first. */
  readonly #groups = new Map<number, Group>();
  #bytes = 0;
  #waitingBytes = 0;
  /** In no group yet. */
  #open: { readonly event: AnyEvent; readonly bytes: number }[] = [];
  #openBytes = 0;
  /** The number of the first of these; undefined until what was persisted is read. */
  #next: number | undefined;

  constructor(parts: JournalParts) {
    this.#parts = parts;
    const { documents, bus, clock } = parts;
    this.#writer = new RowWriter({
      clock,
      delayMs,
      write: (name, rows) => documents.write(name, rows),
      beforeWrite: () => this.#closeGroup(),
    });
    this.#rows = this.#writer.add({
      collection,
      valueOf: (first) => this.#groups.get(first)?.events,
      onWritten: (first) => this.#noteWritten(first),
    });
    // Of each by name, as nobody pays for an event without subscribers.
    this.#ends = journalledNames.map((name) =>
      bus.on(name, (event) => this.#add(toJournalled({ name, at: clock.now(), event } as AnyEvent))),
    );
  }

  /** Reads which numbers there are. */
  async load(): Promise<void> {
    const { documents } = this.#parts;
    let next = 1;
    for await (const page of pagesOf((name, after) => documents.read(name, after), collection)) {
      const last = await inSlices(this.#loading(page), undefined);
      next = Math.max(next, last);
    }
    this.#next = next;
    this.#trim();
    this.#writer.open();
  }

  /** Events from the one after this number on, oldest first. */
  async entries(after: number, limit: number): Promise<readonly JournalEntry[]> {
    // What is not persisted by now may be so before the last page is read.
    const waiting = this.#waiting(after);
    const found: JournalEntry[] = [];
    let key: string | undefined = this.#keyBefore(after + 1);
    while (key !== undefined && found.length < limit) {
      const page = await this.#read(key);
      for (const [first, value] of page) found.push(...numbered(Number(first), eventsIn(value), after));
      key = page.at(-1)?.[0];
    }
    const last = found.at(-1)?.number ?? after;
    return [...found, ...waiting.filter(({ number }) => number > last)].slice(0, limit);
  }

  /** Hears of nothing any more, and writes what is left. */
  close(): Promise<void> {
    for (const end of this.#ends) end();
    return this.#writer.close();
  }

  async #read(after: string): ReturnType<Documents["read"]> {
    try {
      return await this.#parts.documents.read(collection, after);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new VivariumError("STORE_FAILED", `Cannot read the journal as the store failed: ${why}`, cause);
    }
  }

  *#loading(page: readonly (readonly [number, unknown])[]): Generator<void, number> {
    let next = 1;
    for (const [first, value] of page) {
      this.#rows.known(first);
      const count = eventsIn(value).length;
      const bytes = JSON.stringify(value).length;
      this.#groups.set(first, { count, bytes, events: undefined });
      this.#bytes += bytes;
      next = first + count;
      yield;
    }
    return next;
  }

  #add(event: AnyEvent): void {
    if (!isJournalled(event) || !this.#writer.wake()) return;
    const bytes = JSON.stringify(event).length + 1;
    this.#open.push({ event, bytes });
    this.#openBytes += bytes;
    const bytesMax = Math.min(groupBytesMax, this.#parts.bytesMax * groupShare);
    if (this.#openBytes >= bytesMax) this.#closeGroup();
  }

  #closeGroup(): void {
    if (this.#next === undefined || this.#open.length === 0) return;
    const [first, count, bytes] = [this.#next, this.#open.length, this.#openBytes];
    this.#groups.set(first, { count, bytes, events: this.#open.map(({ event }) => event) });
    this.#rows.changed(first);
    this.#next += count;
    this.#bytes += bytes;
    this.#waitingBytes += bytes;
    this.#open = [];
    this.#openBytes = 0;
    this.#trim();
  }

  // The latest group stays in any case.
  #trim(): void {
    for (const [first, group] of this.#groups) {
      if (this.#bytes <= this.#parts.bytesMax || this.#groups.size === 1) break;
      this.#drop(first, group);
    }
    if (this.#waitingBytes <= waitingBytesMax) return;
    for (const [first, group] of this.#groups) {
      if (this.#waitingBytes <= waitingBytesMax || this.#groups.size === 1) break;
      if (group.events !== undefined) this.#drop(first, group);
    }
  }

  #drop(first: number, { bytes, events }: Group): void {
    this.#groups.delete(first);
    this.#rows.removed(first);
    this.#bytes -= bytes;
    if (events !== undefined) this.#waitingBytes -= bytes;
  }

  #noteWritten(first: number): void {
    const group = this.#groups.get(first);
    if (group?.events === undefined) return;
    group.events = undefined;
    this.#waitingBytes -= group.bytes;
  }

  #waiting(after: number): readonly JournalEntry[] {
    const grouped = [...this.#groups].flatMap(([first, { events = [] }]) => numbered(first, events, after));
    if (this.#next === undefined) return grouped;
    const open = this.#open.map(({ event }) => event);
    return [...grouped, ...numbered(this.#next, open, after)];
  }

  // A key before the group that has this number, and after the groups before it.
  #keyBefore(number: number): string {
    let start = number;
    for (const [first, { count }] of this.#groups)
      if (first <= number && number < first + count) start = first;
    return keyOfRow(Math.max(0, start - 1));
  }
}

// What is stored may be damaged.
function eventsIn(value: unknown): readonly AnyEvent[] {
  return Array.isArray(value) ? value : [];
}

function numbered(first: number, events: readonly AnyEvent[], after: number): readonly JournalEntry[] {
  return events.flatMap((event, index) =>
    isRecord(event) && first + index > after ? [{ ...event, number: first + index }] : [],
  );
}
