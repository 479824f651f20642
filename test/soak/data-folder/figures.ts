// What the host, its cells and the data folder hold at one moment of the soak.
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { Runtime } from "../../../src/index.ts";
import { fileSizes } from "../../../src/store/folder/maintenance/file-sizes.ts";
import { openReading, pragma } from "../../../src/store/folder/maintenance/open-reading.ts";
import { figuresOf } from "../../support/processes.ts";
import type { Account } from "./account.ts";

const MiB = 2 ** 20;
const nanosecondsPerMs = 1e6;
const resolutionMs = 5;

export interface Figures {
  readonly minutes: number;
  readonly hostRssMiB: number;
  /** After a collection, where the process has `gc`. */
  readonly hostHeapMiB: number;
  readonly descriptors: number;
  readonly threads: number;
  readonly cells: number;
  readonly cellsRssMiB: number;
  readonly databaseMiB: number;
  readonly walMiB: number;
  /** Of the pages of the database that are not empty. */
  readonly usedMiB: number;
  readonly blobs: number;
  readonly tombstones: number;
  readonly journal: number;
  /** Rows of all collections together. */
  readonly documents: number;
  readonly sandboxes: number;
  readonly operations: number;
  readonly hostileRuns: number;
  readonly faults: number;
  /** Of asks that were answered after their state was stored, since the last sample. */
  readonly askMsMedian: number;
  readonly askMs99: number;
  /** Of writes of one document. */
  readonly writeMsMedian: number;
  readonly writeMs99: number;
  /** Since the last sample, without what the sample itself took. */
  readonly loopDelayMsMax: number;
}

export interface SamplerParts {
  readonly runtime: Runtime;
  readonly account: Account;
  readonly path: string;
}

/** Takes figures from time to time. */
export class Sampler implements Disposable {
  readonly #parts: SamplerParts;
  readonly #startedMs = performance.now();
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly #reader: DatabaseSync;
  readonly samples: Figures[] = [];

  constructor(parts: SamplerParts) {
    this.#parts = parts;
    this.#reader = openReading(parts.path);
    this.#delay.enable();
  }

  async sample(): Promise<Figures> {
    const { runtime, account, path } = this.#parts;
    const loopDelayMsMax = this.#delay.max / nanosecondsPerMs;
    const { cells, sandboxes } = await runtime.metrics();
    globalThis.gc?.();
    const { rssBytes, threads, descriptors } = figuresOf(process.pid);
    const { databaseBytes, walBytes } = fileSizes(path);
    const askMs = account.askMs.take();
    const writeMs = account.writeMs.take();
    const taken: Figures = {
      minutes: (performance.now() - this.#startedMs) / 60_000,
      hostRssMiB: rssBytes / MiB,
      hostHeapMiB: process.memoryUsage().heapUsed / MiB,
      descriptors,
      threads,
      cells: cells.length,
      cellsRssMiB: cells.reduce((sum, { pid }) => sum + figuresOf(pid).rssBytes, 0) / MiB,
      databaseMiB: databaseBytes / MiB,
      walMiB: walBytes / MiB,
      usedMiB: this.#usedBytes() / MiB,
      blobs: this.#rows("blobs"),
      tombstones: this.#rows("tombstones"),
      journal: this.#rows("documents WHERE collection = 'vivarium.journal'"),
      documents: this.#rows("documents"),
      sandboxes: Object.values(sandboxes).reduce((sum, count) => sum + count, 0),
      operations: account.operations,
      hostileRuns: account.hostileRuns,
      faults: account.faultCount,
      askMsMedian: askMs.median,
      askMs99: askMs.p99,
      writeMsMedian: writeMs.median,
      writeMs99: writeMs.p99,
      loopDelayMsMax,
    };
    this.samples.push(taken);
    // Its timer has to notice first how long this took.
    await sleep(2 * resolutionMs);
    this.#delay.reset();
    return taken;
  }

  #usedBytes(): number {
    const [all = 0, free = 0, bytes = 0] = ["page_count", "freelist_count", "page_size"].map((name) =>
      pragma(this.#reader, name),
    );
    return (all - free) * bytes;
  }

  #rows(of: string): number {
    return Number(this.#reader.prepare(`SELECT count(*) AS rows FROM ${of}`).get()?.["rows"] ?? 0);
  }

  [Symbol.dispose](): void {
    this.#delay.disable();
    this.#reader.close();
  }
}
