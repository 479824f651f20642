// Opens a damaged database as far as that is possible: without its first page, which leads to all others, nothing else could
// be read, but that page is the same in every data folder.
import { constants, copyFileSync, openSync, closeSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../open-database.ts";
import { fileNames } from "../schema.ts";
import { databaseIn, openReading } from "./open-reading.ts";
import { isDamage } from "./readable-rows.ts";
import { tableNames } from "./tables.ts";
import { makeFolder } from "../../../std/make-folder.ts";

const pageBytes = 4_096;
/** Where the first page says by how many changes it was written; where they differ, its own number of pages is not used. */
const validForAt = 92;

/** The file of a database that can be opened: the folder's own, or a copy in `scratch` with another first page. */
export function openableFile(path: string, scratch: string): string {
  try {
    using database = openReading(path);
    if (hasTables(database)) return databaseIn(path);
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  return copyWithFirstPage(path, join(scratch, "first-page"));
}

function hasTables(database: DatabaseSync): boolean {
  try {
    const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return tableNames.every((table) => rows.some(({ name }) => name === table));
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

/** A copy of the database whose first page is that of a new one. */
function copyWithFirstPage(path: string, folder: string): string {
  const fresh = join(folder, "fresh");
  makeFolder(fresh);
  openDatabase({ path: fresh, durability: "process" }).close();
  const to = join(folder, fileNames.database);
  copyFileSync(databaseIn(path), to, constants.COPYFILE_FICLONE);
  const page = readPage(join(fresh, fileNames.database));
  page.writeUInt32BE(0, validForAt);
  writePage(to, page);
  return to;
}

function readPage(file: string): Buffer {
  const [page, descriptor] = [Buffer.alloc(pageBytes), openSync(file, "r")];
  try {
    readSync(descriptor, page, 0, pageBytes, 0);
    return page;
  } finally {
    closeSync(descriptor);
  }
}

function writePage(file: string, page: Buffer): void {
  const descriptor = openSync(file, "r+");
  try {
    writeSync(descriptor, page, 0, pageBytes, 0);
  } finally {
    closeSync(descriptor);
  }
}
