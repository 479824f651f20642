// Checks all runs several times a second: which have waited too long, which main lane is blocked, and which cell is overdue
// with an answer. No promise stays pending because a cell forgot it.
import type { Clock, Timer } from "../../std/clock.ts";
import type { CellPool } from "../cells/cell-pool.ts";
import type { CellQueue } from "../cells/cell-queue.ts";
import type { RunTable } from "./run-table.ts";
import type { RunTicket } from "./ticket.ts";

export interface DeadlinesParts {
  readonly clock: Clock;
  readonly pool: CellPool;
  readonly table: RunTable;
}

const intervalMs = 50;
/** A check that is so late means that the main thread was blocked: reports that arrived meanwhile are read first. */
const lateMs = 200;
/** How much longer than its cell we wait for a run that is pending inside its isolate. */
const pendingGraceMs = 300;

export class Deadlines {
  readonly #parts: DeadlinesParts;
  #timer: Timer | undefined;
  #lastMs = 0;
  #hasSkipped = false;
  #isOpen = true;

  constructor(parts: DeadlinesParts) {
    this.#parts = parts;
  }

  /** Starts the checks; they go on while there are runs, or a cell owes an answer. */
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
      const { clock, table, pool } = this.#parts;
      const nowMs = clock.monotonic();
      // Never two in a row are skipped: between two checks the reports that have arrived are read.
      const mustSkip = nowMs - this.#lastMs > lateMs && !this.#hasSkipped;
      this.#lastMs = nowMs;
      this.#hasSkipped = mustSkip;
      for (const queue of pool.queues) queue.updateHeapBytes();
      if (!mustSkip) this.#look(nowMs);
      this.#timer = undefined;
      if (this.#isOpen && (table.underway.size > 0 || pool.queues.some(({ isBusy }) => isBusy)))
        this.#schedule();
    });
  }

  #look(nowMs: number): void {
    const { table, pool } = this.#parts;
    for (const queue of pool.queues) {
      if (queue.isSilent(nowMs)) queue.cell.kill("silent");
      else this.#relieve(queue);
    }
    for (const ticket of table.underway) {
      // Of thousands, few or none are.
      if (!isLate(ticket, nowMs)) continue;
      const queue = ticket.sandbox.place?.queue;
      if (queue?.hasAnswerTo(ticket) === true) continue;
      if (ticket.pendingSinceMs !== undefined) endAsOverdue(ticket);
      else if (queue === undefined || !queue.has(ticket)) endAsWaiting(ticket);
    }
  }

  // One run holds the main lane: other sandboxes that lose nothing by it are moved to another cell.
  #relieve(queue: CellQueue): void {
    const holder = queue.updateBlocked();
    if (holder === undefined || !this.#parts.pool.hasBetterThan(queue)) return;
    for (const [key, { cellEvents }] of [...queue.sandboxes])
      if (key !== holder.key) cellEvents.moveAway(holder);
  }
}

// Whether it has been pending, or has waited, for longer than it may.
function isLate({ pendingSinceMs, waitingSinceMs, terms }: RunTicket, nowMs: number): boolean {
  return pendingSinceMs === undefined
    ? nowMs > waitingSinceMs + terms.waitMs
    : nowMs > pendingSinceMs + terms.timeoutMs + pendingGraceMs;
}

function endAsOverdue(ticket: RunTicket): void {
  const { timeoutMs } = ticket.terms;
  ticket.sandbox.endRun(ticket, {
    kind: "timeout",
    limit: "timeoutMs",
    message: `Cannot finish within timeoutMs, ${timeoutMs}: it was still waiting`,
  });
}

function endAsWaiting(ticket: RunTicket): void {
  const { waitMs } = ticket.terms;
  const message = `Cannot start the run as it must begin within ${waitMs} ms: ${whatItWaitsFor(ticket)}`;
  ticket.sandbox.endRun(ticket, { kind: "cancelled", reason: "lane", message });
}

function whatItWaitsFor({ sandbox }: RunTicket): string {
  switch (sandbox.status) {
    case "suspended":
      return "its sandbox is suspended";
    case "creating":
      return "its sandbox was still being loaded";
    case "reloading":
      return "its sandbox was still being reloaded";
    default:
      return sandbox.place === undefined ? "no cell had room for its sandbox" : "all lanes were taken";
  }
}
