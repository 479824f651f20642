// Runs that wait to be sent to one cell for lanes of their own. Those of sandboxes that used little processor time lately go
// first; the runs of one sandbox keep their order.
import { lightMs, mayEnter, rankOf, type Claim } from "../../std/fair-turns.ts";
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
    const load = { lanes, held: byKey.size, heldInBackground: 0 };
    let [isOtherWaiting, bestRank] = [false, Infinity];
    let best: RunTicket | undefined;
    let follower: RunTicket | undefined;
    // Hundreds may wait for each that is sent: they are gone through once, and nothing is made of them.
    for (const [key, queue] of this.#byKey) {
      const ticket = firstOf(queue);
      const there = byKey.get(key) ?? 0;
      if (ticket === undefined) this.#byKey.delete(key);
      else if (there > 0) follower ??= there < perSandboxMax ? ticket : undefined;
      else {
        isOtherWaiting = true;
        const claim = claimOf(ticket, nowMs);
        const rank = rankOf(claim);
        if (rank >= bestRank || !mayEnter(claim, load)) continue;
        best = ticket;
        bestRank = rank;
      }
    }
    // Where no other sandbox waits, a second run of one that has a lane is sent.
    const taken = isOtherWaiting ? best : follower;
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
}

// The first run of a sandbox that is not settled.
function firstOf(queue: Queue<RunTicket>): RunTicket | undefined {
  while (queue.peek()?.isSettled === true) queue.shift();
  return queue.peek();
}

function claimOf(ticket: RunTicket, nowMs: number): Claim {
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
