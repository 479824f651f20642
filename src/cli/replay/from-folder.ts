// An evolution from a data folder, read as it is at this moment, also while a runtime has it open; nothing is started or changed.
import { basename, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { DumpBuilder } from "../../contract/dump.ts";
import { individualReports } from "../../evolution/individual-reports.ts";
import { Tracker } from "../../evolution/index.ts";
import { readTracker } from "../../evolution/persistence/read-tracker.ts";
import { RecordedEvents } from "../../evolution/recorded-events.ts";
import type { Documents } from "../../store/store.ts";
import { runEntry, runsCollection, type RunEntry } from "../../model/run-entry.ts";
import { nextTurn, systemClock } from "../../std/clock.ts";
import { pagesOf } from "../../std/row-writer.ts";
import { damageError, openUndamaged } from "../../store/folder/maintenance/open-reading.ts";
import { TableReader } from "../../store/folder/read-tables.ts";
import type { DocumentRows } from "../../store/folder/requests.ts";
import { addStored } from "./stored-sandboxes.ts";
import { entryOf, type ReadingOptions, type Recording } from "./recording.ts";

/** Where a runtime keeps its journal: groups of events, each under the number of its first. */
const journalCollection = "vivarium.journal";
const runsMax = 1_000;

type Read = Pick<Documents, "read">;

/** Throws `INVALID_OPTIONS` where there is no data folder, and `STORE_FAILED` where it cannot be read. */
export async function readFolder(path: string, options: ReadingOptions): Promise<Recording> {
  using database = openUndamaged(path);
  try {
    // One moment, whatever is written meanwhile.
    database.exec("BEGIN");
    return await recordingOf(path, database, options);
  } catch (error) {
    throw damageError("replay", path, error);
  }
}

async function recordingOf(
  path: string,
  database: DatabaseSync,
  options: ReadingOptions,
): Promise<Recording> {
  const reader = new TableReader(database, Number.MAX_SAFE_INTEGER);
  const progress = new Counted(options);
  const documents: Read = {
    read: async (name, after) => {
      // The database answers at once: only here has Ctrl-C a turn.
      await nextTurn();
      return progress.add(rowsOf(reader, name, after));
    },
  };
  const runs = await runsIn(documents);
  const direction = options.direction ?? directionOf(runs);
  const tracker = await readTracker(documents, { direction });
  const isTracked = tracker.size().individuals > 0;
  const known = isTracked ? undefined : new Tracker({ direction });
  const told = known === undefined ? undefined : new RecordedEvents(known);
  const builder = new DumpBuilder(options.bounds);
  let damaged = 0;
  for await (const page of pagesOf((name, after) => documents.read(name, after), journalCollection))
    for (const [first, group] of page)
      for (const [index, value] of (Array.isArray(group) ? group : [undefined]).entries()) {
        const entry = entryOf(value, first + index);
        if (entry === undefined || told?.tell(entry) === false) damaged++;
        if (entry !== undefined) builder.addEvent({ ...entry, number: first + index });
      }
  if (known !== undefined) damaged += addStored(known, reader);
  damaged += progress.damaged;
  options.signal.throwIfAborted();
  for (const report of individualReports(known ?? tracker)) builder.add(report);
  const { forgotten } = (known ?? tracker).size();
  const origin = `data folder ${basename(resolve(path))}`;
  const dump = builder.finish({ origin, takenAt: systemClock.now(), direction, forgotten, runs });
  return { dump, damaged };
}

/** Counts the rows that are read, and those that are no JSON. */
class Counted {
  readonly #options: ReadingOptions;
  #rows = 0;
  damaged = 0;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  add(rows: DocumentRows): readonly (readonly [string, unknown])[] {
    this.#options.signal.throwIfAborted();
    this.#rows += rows.length;
    this.#options.onProgress(this.#rows, undefined);
    return rows.map(([key, text]) => {
      try {
        return [key, JSON.parse(text) as unknown] as const;
      } catch {
        this.damaged++;
        return [key, undefined] as const;
      }
    });
  }
}

function rowsOf(reader: TableReader, collection: string, after = ""): DocumentRows {
  // What it answers to this request.
  return reader.carryOut({ kind: "rows", collection, after }) as DocumentRows;
}

async function runsIn({ read }: Read): Promise<readonly RunEntry[]> {
  const rows = await read(runsCollection);
  return rows.slice(0, runsMax).map(([name, value]) => runEntry(name, value));
}

// The latest that says it.
function directionOf(runs: readonly RunEntry[]): "maximise" | "minimise" {
  const said = runs.filter(({ direction }) => direction !== null);
  const [latest] = said.toSorted((one, other) => (other.updatedAt ?? 0) - (one.updatedAt ?? 0));
  return latest?.direction ?? "maximise";
}
