// Gives the room of deleted rows back to the disk while a runtime is running: a few pages at a time, when nothing else is to be
// done. Rewriting the whole file (VACUUM) would be tighter, but no write could be committed meanwhile.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { fileNames } from "./schema.ts";

export interface CompactReport {
  /** Of the database with its log. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** How many pages are given back before the time is looked at. */
const pagesPerStep = 16;

/** How many pages of a database are empty. */
function freePages(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA freelist_count").get()?.["freelist_count"] ?? 0);
}

/** Gives some pages back, inside the transaction of the caller. Returns false when there are none, or none can be. */
export function giveBackPages(database: DatabaseSync): boolean {
  const before = freePages(database);
  if (before === 0) return false;
  database.exec(`PRAGMA incremental_vacuum(${pagesPerStep})`);
  const after = freePages(database);
  return after > 0 && after < before;
}

/** Of the database with its log. */
export function folderBytes(path: string): number {
  const file = join(path, fileNames.database);
  const bytes = ["", "-wal"].map((end) => statSync(`${file}${end}`, { throwIfNoEntry: false })?.size ?? 0);
  return bytes.reduce((sum, each) => sum + each, 0);
}
