// The tickets that one cell was sent and has not answered, and whether an answer is overdue.
import type { ChangedStates } from "../../execution/protocol/messages.ts";
import { NumberTable } from "../../std/number-table.ts";
import { levelCount } from "./quick-runs.ts";
import type { RunTicket, Ticket } from "../runs/ticket.ts";

const laneWaitMsMax = 60_000;
const silenceMs = 5_000;

export class InFlight {
  readonly #tickets = new NumberTable<Ticket>();
  /** Tickets whose answers have arrived and wait until states are stored and long values read. */
  readonly answered: Set<number> = new Set();
  /** How many hold the main lane or wait for it. */
  quick = 0;
  /** How many of those are runs for which others have to wait, by level. */
  readonly runs: number[] = Array<number>(levelCount).fill(0);
  /** How many hold a lane of their own or follow one that does, by the numbers of their isolates. */
  readonly slow: Map<number, number> = new Map();

  get size(): number {
    return this.#tickets.size;
  }

  /** Takes out what is in flight for one isolate. */
  takeOf(key: number): Ticket[] {
    const taken = this.#tickets.where(({ place }) => place?.key === key);
    for (const ticket of taken) this.remove(ticket);
    return taken;
  }

  /** In the order of sending. */
  all(): Ticket[] {
    return this.#tickets.where(() => true);
  }

  find(op: number): Ticket | undefined {
    return this.#tickets.get(op);
  }

  has(ticket: Ticket): boolean {
    return this.#tickets.get(ticket.op) === ticket;
  }

  add(ticket: Ticket, op: number, nowMs: number): void {
    ticket.op = op;
    ticket.sentMs = nowMs;
    this.#tickets.set(op, ticket);
    if (ticket.kind === "run") {
      ticket.pendingSinceMs = undefined;
      ticket.read = undefined;
      ticket.isAside = false;
    }
    this.#count(ticket, 1);
  }

  remove(ticket: Ticket): void {
    if (!this.#tickets.delete(ticket.op)) return;
    if (ticket.kind !== "run" || ticket.pendingSinceMs === undefined) this.#count(ticket, -1);
  }

  clear(): void {
    this.#tickets.clear();
  }

  /** A run waits inside its isolate and holds no lane any more. Undefined where that is known, or it is no run. */
  notePending(op: number, sinceMs: number): RunTicket | undefined {
    const ticket = this.#tickets.get(op);
    if (ticket?.kind !== "run") return undefined;
    if (ticket.pendingSinceMs !== undefined) {
      ticket.prolong(sinceMs);
      return undefined;
    }
    ticket.pendingSinceMs = sinceMs;
    this.#count(ticket, -1);
    return ticket;
  }

  /** A run waits for its sandbox, which is busy: others for the main lane do not wait for it. Undefined where that is known. */
  noteWaiting(op: number): RunTicket | undefined {
    const ticket = this.#tickets.get(op);
    if (ticket?.kind !== "run" || ticket.lane === "async") return undefined;
    if (ticket.isAside || ticket.pendingSinceMs !== undefined) return undefined;
    this.#countRun(ticket, -1);
    ticket.isAside = true;
    return ticket;
  }

  /** What runs did may be in states that are now stored: they are not repeated, whatever becomes of the cell. */
  noteTraces(states: readonly ChangedStates[]): void {
    for (const { begun } of states)
      for (const op of begun) {
        const ticket = this.#tickets.get(op);
        if (ticket?.kind === "run") ticket.hasTrace = true;
      }
  }

  /** Whether a cell that reported last at `heardMs` owes an answer for longer than all bounds together. */
  isAnyOverdue(nowMs: number, heardMs: number): boolean {
    const owed = this.#tickets.where(({ op }) => !this.answered.has(op));
    // What waits for the main lane may have to wait for the longest run that was sent there.
    let heldMs = 0;
    for (const ticket of owed)
      if (ticket.kind === "run" && ticket.lane !== "async") heldMs = Math.max(heldMs, ticket.terms.timeoutMs);
    return owed.some((ticket) => {
      const waitMs = ticket.lane === "async" ? 0 : heldMs;
      const dueMs = ticket.sentMs + patienceMs(ticket, Infinity) + waitMs + silenceMs;
      // A cell that reports nothing at all need not be waited for as long as one that is at work.
      const quietDueMs =
        Math.max(ticket.sentMs, heardMs) + patienceMs(ticket, laneWaitMsMax) + waitMs + silenceMs;
      return nowMs > Math.min(dueMs, quietDueMs);
    });
  }

  #count(ticket: Ticket, by: number): void {
    if (ticket.lane !== "async") {
      this.quick += by;
      if (ticket.kind === "run") this.#countRun(ticket, by);
      return;
    }
    const key = ticket.place?.key ?? 0;
    const count = (this.slow.get(key) ?? 0) + by;
    if (count > 0) this.slow.set(key, count);
    else this.slow.delete(key);
  }

  #countRun({ isAside, level }: RunTicket, by: number): void {
    if (!isAside) this.runs[level] = (this.runs[level] ?? 0) + by;
  }
}

// What a ticket may take once it is sent: its own time, and that of those before it in its lane.
function patienceMs(ticket: Ticket, waitMsMax: number): number {
  const { limits } = ticket.sandbox;
  if (ticket.kind === "run") return Math.min(ticket.terms.waitMs, waitMsMax) + ticket.terms.timeoutMs;
  if (ticket.kind === "load") return laneWaitMsMax + limits.loadMs;
  // A control command begins when nothing else is inside its sandbox.
  return laneWaitMsMax + limits.timeoutMsMax + ticket.budgetMs;
}
