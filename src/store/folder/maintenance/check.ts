// Looks for everything that is wrong in a data folder, also while a runtime writes to it. Nothing is changed.
import type { DatabaseSync } from "node:sqlite";
import { schemaVersion } from "../schema.ts";
import { fileSizes, type FileSizes } from "./file-sizes.ts";
import { findJsonMismatches } from "./json-rules.ts";
import { openReading, pragma } from "./open-reading.ts";
import { ProblemList, type Mismatch, type Problem } from "./problem.ts";
import { isDamage } from "./readable-rows.ts";
import { findRevisionMismatches, findStrayStates } from "./revision-rules.ts";
import { findSourceMismatches, findUnreferencedBlobs } from "./source-rules.ts";
import { tableNames, tableOrders, type TableName } from "./tables.ts";

export interface TableSize {
  readonly rows: number;
  /** Of the values in it. */
  readonly bytes: number;
}

export interface FolderSize extends FileSizes {
  /** Of pages within the database that are empty; compaction gives them back. */
  readonly freeBytes: number;
}

export interface CheckReport {
  readonly path: string;
  /** Null where the file cannot be opened. */
  readonly schemaVersion: number | null;
  /** What is wrong, the first 1,000; without any, the folder is whole. */
  readonly problems: readonly Problem[];
  readonly problemsOmitted: number;
  /** What may be said, and is no loss. */
  readonly notes: readonly Problem[];
  readonly notesOmitted: number;
  /** A table that cannot be read to its end is missing. */
  readonly tables: Readonly<Partial<Record<TableName, TableSize>>>;
  readonly size: FolderSize;
}

/** How many problems, and how many notes, a report has. */
export const problemsMax = 1_000;

/** In this order; a repair makes the changes of one rule before the next one looks. */
export const rules: readonly ((database: DatabaseSync) => Iterable<Mismatch>)[] = [
  findSourceMismatches,
  findJsonMismatches,
  findStrayStates,
  findRevisionMismatches,
  findUnreferencedBlobs,
];

/** Throws `INVALID_OPTIONS` where there is no data folder; what is wrong with one is in the report. */
export function checkFolder(path: string): CheckReport {
  const problems = new ProblemList(problemsMax);
  const notes = new ProblemList(problemsMax);
  let tables: CheckReport["tables"] = {};
  let isOpen = false;
  let freeBytes = 0;
  try {
    using database = openReading(path);
    isOpen = true;
    // One transaction sees one moment, whatever is written meanwhile.
    database.exec("BEGIN");
    freeBytes = pragma(database, "freelist_count") * pragma(database, "page_size");
    for (const problem of structureProblems(database)) problems.add(problem);
    for (const rule of rules) collect(rule(database), problems, notes);
    tables = sizesOf(database);
  } catch (error) {
    if (!isDamage(error)) throw error;
    problems.add(unreadable(`The database cannot be read: ${error.message}.`));
  }
  return {
    path,
    schemaVersion: isOpen ? schemaVersion : null,
    problems: problems.problems,
    problemsOmitted: problems.omitted,
    notes: notes.problems,
    notesOmitted: notes.omitted,
    tables,
    size: { ...fileSizes(path), freeBytes },
  };
}

function* structureProblems(database: DatabaseSync): Generator<Problem> {
  for (const row of database.prepare(`PRAGMA integrity_check(${problemsMax})`).iterate()) {
    const line = String(row["integrity_check"]);
    if (line !== "ok") yield unreadable(`SQLite reports: ${line}.`);
  }
}

// A rule that meets a damaged page cannot say more; the page itself is reported already.
function collect(mismatches: Iterable<Mismatch>, problems: ProblemList, notes: ProblemList): void {
  try {
    for (const { kind, table, sandboxId, message, isNote } of mismatches)
      (isNote ? notes : problems).add({ kind, table, sandboxId, message });
  } catch (error) {
    if (!isDamage(error)) throw error;
    if (problems.count === 0) problems.add(unreadable(`A page cannot be read: ${error.message}.`));
  }
}

function sizesOf(database: DatabaseSync): CheckReport["tables"] {
  const sizes: Partial<Record<TableName, TableSize>> = {};
  for (const table of tableNames) {
    const bytes = tableOrders[table].columns.map((column) => `coalesce(octet_length(${column}), 0)`);
    try {
      const row = database
        .prepare(`SELECT count(*) AS rows, coalesce(sum(${bytes.join(" + ")}), 0) AS bytes FROM ${table}`)
        .get();
      sizes[table] = { rows: Number(row?.["rows"]), bytes: Number(row?.["bytes"]) };
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  }
  return sizes;
}

function unreadable(message: string): Problem {
  return { kind: "unreadable", table: null, sandboxId: null, message };
}
