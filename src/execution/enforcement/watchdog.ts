// The main thread's side of the watchdog: registers cells and reads the findings.
import { MessageChannel, Worker, type MessagePort } from "node:worker_threads";
import { VivariumError } from "../../model/errors.ts";
import { systemClock } from "../../std/clock.ts";
import type { Suspect } from "../cell.ts";
import { programUrl } from "../programs.ts";
import { Board, boardCauses, cellsMax } from "./board.ts";
import { rssBytesOf } from "./process-stat.ts";
import type { KillCause } from "./verdict.ts";
import type { WatchRequest } from "./watchdog-thread.ts";

const closeMs = 1_000;

/** One cell under watch. */
export interface Watch {
  /** How many operations the cell has and has not answered. */
  setInFlight(count: number): void;
  /** The most memory that any sandbox in it may use. */
  setMemoryBytesMax(bytes: number): void;
  /** What the heaps of all sandboxes in it held at their latest samples. */
  setHeapBytes(bytes: number): void;
  rssBytes(): number;
  /** Why the watchdog killed it, and which operation is at fault; undefined when it did not. */
  verdict(): { readonly cause: KillCause; readonly culprit: Suspect | undefined } | undefined;
  /** The processor time of the cell at the last look, since this operation was first seen inside; undefined when it was not. */
  cpuMsInside(op: number): number | undefined;
  /** Ends the watch and closes the slate. */
  end(): void;
}

export class Watchdog {
  readonly #board = new Board();
  #thread: Thread | undefined;
  // The slot that was freed last is reused last, as the thread may still read it for a moment.
  readonly #free: number[] = Array.from({ length: cellsMax }, (_, index) => index);

  /** Starts the thread, with the first cell. Rejects where it cannot be started, or has ended. */
  async open(): Promise<void> {
    this.#thread ??= startThread(this.#board);
    await this.#thread.isUp;
  }

  /** Puts a cell under watch. The slate's descriptor belongs to the watchdog from here on. */
  watch(cell: { readonly pid: number; readonly slateFd: number; readonly rssBytesMax: number }): Watch {
    const index = this.#free.shift();
    if (index === undefined) throw new RangeError(`more than ${cellsMax} cells`);
    const board = this.#board;
    board.clear(index);
    board.set(index, "rssBytesMax", cell.rssBytesMax);
    // Known from the start: on a busy machine the thread's first look may be late.
    board.set(index, "rssBytes", rssBytesOf(cell.pid));
    this.#request({ t: "watch", cell: index, pid: cell.pid, slateFd: cell.slateFd });
    return {
      setInFlight(count) {
        const was = board.get(index, "inFlight");
        board.set(index, "inFlight", count);
        if (was === 0 && count > 0) board.wake();
      },
      setMemoryBytesMax: (bytes) => board.set(index, "memoryBytesMax", bytes),
      setHeapBytes: (bytes) => board.set(index, "heapBytes", bytes),
      rssBytes: () => board.get(index, "rssBytes"),
      verdict() {
        const cause = boardCauses[board.get(index, "cause")];
        const culprit = { op: board.get(index, "culpritOp"), key: board.get(index, "culpritKey") };
        return cause === undefined || cause === "none"
          ? undefined
          : { cause, culprit: culprit.key === 0 ? undefined : culprit };
      },
      cpuMsInside: (op) =>
        board.get(index, "insideOp") === op ? board.get(index, "insideCpuMs") : undefined,
      end: () => {
        this.#request({ t: "forget", cell: index });
        this.#free.push(index);
      },
    };
  }

  /** Ends the thread once it has closed its descriptors; by force when that takes too long. */
  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    this.#request({ t: "end" });
    const timer = systemClock.after(closeMs, () => void thread.worker.terminate());
    await thread.ended;
    timer.cancel();
    thread.port.close();
  }

  #request(request: WatchRequest): void {
    this.#thread?.port.postMessage(request);
    this.#board.wake();
  }
}

interface Thread {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly isUp: Promise<void>;
  readonly ended: Promise<void>;
}

function startThread(board: Board): Thread {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(programUrl("watchdog"), {
    workerData: { shared: board.shared, port: port2 },
    transferList: [port2],
    execArgv: [],
    env: {},
    stdin: false,
    // It closes descriptors that it did not open: those of the slates it is given.
    trackUnmanagedFds: false,
  });
  const up = Promise.withResolvers<void>();
  let isUp = false;
  worker.once("online", () => {
    isUp = true;
    worker.unref();
    up.resolve();
  });
  worker.on("error", (error) => {
    // Without the thread no limit is enforced any more: the runtime must not go on.
    if (isUp) throw error;
    up.reject(new VivariumError("CELL_START_FAILED", `the thread that watches it failed: ${String(error)}`));
  });
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  port1.unref();
  return { worker, port: port1, isUp: up.promise, ended };
}
