// Opens the database of a data folder to read it, beside a runtime that writes to it or without one.
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { InvalidOptionsError, VivariumError } from "../../../model/errors.ts";
import { show } from "../../../model/show.ts";
import { busyMs } from "../open-database.ts";
import { applicationId, fileNames, schemaVersion } from "../schema.ts";
import { openError, primaryCode, sqliteCodes } from "../sqlite-error.ts";
import { isDamage } from "./readable-rows.ts";

/** The path of a folder's database; throws `INVALID_OPTIONS` where there is none. */
export function databaseIn(path: string): string {
  const rule = (what: string, got: string): InvalidOptionsError =>
    new InvalidOptionsError(`Cannot read data folder ${show(path)} as ${what}: got ${got}`, "path");
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw rule("it must exist", "nothing there");
  if (!stats.isDirectory()) throw rule("it must be a folder", "a file");
  const file = join(resolve(path), fileNames.database);
  if (!existsSync(file)) throw rule(`it must contain ${fileNames.database}`, "a folder without it");
  return file;
}

/**
 * A connection that cannot write. Throws `INVALID_OPTIONS` where the database is not a data folder's, and `STORE_FAILED`
 * where it was written by a later version or may not be read; what SQLite throws for a damaged file is passed on.
 */
export function openReading(path: string): DatabaseSync {
  const file = databaseIn(path);
  try {
    return checked(new DatabaseSync(file, { readOnly: true, timeout: busyMs }), path);
  } catch (error) {
    const code = primaryCode(error);
    if (code !== sqliteCodes.cannotOpen && code !== sqliteCodes.readOnly) throw error;
    return openUnchanging(path, file);
  }
}

// Readers and the writer meet in files beside the database. Where those cannot be made nobody can write, either, and the file
// may be read as one that never changes. Its log is not read then: without it, what was committed last would be missing.
function openUnchanging(path: string, file: string): DatabaseSync {
  const logBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (logBytes > 0) {
    const rule = "it has a log, which can only be read where this process may write to the folder";
    throw new VivariumError(
      "STORE_FAILED",
      `Cannot read data folder ${show(path)} as ${rule}: copy the folder to such a place`,
    );
  }
  const url = pathToFileURL(file);
  url.search = "?mode=ro&immutable=1";
  try {
    return checked(new DatabaseSync(url, { readOnly: true }), path);
  } catch (error) {
    throw isDamage(error) ? error : openError(path, error);
  }
}

/** As `openReading`, with an error of ours where the file is so damaged that SQLite cannot open it. */
export function openUndamaged(path: string): DatabaseSync {
  try {
    return openReading(path);
  } catch (error) {
    throw damageError("read", path, error);
  }
}

/** What to throw where reading failed with this error: an error of ours where the database is damaged. */
export function damageError(verb: "read" | "export" | "replay", path: string, error: unknown): unknown {
  if (!isDamage(error)) return error;
  const rule = "its database must be whole: vivarium store repair saves what can be saved";
  const message = `Cannot ${verb} data folder ${show(path)} as ${rule}: ${error.message}`;
  return new VivariumError("STORE_FAILED", message, error);
}

/** The number that a pragma answers. */
export function pragma(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0);
}

function checked(database: DatabaseSync, path: string): DatabaseSync {
  try {
    checkOrigin(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function checkOrigin(database: DatabaseSync, path: string): void {
  const [id, version] = [pragma(database, "application_id"), pragma(database, "user_version")];
  if (id !== applicationId) {
    const rule = `its ${fileNames.database} must be one of Vivarium`;
    throw new InvalidOptionsError(
      `Cannot read data folder ${show(path)} as ${rule}: got application id ${id}`,
      "path",
    );
  }
  if (version === schemaVersion) return;
  const rule =
    version > schemaVersion
      ? `this version of Vivarium reads tables up to version ${schemaVersion}`
      : `its tables must be of version ${schemaVersion}: a runtime that opens it upgrades them`;
  throw new VivariumError(
    "STORE_FAILED",
    `Cannot read data folder ${show(path)} as ${rule}: got version ${version}`,
  );
}
