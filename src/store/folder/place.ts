// The connection to a folder's database, as long as that is where it was opened. SQLite itself would go on writing into a file
// that was removed, and everything acknowledged since would be gone with the process.
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { identityOf, isSameFile, type FileIdentity } from "./file-identity.ts";
import { openDatabase } from "./open-database.ts";
import { OwnerLock } from "./owner-lock.ts";
import { TableReader } from "./read-tables.ts";
import type { WriterOptions } from "./requests.ts";
import { fileNames } from "./schema.ts";
import { MovedError } from "./sqlite-error.ts";
import { Sweep } from "./sweep.ts";
import { TableWriter } from "./write-tables.ts";
import { makeFolder } from "../../std/make-folder.ts";

/** A connection with everything that was prepared on it. */
export interface Connection {
  readonly database: DatabaseSync;
  readonly begin: StatementSync;
  readonly commit: StatementSync;
  readonly writer: TableWriter;
  readonly reader: TableReader;
  readonly sweep: Sweep;
}

export class Place {
  readonly #options: WriterOptions;
  readonly #file: string;
  /** The copy of a database that was removed, beside its path until it is whole. */
  readonly #part: string;
  #lock: OwnerLock;
  #connection: Connection;
  #identity: FileIdentity | undefined;
  /** Of the log, which has what was committed last. */
  #logIdentity: FileIdentity | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#file = join(options.path, fileNames.database);
    this.#part = `${this.#file}.part`;
    makeFolder(options.path);
    this.#lock = new OwnerLock(options.path, options.owner);
    try {
      rmSync(this.#part, { force: true });
      this.#connection = this.#connect();
      this.#identify();
      syncFolder(options.path);
    } catch (error) {
      this.#lock.release();
      throw error;
    }
  }

  /** For reading, wherever the file is now. */
  get current(): Connection {
    return this.#connection;
  }

  /** For writing: it may have to be made anew. Throws where the folder is gone, or is another one. */
  connection(): Connection {
    if (this.#hasDatabase()) this.#renewLog();
    else this.#rebuild();
    return this.#connection;
  }

  /** Whether the database and its log are the files at their paths. */
  isThere(): boolean {
    return this.#hasDatabase() && isSameFile(this.#logIdentity, identityOf(`${this.#file}-wal`));
  }

  #hasDatabase(): boolean {
    return isSameFile(this.#identity, identityOf(this.#file));
  }

  #identify(): void {
    this.#identity = identityOf(this.#file);
    this.#logIdentity = identityOf(`${this.#file}-wal`);
  }

  /** Throws where what is written now would be lost. */
  check(): void {
    if (!this.isThere()) throw new MovedError(this.#options.path);
  }

  close(): void {
    this.#connection.database.close();
    this.#lock.release();
  }

  #connect(): Connection {
    const database = openDatabase(this.#options);
    const { tombstonesMax } = this.#options;
    return {
      database,
      begin: database.prepare("BEGIN IMMEDIATE"),
      commit: database.prepare("COMMIT"),
      writer: new TableWriter(database, tombstonesMax),
      reader: new TableReader(database, tombstonesMax),
      sweep: new Sweep(database),
    };
  }

  // A log that was removed exists as long as it is open: the database gets everything that it has, and then another log.
  #renewLog(): void {
    if (this.isThere()) return;
    const before = this.#connection.database;
    const done = before.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    // Who still reads from it will be done soon.
    if (done?.["busy"] !== 0) throw new MovedError(this.#options.path);
    // Whatever has its name now is older than the database.
    rmSync(`${this.#file}-wal`, { force: true });
    this.#connection = this.#connect();
    this.#identify();
    before.close();
  }

  // An empty folder at the same path gets everything that the removed file has: that exists as long as it is open.
  #rebuild(): void {
    const { path, owner } = this.#options;
    const hasFolder = identityOf(path) !== undefined;
    if (!hasFolder || identityOf(this.#file) !== undefined) throw new MovedError(path);
    if (!this.#lock.isThere()) {
      const lock = new OwnerLock(path, owner);
      this.#lock.release();
      this.#lock = lock;
    }
    const before = this.#connection.database;
    rmSync(this.#part, { force: true });
    before.prepare("VACUUM INTO ?").run(this.#part);
    syncFile(this.#part);
    // A log that the removed file has left must not be taken for the new one's.
    for (const end of ["-wal", "-shm"]) rmSync(`${this.#file}${end}`, { force: true });
    renameSync(this.#part, this.#file);
    try {
      syncFolder(path);
      this.#connection = this.#connect();
    } catch (error) {
      // It is tried again: until then all is still in the removed file.
      rmSync(this.#file, { force: true });
      throw error;
    }
    this.#identify();
    // SQLite sees that it was moved, and leaves alone what has its name now.
    before.close();
  }
}

// No connection has it open, so that no lock is lost by closing it.
function syncFile(path: string): void {
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}

function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  fsyncSync(folder);
  closeSync(folder);
}
