// Makes a damaged data folder whole again: what can be read goes to a new database, what does not fit together is dropped or
// replaced, and the old files stay beside the new ones.
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { systemClock, type Clock } from "../../../std/clock.ts";
import { openDatabase } from "../open-database.ts";
import { fileNames } from "../schema.ts";
import { checkFolder, problemsMax, rules } from "./check.ts";
import { copyReadable } from "./copy-readable.ts";
import { openableFile } from "./damaged-database.ts";
import { lockForMaintenance } from "./maintenance-lock.ts";
import { databaseIn } from "./open-reading.ts";
import { ProblemList, type Loss } from "./problem.ts";
import { isDamage } from "./readable-rows.ts";
import { tableNames, type TableName } from "./tables.ts";

export interface RepairReport {
  readonly path: string;
  /** False where nothing was wrong: then nothing was changed. */
  readonly repaired: boolean;
  /** How many rows each table has now. */
  readonly kept: Readonly<Partial<Record<TableName, number>>>;
  /** What could not be kept as it was, the first 1,000. */
  readonly losses: readonly Loss[];
  readonly lossesOmitted: number;
  /** The ids of sandboxes that are gone, and of those that come back as failed, with the reason. */
  readonly sandboxes: { readonly lost: readonly string[]; readonly failed: readonly string[] };
  /** Where the old files are. */
  readonly damagedFiles: readonly string[];
}

/** Throws `STORE_LOCKED` where a runtime has the folder open. */
export function repairFolder(path: string, clock: Clock = systemClock): RepairReport {
  const file = databaseIn(path);
  using _lock = lockForMaintenance(path, "repair", clock);
  if (checkFolder(path).problems.length === 0) return untouched(path);
  const scratch = join(resolve(path), "repairing");
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch);
  try {
    const damaged = `${file}.damaged-${new Date(clock.now()).toISOString().replaceAll(":", "-")}`;
    const damagedFiles = [damaged, ...foldLog(file, damaged)];
    const rescued = rescue(path, scratch);
    replace(file, join(scratch, fileNames.database), damaged);
    return { path, repaired: true, ...rescued, damagedFiles };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function untouched(path: string): RepairReport {
  const nothing = {
    kept: {},
    losses: [],
    lossesOmitted: 0,
    sandboxes: { lost: [], failed: [] },
    damagedFiles: [],
  };
  return { path, repaired: false, ...nothing };
}

type Rescued = Pick<RepairReport, "kept" | "losses" | "lossesOmitted" | "sandboxes">;

/** Fills a new database in `scratch` with what can be saved. */
function rescue(path: string, scratch: string): Rescued {
  const from = openableFile(path, scratch);
  using to = openDatabase({ path: scratch, durability: "power" });
  to.exec("PRAGMA wal_autocheckpoint = 1000");
  const losses = new ProblemList<Loss>(problemsMax);
  const lost = new Set<string>();
  const failed = new Set<string>();
  for (const loss of copyReadable(from, to)) {
    losses.add(loss);
    if (loss.table === "sandboxes" && loss.sandboxId !== null) lost.add(loss.sandboxId);
  }
  for (const loss of mend(to)) losses.add(loss);
  for (const { id } of to.prepare("SELECT id FROM sandboxes WHERE status = 'failed'").iterate())
    failed.add(String(id));
  const kept = tableNames.map((table) => [table, count(to, table)]);
  to.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return {
    kept: Object.fromEntries(kept) as Record<TableName, number>,
    losses: losses.problems,
    lossesOmitted: losses.omitted,
    sandboxes: { lost: [...lost], failed: [...failed] },
  };
}

/** Makes what was copied fit together, rule by rule. */
function* mend(database: DatabaseSync): Generator<Loss> {
  for (const rule of rules) {
    // All of them first, as a table may not change while it is read.
    const mismatches = [...rule(database)];
    database.exec("BEGIN");
    for (const { changes } of mismatches)
      for (const { sql, values } of changes) database.prepare(sql).run(...(values as SQLInputValue[]));
    database.exec("COMMIT");
    for (const { kind, table, sandboxId, message, remedy } of mismatches)
      if (remedy !== "none") yield { kind, table, sandboxId, message, remedy };
  }
}

/**
 * Puts the new database in the place of the old one, which stays under another name. At every moment the folder has a
 * database with all that was committed to it.
 */
function replace(file: string, fresh: string, damaged: string): void {
  // A log is nobody's but its database's: the new one would take the old one's for its own.
  for (const end of ["-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
  linkOrCopy(file, damaged);
  synced(fresh);
  renameSync(fresh, file);
  synced(dirname(file));
}

/** Brings what is only in the log into the database itself, and keeps the log under the name that is returned. */
function foldLog(file: string, damaged: string): readonly string[] {
  const log = `${file}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0) return [];
  copyFileSync(log, `${damaged}-wal`, constants.COPYFILE_FICLONE);
  try {
    using database = new DatabaseSync(file);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    // Then the database cannot be opened at all, and what is only in the log cannot be had.
    if (!isDamage(error)) throw error;
  }
  return [`${damaged}-wal`];
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // Not every file system has links.
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  }
}

function synced(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function count(database: DatabaseSync, table: TableName): number {
  return Number(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"]);
}
