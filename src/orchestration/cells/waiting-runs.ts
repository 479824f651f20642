// Runs that wait to be sent to one cell. Those of sandboxes that used little processor time lately go first; the runs of one
// sandbox keep their order.
import { chooseClaim, lightMs } from "../../std/fair-turns.ts";
import { Queue } from "../../std/queue.ts";
import { RoundQueue } from "../../std/round-queue.ts";
import { SendWindow } from "./send-window.ts";
import { takeChunk } from "../runs/cell-messages.ts";
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

/** Of sandboxes that used much, runs of about so long in all are at the cell: others wait no longer for the main lane. */
const heavyMsMax = 1;
/** What the cell needs for each beside the time inside. */
const overheadMs = 0.02;
const smoothing = 0.1;
/** After so long, runs of sandboxes that used much go before the others, as far as there is room for them. */
const heavyWaitMsMax = 2;

/** Runs for the main lane, which are short: many are sent at a time. Sandboxes take turns, run by run. */
export class QuickRuns {
  readonly #light = new RoundQueue(keyOf);
  readonly #heavy = new RoundQueue(keyOf);
  readonly window: SendWindow = new SendWindow();
  #heavyMeanMs = 0;

  get size(): number {
    return this.#light.size + this.#heavy.size;
  }

  push(ticket: RunTicket, nowMs: number): void {
    const key = keyOf(ticket);
    this.window.noteArrival();
    // All runs of one sandbox wait in one queue, so that they keep their order.
    const isHeavy = this.#heavy.has(key) || ticket.sandbox.service.at(nowMs) > lightMs;
    if (!isHeavy) return this.#light.push(ticket);
    for (const each of [...this.#light.takeOf(key), ticket]) {
      each.isHeavy = true;
      this.#heavy.push(each);
    }
  }

  /** The next runs to be sent; none where only heavy ones wait, and enough of those, `heavySent`, are at the cell. */
  take(countMax: number, { heavySent, nowMs }: { heavySent: number; nowMs: number }): RunTicket[] {
    const heavyMax = Math.max(1, Math.floor(heavyMsMax / (this.#heavyMeanMs + overheadMs)));
    const heavyRoom = heavyMax - heavySent;
    const oldest = this.#heavy.peek();
    const isHeavyDue =
      heavyRoom > 0 && oldest !== undefined && nowMs - oldest.waitingSinceMs > heavyWaitMsMax;
    if (this.#light.size > 0 && !isHeavyDue) return takeChunk(this.#light, countMax);
    const heavy = takeChunk(this.#heavy, Math.min(countMax, heavyRoom));
    return heavy.length > 0 ? heavy : takeChunk(this.#light, countMax);
  }

  /** How long a heavy one held the main lane. */
  noteHeavy(wallMs: number): void {
    this.#heavyMeanMs += (wallMs - this.#heavyMeanMs) * smoothing;
  }

  remove(ticket: RunTicket): void {
    this.#light.remove(ticket);
    this.#heavy.remove(ticket);
  }

  /** Removes and returns those of one sandbox, oldest first. */
  takeOf(key: number): RunTicket[] {
    return [...this.#light.takeOf(key), ...this.#heavy.takeOf(key)];
  }

  /** Removes and returns those for which `isTaken` is true, oldest first. */
  takeWhere(isTaken: (ticket: RunTicket) => boolean): RunTicket[] {
    const taken = [...this.#light.takeWhere(isTaken), ...this.#heavy.takeWhere(isTaken)];
    return taken.toSorted(byAge);
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
