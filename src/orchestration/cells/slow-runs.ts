// Runs that wait to be sent to one cell for lanes of their own. Those of sandboxes that used little processor time lately go
// first; the runs of one sandbox keep their order.
import { chooseClaim, lightMs } from "../../std/fair-turns.ts";
import { Queue } from "../../std/queue.ts";
import type { RunTicket } from "../runs/ticket.ts";

/** So many runs of one sandbox are at the cell: one that is inside, and one that follows without a pause. */
const perSandboxMax = 2;

/** How many sandboxes have runs on lanes of their own, and how many runs each has. */
export interface SlowLoad {
  readonly lanes: number;
  readonly byKey: ReadonlyMap<number, number>;
}

/** Runs for lanes of their own, which may last long: few are sent at a time. */
export class SlowRuns {
  readonly #byKey = new Map<number, Queue<RunTicket>>();

  get size(): number {
    let size = 0;
    for (const queue of this.#byKey.values()) size += queue.size;
    return size;
  }

  push(ticket: RunTicket): void {
    const key = keyOf(ticket);
    const queue = this.#byKey.get(key) ?? new Queue<RunTicket>();
    this.#byKey.set(key, queue);
    queue.push(ticket);
  }

  /** The run that is sent next; undefined where all lanes that it could have are taken. */
  take({ lanes, byKey }: SlowLoad, nowMs: number): RunTicket | undefined {
    if (this.#byKey.size === 0) return undefined;
    // All lanes are taken, and somebody without one waits: the usual case beside many long runs.
    if (byKey.size > lanes && this.#byKey.size > byKey.size) return undefined;
    const firsts = [...this.#firsts()];
    const others = firsts.filter((ticket) => !byKey.has(keyOf(ticket)));
    const load = { lanes, held: byKey.size, heldInBackground: 0 };
    const chosen = chooseClaim(
      others.map((ticket) => claimOf(ticket, nowMs)),
      load,
    );
    // Where no other sandbox waits, a second run of one that has a lane is sent.
    const mayFollow = (ticket: RunTicket): boolean => (byKey.get(keyOf(ticket)) ?? 0) < perSandboxMax;
    const taken = others.length === 0 ? firsts.find(mayFollow) : others[chosen ?? -1];
    if (taken !== undefined) this.#byKey.get(keyOf(taken))?.shift();
    return taken;
  }

  remove(ticket: RunTicket): void {
    const key = keyOf(ticket);
    const queue = this.#byKey.get(key);
    queue?.takeWhere((other) => other === ticket);
    if (queue?.size === 0) this.#byKey.delete(key);
  }

  /** Removes and returns those of one sandbox, oldest first. */
  takeOf(key: number): RunTicket[] {
    const taken = this.#byKey.get(key)?.takeWhere(() => true) ?? [];
    this.#byKey.delete(key);
    return taken;
  }

  /** Removes and returns those for which `isTaken` is true, oldest first. */
  takeWhere(isTaken: (ticket: RunTicket) => boolean): RunTicket[] {
    const taken = [...this.#byKey.values()].flatMap((queue) => queue.takeWhere(isTaken));
    for (const [key, queue] of this.#byKey) if (queue.size === 0) this.#byKey.delete(key);
    return taken.toSorted(byAge);
  }

  // The first run of each sandbox that is not settled.
  *#firsts(): Iterable<RunTicket> {
    for (const [key, queue] of this.#byKey) {
      while (queue.peek()?.isSettled === true) queue.shift();
      const first = queue.peek();
      if (first === undefined) this.#byKey.delete(key);
      else yield first;
    }
  }
}

function claimOf(ticket: RunTicket, nowMs: number) {
  const waitedMs = Math.max(0, nowMs - ticket.waitingSinceMs);
  const usedMs = ticket.sandbox.service.at(nowMs);
  // One of which nothing is known gets no lane that is meant for those that use little.
  const leastMs = ticket.isUnproven ? lightMs + 1 : 0;
  return { usedMs: Math.max(usedMs, leastMs), waitedMs, isBackground: false };
}

const byAge = (one: RunTicket, other: RunTicket): number => one.id - other.id;

function keyOf(ticket: RunTicket): number {
  return ticket.place?.key ?? 0;
}
