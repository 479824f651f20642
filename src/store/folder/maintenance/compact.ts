// Makes a data folder that nobody has open as small as it can be. While a runtime has it open, its writer does the same in
// slices, see `folder/compaction.ts`: rewriting the whole file would hold up every write for as long as it takes.
import type { DatabaseSync } from "node:sqlite";
import { systemClock, type Clock } from "../../../std/clock.ts";
import { tombstonesMax } from "../../memory.ts";
import { folderBytes, type CompactReport } from "../compaction.ts";
import { openDatabase } from "../open-database.ts";
import { openError } from "../sqlite-error.ts";
import { lockForMaintenance } from "./maintenance-lock.ts";
import { databaseIn } from "./open-reading.ts";
import { unreferenced } from "./source-rules.ts";

export interface CompactOptions {
  /** How many tombstones stay. Default: 10,000. */
  readonly tombstonesMax?: number;
  readonly clock?: Clock;
}

/** Throws `STORE_LOCKED` where a runtime has the folder open, and `STORE_FAILED` where it is damaged or the disk is full. */
export function compactFolder(path: string, options: CompactOptions = {}): CompactReport {
  const { tombstonesMax: left = tombstonesMax, clock = systemClock } = options;
  databaseIn(path);
  using _lock = lockForMaintenance(path, "compact", clock);
  const bytesBefore = folderBytes(path);
  try {
    using database = openDatabase({ path, durability: "power" });
    dropUnreferenced(database, left);
    database.exec("VACUUM");
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    throw openError(path, error);
  }
  return { bytesBefore, bytesAfter: folderBytes(path) };
}

function dropUnreferenced(database: DatabaseSync, tombstonesLeft: number): void {
  database.exec("BEGIN IMMEDIATE");
  // The source of an artifact is the hash of its text as hexadecimal digits.
  database.exec("DELETE FROM artifacts WHERE source NOT IN (SELECT lower(hex(source)) FROM versions)");
  database.exec(`DELETE FROM blobs WHERE ${unreferenced}`);
  database
    .prepare(
      "DELETE FROM tombstones WHERE number NOT IN (SELECT number FROM tombstones ORDER BY number DESC LIMIT ?)",
    )
    .run(tombstonesLeft);
  database.exec("COMMIT");
}
