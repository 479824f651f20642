// Opens the database of a data folder for its writer, with the tables of this version.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { VivariumError } from "../../model/errors.ts";
import { checkWritable } from "./file-identity.ts";
import { applicationId, fileNames, migrations as allMigrations } from "./schema.ts";

export interface OpenOptions {
  readonly path: string;
  readonly durability: "process" | "power";
  /** Default: those of this version. */
  readonly migrations?: readonly string[];
}

/** How long a transaction waits for one of another program, as of somebody who looks into the database. */
export const busyMs = 2_000;
/** The log is cut to this length when it begins anew. */
const logBytesMax = 64 * 2 ** 20;

/** The only connection that writes. The owner's lock must be held. */
export function openDatabase({ path, durability, migrations = allMigrations }: OpenOptions): DatabaseSync {
  const file = join(path, fileNames.database);
  // SQLite would read one that may not be written, and leave files beside it that may not be written either.
  for (const end of ["", "-wal", "-shm"]) checkWritable(`${file}${end}`);
  const database = new DatabaseSync(file, { timeout: busyMs });
  try {
    checkKind(database, path);
    checkVersion(database, path, migrations);
    // Only before the first table is made: pages that became empty can then be given back while a runtime runs.
    database.exec("PRAGMA auto_vacuum = INCREMENTAL");
    const { journal_mode: mode } = database.prepare("PRAGMA journal_mode = WAL").get() as {
      journal_mode: string;
    };
    if (mode !== "wal")
      throw refusal(
        path,
        `its file system must be able to share memory between processes: got journal mode ${mode}`,
      );
    // A commit hands the log's new frames to the kernel, and so outlives the process; only FULL also waits for the disk.
    database.exec(`PRAGMA synchronous = ${durability === "power" ? "FULL" : "NORMAL"}`);
    // The writer makes checkpoints by itself, when nothing waits.
    database.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${logBytesMax}`);
    migrate(database, migrations);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function refusal(path: string, why: string): VivariumError {
  return new VivariumError("STORE_FAILED", `Cannot open the data folder "${path}" as ${why}`);
}

const pragma = (database: DatabaseSync, name: string): number =>
  Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master").get() === undefined;
}

function checkKind(database: DatabaseSync, path: string): void {
  const id = pragma(database, "application_id");
  if (id === applicationId || (id === 0 && isEmpty(database))) return;
  throw refusal(
    path,
    `${fileNames.database} must be a data folder's: it is no data folder, but another program's database`,
  );
}

// Before anything is set, as what is set is written.
function checkVersion(database: DatabaseSync, path: string, migrations: readonly string[]): void {
  const version = pragma(database, "user_version");
  const rule = `its tables must be of version ${migrations.length} or older`;
  if (version > migrations.length)
    throw refusal(path, `${rule}: they are of version ${version}; use a newer Vivarium`);
}

function migrate(database: DatabaseSync, migrations: readonly string[]): void {
  const version = pragma(database, "user_version");
  if (version === migrations.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    for (const step of migrations.slice(version)) database.exec(step);
    database.exec(
      `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}; COMMIT`,
    );
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
