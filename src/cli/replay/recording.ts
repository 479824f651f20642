// An evolution that was read from somewhere, and what is common to all places that it is read from.
import type { EvolutionDump } from "../../contract/evolution-bodies.ts";
import type { DumpBounds } from "../../contract/dump.ts";
import { eventNames, type AnyEvent, type JournalEntry } from "../../index.ts";
import { isRecord } from "../../model/schema.ts";

export interface Recording {
  readonly dump: EvolutionDump;
  /** How many pieces could not be read. */
  readonly damaged: number;
}

export interface ReadingOptions {
  /** Which scores are better; undefined where nobody said so. */
  readonly direction: EvolutionDump["direction"] | undefined;
  readonly signal: AbortSignal;
  readonly bounds?: DumpBounds;
  /** How far it has come, of how much where that is known. */
  readonly onProgress: (done: number, total: number | undefined) => void;
}

const names: ReadonlySet<unknown> = new Set(eventNames);

/** An event as journals have it, numbered by its place where it has no number of its own; undefined for anything else. */
export function entryOf(value: unknown, place: number): JournalEntry | undefined {
  if (!isRecord(value) || !names.has(value["name"]) || !isRecord(value["event"])) return undefined;
  const { name, at, event, number } = value;
  if (typeof at !== "number" || !Number.isFinite(at)) return undefined;
  const known = { name, at, event } as AnyEvent;
  return { ...known, number: Number.isSafeInteger(number) ? (number as number) : place };
}
