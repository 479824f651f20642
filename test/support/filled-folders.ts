// Data folders for tests, filled by SQL, and ways to damage them for real.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { defaultLimits } from "../../src/model/limits.ts";
import { seedAncestry } from "../../src/model/sandboxes/ancestry.ts";
import { checkFolder } from "../../src/store/folder/maintenance/check.ts";
import { repairFolder, type RepairReport } from "../../src/store/folder/maintenance/repair.ts";
import { openDatabase } from "../../src/store/folder/open-database.ts";
import { Folder } from "./folders.ts";

const pageBytes = 4_096;

export function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

export interface Filling {
  /** How many sandboxes; each has two versions of one module, and every third one a state. */
  readonly sandboxes: number;
  readonly documents?: number;
  readonly tombstones?: number;
  /** What every source ends with, to make it longer. */
  readonly padding?: string;
}

/** What most tests of damage need: tables of several pages each. */
export const someRows: Filling = { sandboxes: 300, documents: 600, tombstones: 300 };

/** How many rows a folder filled with `someRows` has in each table. */
export const someRowsOf = {
  blobs: 600,
  artifacts: 0,
  sandboxes: 300,
  versions: 600,
  states: 100,
  tombstones: 300,
  documents: 600,
} as const;

/** A data folder, gone when the test is. */
export class FilledFolder extends Folder {
  constructor(filling: Filling) {
    super();
    using database = openDatabase({ path: this.path, durability: "process" });
    fill(database, filling);
  }

  get database(): string {
    return this.at("vivarium.db");
  }

  /** Changes the database as a careless program would. */
  sql(text: string): void {
    using database = new DatabaseSync(this.database);
    database.exec(text);
  }

  get<T>(text: string): T {
    using database = new DatabaseSync(this.database, { readOnly: true });
    return database.prepare(text).get() as T;
  }

  all<T>(text: string): readonly T[] {
    using database = new DatabaseSync(this.database, { readOnly: true });
    return database.prepare(text).all() as unknown as readonly T[];
  }

  /** The pages of a table or an index of one kind, in the order of the tree. */
  pages(name: string, kind: "leaf" | "internal" | "overflow"): readonly number[] {
    using database = new DatabaseSync(this.database, { readOnly: true });
    const rows = database
      .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY path")
      .all(name, kind);
    return rows.map(({ pageno }) => Number(pageno));
  }

  /** Overwrites a page of the file with bytes that mean nothing. */
  overwrite(page: number): void {
    const descriptor = openSync(this.database, "r+");
    writeSync(descriptor, Buffer.alloc(pageBytes, 0xa7), 0, pageBytes, (page - 1) * pageBytes);
    closeSync(descriptor);
  }
}

/** Finds what is wrong, mends it, and finds nothing more. */
export function repaired(folder: FilledFolder): RepairReport {
  assert.notDeepEqual(checkFolder(folder.path).problems, []);
  const report = repairFolder(folder.path);
  assert.equal(report.repaired, true);
  assert.deepEqual(checkFolder(folder.path).problems, []);
  assert.deepEqual(rowsIn(folder), report.kept);
  return report;
}

/** How many rows each table has. */
export function rowsIn(folder: FilledFolder): Readonly<Record<string, number>> {
  const { tables } = checkFolder(folder.path);
  return Object.fromEntries(Object.entries(tables).map(([name, { rows }]) => [name, rows]));
}

export const idOf = (index: number): string => `s-${String(index).padStart(5, "0")}`;
export const sourceOf = (index: number, version: number, padding = ""): string =>
  `export const f = () => ${index} * ${version};${padding}`;

function fill(
  database: DatabaseSync,
  { sandboxes, documents = 0, tombstones = 0, padding = "" }: Filling,
): void {
  const sandbox = database.prepare(
    `INSERT INTO sandboxes (id, status, reason, blameless, restarts, last_error, fitness, created_at, format, limits, labels,
     ancestry, settings, revisions) VALUES (?, 'running', NULL, 0, 0, NULL, NULL, 5, 'vivarium.individual/2', ?, '{}', ?, ?, ?)`,
  );
  const version = database.prepare("INSERT INTO versions VALUES (?, 'main', ?, ?, ?, ?, 'null', 5)");
  const blob = database.prepare("INSERT OR IGNORE INTO blobs (hash, text) VALUES (?, ?)");
  const state = database.prepare("INSERT INTO states VALUES (?, ?)");
  const [limits, ancestry] = [JSON.stringify(defaultLimits), JSON.stringify(seedAncestry)];
  const revisions = JSON.stringify([1, 2].map((number) => ({ revision: number, heads: { main: number } })));
  database.exec("BEGIN");
  for (let index = 0; index < sandboxes; index++) {
    const processes = index % 3 === 0 ? { processes: { supervisor: null, checkpoint: "message" } } : {};
    const settings = JSON.stringify({ deterministic: null, ...processes, modules: ["main"] });
    const number = sandbox.run(idOf(index), limits, ancestry, settings, revisions).lastInsertRowid;
    for (const each of [1, 2]) {
      const source = sourceOf(index, each, padding);
      blob.run(hashOf(source), source);
      version.run(number, each, hashOf(source), hashOf(source).toString("hex"), each === 1 ? null : 1);
    }
    if (index % 3 === 0) state.run(number, JSON.stringify({ servers: [], children: [] }));
  }
  const document = database.prepare("INSERT INTO documents VALUES ('rows', ?, ?)");
  for (let index = 0; index < documents; index++)
    document.run(`key-${String(index).padStart(6, "0")}`, JSON.stringify({ index }));
  const tombstone = database.prepare("INSERT INTO tombstones (id, info, logs) VALUES (?, ?, '[]')");
  for (let index = 0; index < tombstones; index++)
    tombstone.run(`t-${index}`, JSON.stringify({ id: `t-${index}`, reason: "no longer needed" }));
  database.exec("COMMIT");
}
