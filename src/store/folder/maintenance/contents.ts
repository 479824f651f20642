// What a data folder has, in short: who owns it, how many sandboxes, how large it is, and which evolutions ran in it.
import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { runsCollection } from "../../../model/run-entry.ts";
import { isOwned, readOwner } from "../owner-lock.ts";
import type { Owner } from "../requests.ts";
import { fileSizes, type FileSizes } from "./file-sizes.ts";
import { damageError, databaseIn, openUndamaged } from "./open-reading.ts";

/** How many of its rows are read. */
const runsMax = 10_000;

/** An evolution as its program describes it: its key, and whatever of the others it has written. */
export interface RunRow {
  readonly name: string;
  readonly title?: unknown;
  readonly seed?: unknown;
  readonly state?: unknown;
  readonly generation?: unknown;
  readonly evaluations?: unknown;
  readonly best?: unknown;
  readonly updatedAt?: unknown;
  readonly options?: unknown;
}

export interface FolderContents {
  readonly path: string;
  /** Whether a process has it open now. */
  readonly running: boolean;
  /** That process; null where none has it open, or it has not said its name yet. */
  readonly owner: Owner | null;
  /** How many sandboxes have each status. */
  readonly sandboxes: Readonly<Record<string, number>>;
  readonly tombstones: number;
  /** How many rows each collection has. */
  readonly documents: Readonly<Record<string, number>>;
  readonly size: FileSizes;
  /** When something was last written, in milliseconds since the epoch. */
  readonly lastWriteAt: number;
  readonly runs: readonly RunRow[];
}

/** Throws `INVALID_OPTIONS` where there is no data folder, and `STORE_FAILED` where it cannot be read. */
export function describeFolder(path: string): FolderContents {
  const file = databaseIn(path);
  const running = isOwned(path);
  const owner = running ? (readOwner(path) ?? null) : null;
  using database = openUndamaged(path);
  try {
    database.exec("BEGIN");
    return {
      path,
      running,
      owner,
      sandboxes: countBy(database, "SELECT status AS name, count(*) AS rows FROM sandboxes GROUP BY status"),
      tombstones: countBy(database, "SELECT 'all' AS name, count(*) AS rows FROM tombstones")["all"] ?? 0,
      documents: countBy(
        database,
        "SELECT collection AS name, count(*) AS rows FROM documents GROUP BY collection",
      ),
      size: fileSizes(path),
      lastWriteAt: Math.max(...[file, `${file}-wal`].map(writtenAt)),
      runs: runsIn(database),
    };
  } catch (error) {
    throw damageError("read", path, error);
  }
}

function countBy(database: DatabaseSync, sql: string): Readonly<Record<string, number>> {
  const rows = database.prepare(sql).all();
  return Object.fromEntries(rows.map(({ name, rows: count }) => [String(name), Number(count)]));
}

function runsIn(database: DatabaseSync): readonly RunRow[] {
  const rows = database
    .prepare("SELECT key, value FROM documents WHERE collection = ? ORDER BY key LIMIT ?")
    .all(runsCollection, runsMax);
  return rows.map(({ key, value }) => ({ ...fieldsOf(String(value)), name: String(key) }));
}

// It is the caller's own: it may be any JSON.
function fieldsOf(text: string): object {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

// An empty log was only opened.
function writtenAt(file: string): number {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined || stats.size === 0 ? 0 : stats.mtimeMs;
}
