// Looks at all runs a few times a second: who has waited too long for a lane, which lane is blocked, and which cell owes
// an answer that it will not give. No promise stays pending because a cell forgot it.
import type { Clock, Timer } from "../../std/clock.ts";
import type { CellPool } from "../cells/cell-pool.ts";
import type { CellQueue } from "../cells/cell-queue.ts";
import type { Homing } from "../cells/assignment.ts";
import type { Runs } from "./runs.ts";
import type { RunTicket } from "./ticket.ts";

export interface SweeperParts {
  readonly clock: Clock;
  readonly pool: CellPool;
  readonly runs: Runs;
  readonly homing: Homing;
}

// What the heaps in a cell were last seen to hold; one that was not looked at yet counts for nothing.
function heapBytesOf(queue: CellQueue): number {
  let bytes = 0;
  for (const { usage } of queue.residents) bytes += usage.heapBytes + usage.externalBytes;
  return bytes;
}

const intervalMs = 50;
/** A look that comes so late says that the main thread was blocked: first what came in meanwhile must be read. */
const lateMs = 200;
/** How much longer than the cell's own clock ours waits for a run that is pending inside its isolate. */
const pendingGraceMs = 300;

export class Sweeper {
  readonly #parts: SweeperParts;
  #timer: Timer | undefined;
  #lastMs = 0;
  #hasSkipped = false;
  #isOpen = true;

  constructor(parts: SweeperParts) {
    this.#parts = parts;
  }

  /** Sees to it that looks are taken while there are runs. */
  wake(): void {
    if (this.#timer !== undefined || !this.#isOpen) return;
    this.#lastMs = this.#parts.clock.monotonic();
    this.#schedule();
  }

  close(): void {
    this.#isOpen = false;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #schedule(): void {
    this.#timer = this.#parts.clock.after(intervalMs, () => {
      const nowMs = this.#parts.clock.monotonic();
      // One look may be skipped, never two in a row: what came in was read between them, however busy the thread is.
      const mustSkip = nowMs - this.#lastMs > lateMs && !this.#hasSkipped;
      this.#lastMs = nowMs;
      this.#hasSkipped = mustSkip;
      if (!mustSkip) this.#sweep(nowMs);
      this.#timer = undefined;
      const isNeeded =
        this.#parts.runs.underway.size > 0 || this.#parts.pool.queues.some((queue) => queue.isBusy);
      if (isNeeded) this.#schedule();
    });
  }

  #sweep(nowMs: number): void {
    const { runs, pool } = this.#parts;
    for (const queue of pool.queues) {
      queue.cell.setHeapBytes(heapBytesOf(queue));
      if (queue.isSilent(nowMs)) queue.cell.kill("silent");
      else this.#relieve(queue);
    }
    for (const ticket of [...runs.underway]) {
      const queue = ticket.resident.home?.queue;
      if (ticket.pendingSinceMs !== undefined) this.#endIfOverdue(ticket, nowMs);
      else if (queue === undefined || !queue.has(ticket)) this.#endIfWaitedTooLong(ticket, nowMs);
    }
  }

  #endIfOverdue(ticket: RunTicket, nowMs: number): void {
    const { timeoutMs } = ticket.terms;
    if (nowMs <= (ticket.pendingSinceMs as number) + timeoutMs + pendingGraceMs) return;
    this.#parts.runs.end(ticket, {
      kind: "timeout",
      limit: "timeoutMs",
      message: `Cannot finish within timeoutMs, ${timeoutMs}: it was still waiting`,
    });
  }

  #endIfWaitedTooLong(ticket: RunTicket, nowMs: number): void {
    const { waitMs } = ticket.terms;
    if (nowMs <= ticket.submittedMs + waitMs) return;
    this.#parts.runs.cancel(ticket, "lane", `it must get a lane within ${waitMs} ms: all were taken`);
  }

  // One run holds the main lane. Neighbours that have nothing to lose are loaded elsewhere and go on there.
  #relieve(queue: CellQueue): void {
    const holder = queue.updateBlocked();
    if (holder === undefined || !this.#parts.pool.hasBetterThan(queue)) return;
    for (const ticket of [...this.#parts.runs.underway]) {
      const { resident } = ticket;
      if (
        resident.key === holder ||
        resident.home?.queue !== queue ||
        !ticket.wasPristine ||
        ticket.lane === "async"
      )
        continue;
      for (const moved of this.#parts.homing.vacate(resident)) {
        moved.forgetLogs();
        this.#parts.runs.dispatch(moved);
      }
    }
  }
}
