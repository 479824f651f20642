// One runtime at a time owns a data folder. The lock is an exclusive transaction on a database of its own: the kernel ends it
// with the process, so that it is never left behind.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { VivariumError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import type { Owner } from "./requests.ts";
import { fileNames } from "./schema.ts";
import { checkWritable, identityOf, isSameFile, type FileIdentity } from "./file-identity.ts";
import { isDamage, openError, primaryCode, sqliteCodes } from "./sqlite-error.ts";

/** How long it may take: who only looks whether it is taken holds it for a moment, see `isOwned`. */
const lockMs = 200;

/**
 * No other code of this process may open and close `lock.db`, nor the database or the files beside it: the kernel drops all
 * locks that a process has on a file when the process closes any descriptor of it.
 */
export class OwnerLock implements Disposable {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #identity: FileIdentity | undefined;

  /** Takes the lock; throws `STORE_LOCKED` where another one has it. */
  constructor(path: string, owner: Owner) {
    this.#path = path;
    const file = join(path, fileNames.lock);
    // Of a file that may only be read SQLite would take no exclusive lock, and not say so.
    checkWritable(file);
    const database = new DatabaseSync(file, { timeout: lockMs });
    this.#database = database;
    try {
      database.exec("BEGIN EXCLUSIVE");
      this.#identity = identityOf(file);
      writeOwner(path, owner);
    } catch (error) {
      const code = primaryCode(error);
      database.close();
      if (code === sqliteCodes.busy || code === sqliteCodes.locked) throw lockedError(path);
      throw lockError(path, error);
    }
  }

  /** Whether the file that is locked is the one at its path. */
  isThere(): boolean {
    return isSameFile(this.#identity, identityOf(join(this.#path, fileNames.lock)));
  }

  [Symbol.dispose](): void {
    this.release();
  }

  release(): void {
    try {
      if (this.isThere()) rmSync(join(this.#path, fileNames.owner), { force: true });
    } catch {
      // Where the folder may not be written any longer, the name stays; whether it is owned is said by the lock alone.
    }
    this.#database.close();
  }
}

/** Whether a process has the folder open. */
export function isOwned(path: string): boolean {
  const file = join(path, fileNames.lock);
  if (!existsSync(file)) return false;
  try {
    using database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    database.prepare("SELECT 1 FROM sqlite_schema").get();
    return false;
  } catch (error) {
    if (primaryCode(error) === sqliteCodes.busy) return true;
    throw openError(path, lockError(path, error));
  }
}

/** Who has the folder open, as far as the folder says so. */
export function readOwner(path: string): Owner | undefined {
  try {
    const owner = JSON.parse(readFileSync(join(path, fileNames.owner), "utf8")) as Partial<Owner>;
    return typeof owner.name === "string" && typeof owner.pid === "number" ? (owner as Owner) : undefined;
  } catch {
    // It was not written yet, or the owner has just gone.
    return undefined;
  }
}

function writeOwner(path: string, owner: Owner): void {
  const file = join(path, fileNames.owner);
  writeFileSync(`${file}.new`, `${JSON.stringify(owner)}\n`);
  renameSync(`${file}.new`, file);
}

// What is wrong with the lock is not wrong with the database: neither a check nor a repair would find it.
function lockError(path: string, error: unknown): unknown {
  if (!isDamage(error)) return error;
  const rule = `its ${fileNames.lock} must be the file that Vivarium made`;
  const advice = "it has no content, so delete it where no process has the folder open";
  const message = `Cannot open the data folder ${show(path)} as ${rule}: ${(error as Error).message}; ${advice}`;
  return new VivariumError("STORE_FAILED", message);
}

function lockedError(path: string): VivariumError {
  const owner = readOwner(path);
  const name =
    owner === undefined ? "another one" : `${show(owner.name)} (pid ${owner.pid} on ${show(owner.host)})`;
  const message = `Cannot open the data folder ${show(path)} as one runtime at a time may own it: ${name} does`;
  return new VivariumError("STORE_LOCKED", message);
}
