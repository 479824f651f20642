// The watchdog's thread as the main thread sees it: started, asked, and ended. Its failure ends the cells that it watched, as
// no limit of theirs would be enforced, and nothing else.
import { MessageChannel, Worker, type MessagePort } from "node:worker_threads";
import { VivariumError } from "../../model/errors.ts";
import { isOutOfDescriptors, wordsOf } from "../../std/descriptors.ts";
import { programUrl } from "../programs.ts";
import type { Board } from "./board.ts";
import type { WatchReport, WatchRequest } from "./watchdog-thread.ts";

export class WatchdogWorker {
  readonly #board: Board;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #up = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  /** By the number of a watched cell: what is called where the thread fails. */
  readonly #onLost = new Map<number, () => void>();
  /** By the number of a cell: what is called, in this order, when its slate is read no more. A number may be used again. */
  readonly #onForgotten = new Map<number, (() => void)[]>();
  #state: "running" | "ending" | "failed" | "over" = "running";

  constructor(board: Board) {
    this.#board = board;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = new Worker(programUrl("watchdog"), {
      workerData: { shared: board.shared, port: port2 },
      transferList: [port2],
      execArgv: [],
      env: {},
      stdin: false,
    });
    port1.on("message", (report: WatchReport) => this.#onReport(report));
    port1.unref();
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.once("exit", () => this.#end());
    // Whoever waits for it gets the rejection; it may be that nobody does.
    this.#up.promise.catch(() => {});
  }

  /** Resolves when it watches; rejects where it could not be started. */
  get isUp(): Promise<void> {
    return this.#up.promise;
  }

  /** Resolves when the thread is gone. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get hasFailed(): boolean {
    return this.#state === "failed" || this.#state === "over";
  }

  watch(request: Extract<WatchRequest, { t: "watch" }>, onLost: () => void): void {
    this.#onLost.set(request.cell, onLost);
    this.#request(request);
  }

  /** Calls back when the thread reads the slate of this cell no more. */
  forget(cell: number, onForgotten: () => void): void {
    this.#onLost.delete(cell);
    if (this.#state === "over") return onForgotten();
    this.#onForgotten.set(cell, [...(this.#onForgotten.get(cell) ?? []), onForgotten]);
    this.#request({ t: "forget", cell });
  }

  end(): void {
    if (this.#state === "running") this.#state = "ending";
    this.#request({ t: "end" });
  }

  terminate(): void {
    void this.#worker.terminate();
  }

  #request(request: WatchRequest): void {
    this.#port.postMessage(request);
    this.#board.wake();
  }

  #onReport(report: WatchReport): void {
    if (report.t === "up") {
      this.#worker.unref();
      return this.#up.resolve();
    }
    this.#onForgotten.get(report.cell)?.shift()?.();
  }

  #end(): void {
    this.#fail("it has ended");
    this.#state = "over";
    this.#port.close();
    for (const callbacks of this.#onForgotten.values()) for (const onForgotten of callbacks) onForgotten();
    this.#onForgotten.clear();
    this.#ended.resolve();
  }

  #fail(error: unknown): void {
    const why = isOutOfDescriptors(error)
      ? wordsOf(error)
      : `the thread that watches it failed: ${String(error)}`;
    this.#up.reject(new VivariumError("CELL_START_FAILED", why, error));
    if (this.#state !== "running") return;
    this.#state = "failed";
    for (const onLost of [...this.#onLost.values()]) onLost();
    this.#onLost.clear();
  }
}
