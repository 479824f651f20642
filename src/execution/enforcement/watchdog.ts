// The main thread's side of the watchdog: registers cells and reads the findings.
import { systemClock } from "../../std/clock.ts";
import type { Suspect } from "../cell.ts";
import { Board, boardCauses, cellsMax } from "./board.ts";
import { rssBytesOf } from "./process-stat.ts";
import type { KillCause } from "./verdict.ts";
import { WatchdogWorker } from "./watchdog-worker.ts";

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
  /** Ends the watch; calls back once the slate is read no more, and may be closed. */
  end(onForgotten: () => void): void;
}

/** A cell to be watched. */
export interface WatchedCell {
  readonly pid: number;
  /** Open until the watch has ended and called back. The thread that opened it closes it. */
  readonly slateFd: number;
  readonly rssBytesMax: number;
  /** The thread has failed: no limit of this cell is enforced any more, and it must be ended. */
  readonly onLost: () => void;
}

export class Watchdog {
  readonly #board = new Board();
  #worker: WatchdogWorker | undefined;
  // The slot that was freed last is reused last, as the thread may still read it for a moment.
  readonly #free: number[] = Array.from({ length: cellsMax }, (_, index) => index);

  /** Starts the thread, with the first cell and after it has failed. Rejects where it cannot be started. */
  async open(): Promise<void> {
    const isGone = this.#worker === undefined || this.#worker.hasFailed;
    if (isGone) this.#worker = new WatchdogWorker(this.#board);
    await this.#worker?.isUp;
  }

  /** Puts a cell under watch. */
  watch({ pid, slateFd, rssBytesMax, onLost }: WatchedCell): Watch {
    const index = this.#free.shift();
    if (index === undefined) throw new RangeError(`more than ${cellsMax} cells`);
    const board = this.#board;
    const worker = this.#worker;
    board.clear(index);
    board.set(index, "rssBytesMax", rssBytesMax);
    // Known from the start: on a busy machine the thread's first look may be late.
    board.set(index, "rssBytes", rssBytesOf(pid));
    worker?.watch({ t: "watch", cell: index, pid, slateFd }, onLost);
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
      end: (onForgotten) => {
        this.#free.push(index);
        if (worker === undefined) onForgotten();
        else worker.forget(index, onForgotten);
      },
    };
  }

  /** Ends the thread; by force when that takes too long. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.end();
    const timer = systemClock.after(closeMs, () => worker.terminate());
    await worker.ended;
    timer.cancel();
  }
}
