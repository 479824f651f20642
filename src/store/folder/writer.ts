// Writes a data folder: a group of requests is one transaction, and what nobody waits for is done in between. It has no thread
// of its own: the writer thread drives it, and so may tests and tools.
import { systemClock } from "../../std/clock.ts";
import { folderBytes, giveBackPages, type CompactReport } from "./compaction.ts";
import { busyMs } from "./open-database.ts";
import { Place, type Connection } from "./place.ts";
import {
  bytesOf,
  isRead,
  type Failure,
  type GroupAnswer,
  type StoreRequest,
  type WriterOptions,
} from "./requests.ts";
import {
  isDamage,
  isDiskError,
  MovedError,
  openError,
  primaryCode,
  requestError,
  sqliteCodes,
} from "./sqlite-error.ts";

const pageBytes = 4_096;
/** The log is checkpointed when nothing waits and it has about this many pages. */
const idlePages = 1_000;
/** Then it is checkpointed although something waits. */
const forcedPages = 16_000;
/** Beside its texts a request changes about this many pages. */
const pagesPerRequest = 4;
const sliceMs = 5;
/** How long closing may sweep. */
const closingMs = 100;
const artifactBytesPerSlice = 2 ** 20;

export interface ArtifactText {
  readonly key: string;
  readonly text: string;
}

/** What is called at the end of a compaction, with its report or with what made it fail. */
type OnCompacted = (report: CompactReport | Omit<Failure, "index">) => void;

type Values = GroupAnswer["values"];

export class Writer {
  readonly #place: Place;
  readonly #path: string;
  readonly #artifacts: ArtifactText[] = [];
  /** About how many pages of the log are not in the database yet, and at how many the next checkpoint is due. */
  #logPages = 0;
  #checkpointPages = idlePages;
  #compaction: { readonly bytesBefore: number; readonly onEnd: OnCompacted } | undefined;

  /** Throws `STORE_LOCKED` or `STORE_FAILED`. */
  constructor(options: WriterOptions) {
    this.#path = options.path;
    try {
      this.#place = new Place(options);
    } catch (error) {
      throw openError(options.path, error);
    }
  }

  /** Carries out requests in their order, all in one transaction if that is possible, otherwise each in its own. */
  run(requests: readonly StoreRequest[]): GroupAnswer {
    const count = requests.length;
    const hasWritten = !requests.every(isRead);
    try {
      const values = this.#attemptHere(requests);
      return { count, hasWritten, transactions: hasWritten ? 1 : 0, failures: [], values };
    } catch (error) {
      // Where there is no folder to write to, this says why, for all of them.
      const isRefused = count === 1 || isForAll(error) || !this.#place.isThere();
      return this.#runSingly(requests, isRefused ? error : undefined);
    }
  }

  // Where the folder was removed, it may be there again, and get everything that was acknowledged.
  #attemptHere(requests: readonly StoreRequest[]): Values {
    try {
      return this.#attempt(requests);
    } catch (error) {
      if (!(error instanceof MovedError)) throw error;
      this.#place.connection();
      return this.#attempt(requests);
    }
  }

  /** Stores it when nothing else is to be done. */
  addArtifact(artifact: ArtifactText): void {
    this.#artifacts.push(artifact);
  }

  /** Gives room back when nothing else is to be done. One that is under way begins anew. */
  compact(onEnd: OnCompacted): void {
    this.#place.current.sweep.startOver();
    const bytesBefore = this.#compaction?.bytesBefore ?? folderBytes(this.#path);
    this.#compaction = { bytesBefore, onEnd };
  }

  get hasIdleWork(): boolean {
    const isLogLong = this.#logPages > this.#checkpointPages;
    const { sweep } = this.#place.current;
    return this.#artifacts.length > 0 || isLogLong || sweep.isDue || this.#compaction !== undefined;
  }

  /** Does a little of what nobody waits for; gives how many artifacts are stored or were given up. */
  idle(): number {
    if (this.#artifacts.length > 0) return this.#storeArtifacts();
    if (this.#logPages > this.#checkpointPages) this.#checkpoint("PASSIVE");
    else if (this.#place.current.sweep.isDue) this.#sweep(sliceMs);
    else this.#giveBack(sliceMs);
    return 0;
  }

  close(): void {
    while (this.#artifacts.length > 0) this.#storeArtifacts();
    const { sweep } = this.#place.current;
    sweep.hurry();
    if (sweep.isDue) this.#sweep(closingMs);
    this.#place.close();
  }

  /** Where writing was refused altogether, only what reads is carried out. */
  #runSingly(requests: readonly StoreRequest[], refusal: unknown): GroupAnswer {
    const failures: Failure[] = [];
    const values: (readonly [number, unknown])[] = [];
    let transactions = 0;
    for (const [index, request] of requests.entries())
      try {
        if (refusal !== undefined && !isRead(request)) throw refusal;
        for (const [, value] of this.#attempt([request])) values.push([index, value]);
        if (!isRead(request)) transactions++;
      } catch (error) {
        failures.push({ index, ...this.#toFailure(error) });
      }
    return { count: requests.length, hasWritten: transactions > 0, transactions, failures, values };
  }

  // All or none of it is carried out.
  #attempt(requests: readonly StoreRequest[]): Values {
    const { reader, writer, sweep } = this.#place.current;
    const values: (readonly [number, unknown])[] = [];
    const lost: Uint8Array[] = [];
    const act = (): void => {
      for (const [index, request] of requests.entries())
        if (isRead(request)) values.push([index, reader.carryOut(request)]);
        else lost.push(...writer.carryOut(request));
    };
    if (requests.every(isRead)) act();
    else {
      this.#transact(act);
      sweep.lose(lost);
      for (const request of requests) this.#logPages += pagesPerRequest + bytesOf(request) / pageBytes;
      if (this.#logPages > Math.max(forcedPages, this.#checkpointPages)) this.#checkpoint("TRUNCATE");
    }
    return values;
  }

  #transact(act: () => void): void {
    const { database, begin, commit } = this.#place.current;
    begin.run();
    try {
      act();
      this.#place.check();
      commit.run();
    } catch (error) {
      // Some failures of SQLite have ended it already.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }

  // In "power" mode too: what is not stored is compiled again.
  #storeArtifacts(): number {
    let [count, bytes] = [0, 0];
    for (const { text } of this.#artifacts) {
      if (bytes >= artifactBytesPerSlice) break;
      bytes += text.length;
      count++;
    }
    const slice = this.#artifacts.splice(0, count);
    this.#logPages += bytes / pageBytes + pagesPerRequest * count;
    this.#tryIdle(({ writer }) => {
      for (const { key, text } of slice) writer.artifact(key, text);
    });
    return count;
  }

  #sweep(budgetMs: number): void {
    const endMs = systemClock.monotonic() + budgetMs;
    const isDone = this.#tryIdle(({ sweep }) => {
      do sweep.step();
      while (sweep.isDue && systemClock.monotonic() < endMs);
    });
    this.#logPages += pagesPerRequest;
    if (!isDone) this.#place.current.sweep.rest();
  }

  #giveBack(budgetMs: number): void {
    if (this.#compaction === undefined) return;
    const { bytesBefore, onEnd } = this.#compaction;
    const endMs = systemClock.monotonic() + budgetMs;
    let hasMore = false;
    const failure = this.#failureOf(({ database, writer }) => {
      writer.trimTombstones();
      do hasMore = giveBackPages(database);
      while (hasMore && systemClock.monotonic() < endMs);
    });
    this.#logPages += idlePages / 10;
    if (hasMore && failure === undefined) return;
    this.#compaction = undefined;
    // Only this cuts the file.
    if (failure === undefined) this.#checkpoint("TRUNCATE");
    onEnd(failure ?? { bytesBefore, bytesAfter: folderBytes(this.#path) });
  }

  /** What nobody waits for may fail: a request will find out by itself what is wrong. */
  #tryIdle(act: (connection: Connection) => void): boolean {
    return this.#failureOf(act) === undefined;
  }

  #failureOf(act: (connection: Connection) => void): Omit<Failure, "index"> | undefined {
    try {
      this.#transact(() => act(this.#place.current));
      return undefined;
    } catch (error) {
      return this.#toFailure(error);
    }
  }

  #toFailure(error: unknown): Omit<Failure, "index"> {
    const { code, message } = requestError(this.#path, error);
    return { code, message, isDisk: isDiskError(error), isLasting: isDamage(error) };
  }

  #checkpoint(mode: "PASSIVE" | "TRUNCATE"): void {
    const { database } = this.#place.current;
    try {
      // It takes what it can and waits for no one who reads.
      database.exec("PRAGMA busy_timeout = 0");
      const done = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get() as
        | Record<string, number>
        | undefined;
      this.#logPages = Math.max(0, (done?.["log"] ?? 0) - (done?.["checkpointed"] ?? 0));
    } catch {
      // It will be tried again: until then the log is longer.
    }
    database.exec(`PRAGMA busy_timeout = ${busyMs}`);
    this.#checkpointPages = this.#logPages + idlePages;
  }
}

/** Where one request waited for this in vain, others would too. */
function isForAll(error: unknown): boolean {
  return error instanceof MovedError || primaryCode(error) === sqliteCodes.busy;
}
