// The writer thread as the caller's thread sees it: started when it is first needed, started again when it was lost, and asked
// in order. Every request settles in bounded time.
import { Worker } from "node:worker_threads";
import type { Clock, Timer } from "../../std/clock.ts";
import { storeMs } from "../ordered.ts";
import type { CompactReport } from "./compaction.ts";
import {
  bytesOf,
  type StoreRequest,
  type WriterMessage,
  type WriterOptions,
  type WriterReport,
} from "./requests.ts";
import { errorOf, WaitingRequests, type Refusal } from "./waiting-requests.ts";

export interface ClientOptions {
  readonly clock: Clock;
  readonly writerUrl: URL;
  readonly writer: WriterOptions;
  /** Called after each group; `reason` says why one failed where the disk or the thread is at fault. */
  readonly onGroup: (reason: string | undefined) => void;
}

const restartMsMin = 100;
const restartMsMax = 10_000;
/** How many bytes of artifacts may wait; more of them are not stored. */
const artifactBytesMax = 32 * 2 ** 20;

/** How the thread ended: as it was asked to, since it could not open the folder, or for no known reason. */
interface Ending {
  readonly how: "closed" | "refused" | "lost";
  /** For those that still wait. */
  readonly refusal: Refusal;
}

interface WaitingArtifact {
  readonly bytes: number;
  readonly done: () => void;
  readonly stored: Promise<void>;
}

export class WriterClient {
  readonly #options: ClientOptions;
  readonly #waiting: WaitingRequests;
  #artifacts: WaitingArtifact[] = [];
  #artifactBytes = 0;
  #outbox: WriterMessage[] = [];
  #isPosting = false;
  #worker: Worker | undefined;
  /** Until the next start. */
  #pause: Timer | undefined;
  #pauseMs = restartMsMin;
  /** It was open at some time, and is started again when it is lost. */
  #wasOpen = false;
  #closing: PromiseWithResolvers<void> | undefined;
  #compactions: PromiseWithResolvers<CompactReport>[] = [];
  /** Write transactions that were committed. */
  transactions = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#waiting = new WaitingRequests(options.clock, (hasAny) => this.#keepAlive(hasAny));
  }

  /**
   * Resolves with the answer. `onAnswer` is called before that, also where the answer comes after the request was given up:
   * with nothing when it was carried out.
   */
  send(
    what: string,
    request: StoreRequest,
    onAnswer: (refusal?: Refusal) => void = () => {},
  ): Promise<unknown> {
    const refusal = this.#refusal(what) ?? this.#waiting.refusal(what, bytesOf(request));
    if (refusal !== undefined) {
      onAnswer(refusal);
      return Promise.reject(errorOf(refusal));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.add({ what, bytes: bytesOf(request), onAnswer, resolve, reject });
      this.#post(request);
    });
  }

  /** Resolves when it is stored, or will not be. */
  storeArtifact(key: string, text: string): Promise<void> {
    const message = { kind: "store-artifact", key, text } as const;
    const bytes = bytesOf(message);
    const isRefused = this.#artifactBytes + bytes > artifactBytesMax || this.#refusal("write") !== undefined;
    if (isRefused) return Promise.resolve();
    this.#artifactBytes += bytes;
    const { promise: stored, resolve: done } = Promise.withResolvers<void>();
    this.#artifacts.push({ bytes, done, stored });
    this.#post(message);
    return stored;
  }

  /** Resolves when no artifact waits that was sent before. */
  async artifactsStored(): Promise<void> {
    await this.#artifacts.at(-1)?.stored;
  }

  /** It takes as long as it takes, in slices between requests; rejects when the thread ends before that. */
  compact(): Promise<CompactReport> {
    const refusal = this.#refusal("compact");
    if (refusal !== undefined) return Promise.reject(errorOf(refusal));
    const compaction = Promise.withResolvers<CompactReport>();
    this.#compactions.push(compaction);
    this.#post({ kind: "compact" });
    this.#worker?.ref();
    return compaction.promise;
  }

  /** Ends the thread when all requests are answered. */
  close(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing.promise;
    const closing = (this.#closing = Promise.withResolvers<void>());
    this.#pause?.cancel();
    const worker = this.#worker;
    if (worker === undefined) {
      this.#dropAll(this.#lost("it must be open: it was closed"));
      closing.resolve();
      return closing.promise;
    }
    this.#post({ kind: "close" });
    worker.ref();
    const timer = this.#options.clock.after(storeMs, () => void worker.terminate());
    return closing.promise.finally(() => timer.cancel());
  }

  #refusal(what: string): Refusal | undefined {
    if (this.#closing === undefined) return undefined;
    const message = `Cannot ${what} as the data folder "${this.#options.writer.path}" must be open: it was closed`;
    return { code: "STORE_FAILED", message, isDisk: false };
  }

  // What is sent in one turn of the event loop is one message.
  #post(message: WriterMessage): void {
    this.#outbox.push(message);
    if (this.#worker === undefined && this.#pause === undefined) this.#start();
    if (this.#isPosting) return;
    this.#isPosting = true;
    queueMicrotask(() => {
      this.#isPosting = false;
      this.#postAll();
    });
  }

  #postAll(): void {
    if (this.#worker === undefined || this.#outbox.length === 0) return;
    this.#worker.postMessage(this.#outbox);
    this.#outbox = [];
  }

  #start(): void {
    const { writerUrl, writer } = this.#options;
    let reason = "its writer must be running: the thread ended";
    let how: Ending["how"] = "lost";
    const worker = new Worker(writerUrl, {
      workerData: writer,
      // Node 24 calls SQLite experimental.
      execArgv: ["--disable-warning=ExperimentalWarning"],
      env: {},
      stdin: false,
    });
    this.#worker = worker;
    worker.on("message", (report: WriterReport) => {
      if (report.kind === "refused")
        this.#end(worker, { how: "refused", refusal: { ...report, isDisk: true } });
      else if (report.kind === "closed") how = "closed";
      else this.#onReport(report);
    });
    worker.on(
      "error",
      (error) => (reason = `its writer must be running: the thread failed: ${String(error)}`),
    );
    worker.on("exit", () => this.#end(worker, { how, refusal: this.#lost(reason) }));
    if (!this.#waiting.hasAny) worker.unref();
    this.#postAll();
  }

  #onReport(report: Exclude<WriterReport, { kind: "refused" | "closed" }>): void {
    if (report.kind === "opened") this.#wasOpen = true;
    else if (report.kind === "artifacts") this.#settleArtifacts(report.count);
    else if (report.kind === "compacted") this.#settleCompactions(report.report);
    else {
      this.#pauseMs = restartMsMin;
      this.transactions += report.transactions;
      this.#waiting.answer(report);
      const reason = report.failures.find(({ isDisk }) => isDisk)?.message;
      if (reason !== undefined || report.hasWritten) this.#options.onGroup(reason);
    }
  }

  #settleArtifacts(count: number): void {
    for (const { bytes, done } of this.#artifacts.splice(0, count)) {
      this.#artifactBytes -= bytes;
      done();
    }
  }

  #settleCompactions(report: CompactReport | Refusal): void {
    for (const { resolve, reject } of this.#compactions.splice(0))
      if ("code" in report) reject(errorOf(report));
      else resolve(report);
    this.#keepAlive(this.#waiting.hasAny);
  }

  #end(worker: Worker, { how, refusal }: Ending): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#dropAll(refusal);
    if (this.#closing !== undefined) {
      if (how === "lost") this.#closing.reject(errorOf(refusal));
      else this.#closing.resolve();
    } else if (this.#wasOpen) {
      this.#pause = this.#options.clock.after(this.#pauseMs, () => {
        this.#pause = undefined;
        this.#start();
      });
      this.#pauseMs = Math.min(this.#pauseMs * 2, restartMsMax);
      this.#options.onGroup(refusal.message);
    }
  }

  #dropAll(refusal: Refusal): void {
    this.#outbox = [];
    this.#waiting.refuseAll(refusal);
    this.#settleArtifacts(this.#artifacts.length);
    this.#settleCompactions(refusal);
  }

  #lost(why: string): Refusal {
    const message = `Cannot write to the data folder "${this.#options.writer.path}" as ${why}`;
    return { code: "STORE_FAILED", message, isDisk: true };
  }

  // While something waits the thread does not let the process end.
  #keepAlive(isNeeded: boolean): void {
    if (isNeeded || this.#compactions.length > 0) this.#worker?.ref();
    else if (this.#closing === undefined) this.#worker?.unref();
  }
}
