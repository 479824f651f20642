// Runs that wait to be sent to one cell for its main lane. They are short, and many are sent at a time; what was sent cannot be
// overtaken. So sandboxes take turns, run by run, those that used less go first, and a run never waits for those at the cell of
// sandboxes that used more. The runs of one sandbox keep their order; where it is busy at the cell, few of them are sent.
import { lightMs } from "../../std/fair-turns.ts";
import { RoundQueue } from "../../std/round-queue.ts";
import { takeChunk } from "../runs/cell-messages.ts";
import type { RunTicket } from "../runs/ticket.ts";
import { SendWindow } from "./send-window.ts";

/** What a sandbox of each level but the last has used lately at most. */
const levelsMs = [lightMs / 16, lightMs / 4, lightMs] as const;
/** The level of those that used much. */
const heavyLevel: number = levelsMs.length;
/** How many levels there are. */
export const levelCount: number = levelsMs.length + 1;

/** Of sandboxes that used much, runs of about so long in all are at the cell: others wait no longer for the main lane. */
const heavyMsMax = 1;
/** What the cell needs for each beside the time inside. */
const overheadMs = 0.02;
const smoothing = 0.1;
/** After so long, runs go before those of sandboxes that used less, as far as there is room for them. */
const waitMsMax = 2;
/** Of the room at a cell, each level has this part for those that waited for so long. */
const dueShare = 1 / 4;

/** So many runs of one sandbox wait for it at the cell: the rest stays here. */
const asideMax = 2;

/** How many runs for the main lane are at the cell, by level. */
export type SentRuns = readonly number[];

export class QuickRuns {
  readonly #levels = Array.from({ length: levelCount }, () => new RoundQueue(keyOf));
  /** Those of sandboxes that are busy at the cell, until fewer wait there. */
  readonly #held = new RoundQueue(keyOf);
  /** How many of one sandbox wait for it at the cell. */
  readonly #aside = new Map<number, number>();
  readonly window: SendWindow = new SendWindow();
  #heavyMeanMs = 0;

  get size(): number {
    let size = this.#held.size;
    for (const level of this.#levels) size += level.size;
    return size;
  }

  push(ticket: RunTicket, nowMs: number): void {
    this.window.noteArrival();
    const key = keyOf(ticket);
    if (this.#isHeld(key)) return this.#held.push(ticket);
    this.#enter(ticket, nowMs);
  }

  /** A run waits for its sandbox at the cell. */
  noteAside(ticket: RunTicket): void {
    const key = keyOf(ticket);
    this.#aside.set(key, (this.#aside.get(key) ?? 0) + 1);
    if (!this.#isHeld(key)) return;
    for (const level of this.#levels) for (const each of level.takeOf(key)) this.#held.push(each);
  }

  /** It does not wait there any more. */
  noteBack(ticket: RunTicket, nowMs: number): void {
    if (!ticket.isAside) return;
    ticket.isAside = false;
    const key = keyOf(ticket);
    const count = (this.#aside.get(key) ?? 0) - 1;
    if (count > 0) this.#aside.set(key, count);
    else this.#aside.delete(key);
    if (!this.#isHeld(key)) for (const each of this.#held.takeOf(key)) this.#enter(each, nowMs);
  }

  #isHeld(key: number): boolean {
    return (this.#aside.get(key) ?? 0) >= asideMax;
  }

  #enter(ticket: RunTicket, nowMs: number): void {
    const key = keyOf(ticket);
    const before = this.#levelWith(key);
    const level = Math.max(before, levelOf(ticket.sandbox.service.at(nowMs)));
    // All runs of one sandbox wait in one queue, so that they keep their order.
    const waiting = before >= 0 && before < level ? this.#levels[before]?.takeOf(key) : undefined;
    if (waiting !== undefined) for (const each of waiting) this.#place(each, level);
    this.#place(ticket, level);
  }

  #place(ticket: RunTicket, level: number): void {
    ticket.level = level;
    this.#levels[level]?.push(ticket);
  }

  // The level at which runs of a sandbox wait; below all of them where none does.
  #levelWith(key: number): number {
    let level = heavyLevel;
    while (level >= 0 && this.#levels[level]?.has(key) !== true) level--;
    return level;
  }

  /** The next runs to be sent, at most `countMax`; none where enough of those that wait are at the cell. */
  take(countMax: number, sent: SentRuns, nowMs: number): RunTicket[] {
    for (let level = heavyLevel; level > 0; level--) {
      const room = this.#dueRoom(level, { countMax, sent, nowMs });
      const due = room > 0 ? this.#takeFrom(level, room) : [];
      if (due.length > 0) return due;
    }
    let before = 0;
    for (let level = 0; level < heavyLevel; level++) {
      before += sent[level] ?? 0;
      const taken = before < countMax ? this.#takeFrom(level, countMax) : [];
      if (taken.length > 0) return taken;
    }
    return this.#takeFrom(heavyLevel, this.#heavyRoom(countMax, sent));
  }

  /** A run that was sent has ended, after so long. */
  noteEnd(ticket: RunTicket, wallMs: number, nowMs: number): void {
    this.noteBack(ticket, nowMs);
    if (ticket.level === heavyLevel) this.noteHeavy(wallMs);
  }

  /** How long one of a sandbox that used much held the main lane. */
  noteHeavy(wallMs: number): void {
    this.#heavyMeanMs += (wallMs - this.#heavyMeanMs) * smoothing;
  }

  remove(ticket: RunTicket): void {
    for (const queue of this.#queues) queue.remove(ticket);
  }

  /** Removes and returns those of one sandbox, oldest first. */
  takeOf(key: number): RunTicket[] {
    this.#aside.delete(key);
    return this.#queues.flatMap((queue) => queue.takeOf(key));
  }

  /** Removes and returns those for which `isTaken` is true, oldest first. */
  takeWhere(isTaken: (ticket: RunTicket) => boolean): RunTicket[] {
    const taken = this.#queues.flatMap((queue) => queue.takeWhere(isTaken));
    return taken.toSorted((one, other) => one.id - other.id);
  }

  get #queues(): readonly RoundQueue<number, RunTicket>[] {
    return [...this.#levels, this.#held];
  }

  #takeFrom(level: number, room: number): RunTicket[] {
    const queue = this.#levels[level];
    return queue === undefined || queue.size === 0 ? [] : takeChunk(queue, room);
  }

  // For how many of a level there is room where its oldest has waited for long.
  #dueRoom(level: number, { countMax, sent, nowMs }: Room): number {
    const oldest = this.#levels[level]?.peek();
    if (oldest === undefined || nowMs - oldest.waitingSinceMs <= waitMsMax) return 0;
    if (level === heavyLevel) return this.#heavyRoom(countMax, sent);
    return Math.floor(countMax * dueShare) - (sent[level] ?? 0);
  }

  #heavyRoom(countMax: number, sent: SentRuns): number {
    const heavyMax = Math.max(1, Math.floor(heavyMsMax / (this.#heavyMeanMs + overheadMs)));
    return Math.min(countMax, heavyMax) - (sent[heavyLevel] ?? 0);
  }
}

interface Room {
  readonly countMax: number;
  readonly sent: SentRuns;
  readonly nowMs: number;
}

function levelOf(usedMs: number): number {
  let level = 0;
  while (level < heavyLevel && usedMs > (levelsMs[level] ?? Infinity)) level++;
  return level;
}

function keyOf(ticket: RunTicket): number {
  return ticket.place?.key ?? 0;
}
