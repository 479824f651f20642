// The connection to a folder's database, as long as that is where it was opened. SQLite itself would go on writing into a file
// that was removed, and everything acknowledged since would be gone with the process.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "./open-database.ts";
import { OwnerLock } from "./owner-lock.ts";
import { TableReader } from "./read-tables.ts";
import type { WriterOptions } from "./requests.ts";
import { fileNames } from "./schema.ts";
import { MovedError } from "./sqlite-error.ts";
import { Sweep } from "./sweep.ts";
import { TableWriter } from "./write-tables.ts";

/** A connection with everything that was prepared on it. */
export interface Connection {
  readonly database: DatabaseSync;
  readonly writer: TableWriter;
  readonly reader: TableReader;
  readonly sweep: Sweep;
}

interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

export class Place {
  readonly #options: WriterOptions;
  readonly #file: string;
  /** The copy of a database that was removed, beside its path until it is whole. */
  readonly #part: string;
  #isCopied = false;
  #lock: OwnerLock;
  #connection: Connection;
  #identity: Identity;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#file = join(options.path, fileNames.database);
    this.#part = `${this.#file}.part`;
    mkdirSync(options.path, { recursive: true });
    this.#lock = new OwnerLock(options.path, options.owner);
    try {
      rmSync(this.#part, { force: true });
      this.#connection = this.#connect();
      this.#identity = this.#found();
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
    if (!this.isThere()) this.#rebuild();
    return this.#connection;
  }

  /** Whether the database is the file at its path. */
  isThere(): boolean {
    const found = this.#look(this.#file);
    return found !== undefined && found.ino === this.#identity.ino && found.dev === this.#identity.dev;
  }

  /** Throws where what is written now would be lost. */
  check(): void {
    if (!this.isThere()) throw new MovedError(this.#options.path);
  }

  close(): void {
    const isGone = !this.isThere();
    if (this.#connection.database.isOpen) this.#connection.database.close();
    this.#lock.release(isGone);
  }

  #connect(): Connection {
    const database = openDatabase(this.#options);
    const { tombstonesMax } = this.#options;
    return {
      database,
      writer: new TableWriter(database, tombstonesMax),
      reader: new TableReader(database, tombstonesMax),
      sweep: new Sweep(database),
    };
  }

  // An empty folder at the same path gets everything that the removed file has: that exists as long as it is open.
  #rebuild(): void {
    const { path } = this.#options;
    const hasFolder = this.#look(path) !== undefined;
    if (!hasFolder || this.#look(this.#file) !== undefined) throw new MovedError(path);
    if (!this.#isCopied || this.#look(this.#part) === undefined) this.#copy();
    // When it is closed it deletes the log by its name, so that the new database must not be there yet; a log of the removed
    // file that was left must not be taken for the new one's.
    if (this.#connection.database.isOpen) this.#connection.database.close();
    for (const end of ["-wal", "-shm"]) rmSync(`${this.#file}${end}`, { force: true });
    renameSync(this.#part, this.#file);
    this.#isCopied = false;
    syncFolder(path);
    this.#connection = this.#connect();
    this.#identity = this.#found();
  }

  #copy(): void {
    const { path, owner } = this.#options;
    if (!this.#connection.database.isOpen) throw new MovedError(path);
    const lock = new OwnerLock(path, owner);
    try {
      rmSync(this.#part, { force: true });
      this.#connection.database.prepare("VACUUM INTO ?").run(this.#part);
      syncFile(this.#part);
    } catch (error) {
      lock.release();
      throw error;
    }
    this.#lock.release(true);
    this.#lock = lock;
    this.#isCopied = true;
  }

  #found(): Identity {
    const found = this.#look(this.#file);
    if (found === undefined) throw new MovedError(this.#options.path);
    return found;
  }

  #look(path: string): Identity | undefined {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
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
