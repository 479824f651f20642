// The audit log: what was denied to which sandbox, when, and by which rule. It outlives sandboxes and is bounded in
// entries and bytes; what repeats itself becomes one entry with a count, so that a flood drowns nothing else.
import { parseSandboxId } from "../model/ids.ts";
import { custom, fields, integer, optional, someOf, text, type Read, type Shape } from "../model/schema.ts";
import { auditLevels, type AuditLevel } from "./profile.ts";

/**
 * What happened: code was `rejected` or `warned` of by the gate, or `admitted`; something was `denied` to a sandbox; a
 * capability was `called`.
 */
export type AuditKind = "rejected" | "warned" | "admitted" | "denied" | "called";

export const auditKinds: readonly AuditKind[] = ["rejected", "warned", "admitted", "denied", "called"];

/** What was seen, and where. */
export interface AuditPlace {
  readonly what: string;
  /** The module it stands in; null where it is not about code. */
  readonly module: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

/** Something to be logged. */
export interface AuditNote extends AuditPlace {
  readonly sandboxId: string;
  readonly profile: string;
  readonly kind: AuditKind;
  readonly rule: string;
}

/** One entry: the first time, and everything like it since. */
export interface AuditEntry extends AuditNote {
  readonly at: number;
  readonly lastAt: number;
  /** How often it happened. */
  readonly count: number;
  /** The first few different things that were seen; the first of them is also the entry's own. */
  readonly places: readonly AuditPlace[];
}

/** Which entries are wanted. Every condition given must hold. */
export interface AuditFilter {
  /** Those about this sandbox. */
  readonly sandboxId?: string;
  /** Those of these kinds. */
  readonly kind?: AuditKind | readonly AuditKind[];
  /** Those about this rule of the gate. */
  readonly rule?: string;
  /** Milliseconds since the epoch: entries that go on at or after this moment. */
  readonly since?: number;
  /** Entries that began at or before this moment. */
  readonly until?: number;
  /** At most so many, the newest. */
  readonly limit?: number;
}

const moment = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

/** What the audit log may be asked for. */
export const auditFilter = fields({
  sandboxId: optional(custom(parseSandboxId)),
  kind: someOf(auditKinds),
  rule: text(),
  since: moment,
  until: moment,
  limit: integer({ min: 1, max: 10_000_000 }),
} satisfies Shape<AuditFilter>);

export interface AuditBounds {
  readonly entriesMax: number;
  readonly memoryBytesMax: number;
}

export interface AuditStatistics {
  readonly entries: number;
  readonly bytes: number;
  /** Entries that made room for others. */
  readonly dropped: number;
}

const levelOf: Readonly<Record<AuditKind, AuditLevel>> = {
  rejected: "violations",
  warned: "violations",
  denied: "violations",
  called: "calls",
  admitted: "everything",
};

/** What happens again within this time after the last is the same entry. */
const sameMs = 60_000;
const placesMax = 8;
const textMax = 256;
/** What an entry takes beside its texts. */
const entryOverheadBytes = 200;

type Draft = { -readonly [K in keyof AuditEntry]: AuditEntry[K] } & {
  readonly number: number;
  bytes: number;
};

/** Is told of changes, where they are persisted. */
export interface AuditListener {
  /** An entry is new, or was counted again. */
  changed(number: number): void;
  /** An entry made room for others. */
  removed(number: number): void;
}

export class Audit {
  readonly #bounds: AuditBounds;
  readonly #now: () => number;
  readonly #onNote: (note: AuditNote, count: number) => void;
  /** By number, oldest first. */
  readonly #entries = new Map<number, Draft>();
  readonly #open = new Map<string, Draft>();
  #bytes = 0;
  #dropped = 0;
  #lastNumber = 0;
  listener: AuditListener | undefined;

  constructor(bounds: AuditBounds, now: () => number, onNote: (note: AuditNote, count: number) => void) {
    this.#bounds = bounds;
    this.#now = now;
    this.#onNote = onNote;
  }

  /** Logs something where the level of its profile asks for it. */
  record(level: AuditLevel, given: AuditNote): void {
    if (auditLevels.indexOf(levelOf[given.kind]) > auditLevels.indexOf(level)) return;
    const note = { ...given, what: given.what.slice(0, textMax), rule: given.rule.slice(0, textMax) };
    const at = this.#now();
    const open = this.#open.get(keyOf(note));
    const isSame = open !== undefined && at - open.lastAt <= sameMs;
    const entry = isSame ? this.#again(open, note, at) : this.#begin(note, at);
    this.listener?.changed(entry.number);
    this.#trim();
    this.#onNote(note, entry.count);
  }

  /** The entries that are wanted, oldest first. */
  query({ sandboxId, kind, rule, since, until, limit }: Partial<Read<typeof auditFilter>>): AuditEntry[] {
    const kinds = kind === undefined ? undefined : new Set([kind].flat());
    const found = [...this.#entries.values()].filter(
      (entry) =>
        (sandboxId === undefined || entry.sandboxId === sandboxId) &&
        (kinds?.has(entry.kind) ?? true) &&
        (rule === undefined || entry.rule === rule) &&
        (since === undefined || entry.lastAt >= since) &&
        (until === undefined || entry.at <= until),
    );
    const newest = limit === undefined ? found : found.slice(-limit);
    return newest.map(toEntry);
  }

  /** The entry of a number; undefined for one that is not there any more. */
  entry(number: number): AuditEntry | undefined {
    const entry = this.#entries.get(number);
    return entry === undefined ? undefined : toEntry(entry);
  }

  /** Adds an entry as it was persisted. They come in the order of their numbers, before anything is recorded. */
  restore(number: number, entry: AuditEntry): void {
    const { count: _count, at: _at, lastAt: _lastAt, places, ...note } = entry;
    const bytes = places.slice(1).reduce((sum, place) => sum + bytesOfPlace(place), bytesOf(note));
    this.#add({ ...entry, number, bytes });
    this.#lastNumber = Math.max(this.#lastNumber, number);
    this.#trim();
  }

  statistics(): AuditStatistics {
    return { entries: this.#entries.size, bytes: this.#bytes, dropped: this.#dropped };
  }

  #begin(note: AuditNote, at: number): Draft {
    const times = { at, lastAt: at, count: 1 };
    const number = ++this.#lastNumber;
    return this.#add({ ...note, ...times, number, places: [placeOf(note)], bytes: bytesOf(note) });
  }

  #add(entry: Draft): Draft {
    this.#entries.set(entry.number, entry);
    this.#open.set(keyOf(entry), entry);
    this.#bytes += entry.bytes;
    return entry;
  }

  #again(entry: Draft, note: AuditNote, at: number): Draft {
    entry.count++;
    entry.lastAt = at;
    const isKnown = entry.places.some(({ what, module }) => what === note.what && module === note.module);
    if (isKnown || entry.places.length >= placesMax) return entry;
    const place = placeOf(note);
    const bytes = bytesOfPlace(place);
    entry.places = [...entry.places, place];
    entry.bytes += bytes;
    this.#bytes += bytes;
    return entry;
  }

  #trim(): void {
    for (const oldest of this.#entries.values()) {
      if (this.#entries.size <= this.#bounds.entriesMax && this.#bytes <= this.#bounds.memoryBytesMax) return;
      this.#entries.delete(oldest.number);
      this.#bytes -= oldest.bytes;
      this.#dropped++;
      const key = keyOf(oldest);
      if (this.#open.get(key) === oldest) this.#open.delete(key);
      this.listener?.removed(oldest.number);
    }
  }
}

// Whether two notes are the same.
function keyOf({ sandboxId, kind, rule }: AuditNote): string {
  return `${sandboxId}\n${kind}\n${rule}`;
}

function bytesOf(note: AuditNote): number {
  return entryOverheadBytes + 2 * JSON.stringify(note).length;
}

function bytesOfPlace(place: AuditPlace): number {
  return 2 * JSON.stringify(place).length;
}

function toEntry({ bytes: _bytes, number: _number, ...entry }: Draft): AuditEntry {
  return { ...entry, places: [...entry.places] };
}

function placeOf({ what, module, line, column }: AuditNote): AuditPlace {
  return { what, module, line, column };
}
