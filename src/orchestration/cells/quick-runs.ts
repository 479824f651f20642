// Runs that wait to be sent to one cell for its main lane. They are short, and many are sent at a time; what was sent cannot be
// overtaken. So sandboxes take turns, run by run, those that used less go first, and a run never waits for those at the cell of
// sandboxes that used more. The runs of one sandbox keep their order; where it is busy at the cell, few of them are sent.
import { lightMs } from "../../std/fair-turns.ts";
import { takeChunk } from "../runs/cell-messages.ts";
import type { RunTicket } from "../runs/ticket.ts";
import { heldLevel, RunLines, Turns, type RunLine } from "./run-lines.ts";
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
  readonly #lines = new RunLines();
  readonly #levels = Array.from({ length: levelCount }, (_, level) => {
    return new Turns(level, (line) => this.#onShift(line));
  });
  readonly window: SendWindow = new SendWindow();
  #heavyMeanMs = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(ticket: RunTicket, nowMs: number): void {
    this.window.noteArrival();
    const line = this.#lines.open(keyOf(ticket));
    const isWaiting = line.items.size > 0;
    line.items.push(ticket);
    this.#size++;
    // Those of sandboxes that are busy at the cell stay here until fewer wait there.
    if (line.aside >= asideMax) return this.#move(line, heldLevel);
    const level = levelOf(ticket.sandbox.service.at(nowMs));
    // All runs of one sandbox are of one level, so that they keep their order.
    if (isWaiting && level > line.level) return this.#move(line, level);
    if (!isWaiting) line.level = level;
    ticket.level = line.level;
    this.#levels[line.level]?.add(line);
  }

  /** A run waits for its sandbox at the cell. */
  noteAside(ticket: RunTicket): void {
    const line = this.#lines.get(keyOf(ticket));
    if (line !== undefined && ++line.aside === asideMax) this.#move(line, heldLevel);
  }

  /** It does not wait there any more. */
  noteBack(ticket: RunTicket, nowMs: number): void {
    if (!ticket.isAside) return;
    ticket.isAside = false;
    const line = this.#lines.get(keyOf(ticket));
    if (line === undefined || line.aside === 0) return;
    if (line.aside-- !== asideMax) return;
    const { service } = ticket.sandbox;
    this.#move(line, levelOf(service.at(nowMs)));
  }

  // All that wait in a line are of another level from now on.
  #move(line: RunLine, level: number): void {
    line.level = level;
    if (level === heldLevel || line.items.size === 0) return;
    for (const ticket of line.items) ticket.level = level;
    this.#levels[level]?.add(line);
  }

  #onShift(line: RunLine): void {
    this.#size--;
    this.#lines.deleteIfOver(line);
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
    const line = this.#lines.get(keyOf(ticket));
    if (line !== undefined) this.#takeOut(line, (other) => other === ticket);
  }

  /** Removes and returns those of one sandbox, oldest first; nothing of it is known any more. */
  takeOf(key: number): RunTicket[] {
    const line = this.#lines.get(key);
    this.#lines.delete(key);
    return line === undefined ? [] : this.#takeOut(line, () => true);
  }

  /** A sandbox has left the cell. Its runs that wait here are still sent. */
  forget(key: number): void {
    this.#lines.forget(key);
  }

  /** Removes and returns those for which `isTaken` is true, oldest first. */
  takeWhere(isTaken: (ticket: RunTicket) => boolean): RunTicket[] {
    const taken = this.#lines.all().flatMap((line) => this.#takeOut(line, isTaken));
    return taken.toSorted((one, other) => one.id - other.id);
  }

  #takeOut(line: RunLine, isTaken: (ticket: RunTicket) => boolean): RunTicket[] {
    if (line.items.size === 0) return [];
    const taken = line.items.takeWhere(isTaken);
    this.#size -= taken.length;
    this.#lines.deleteIfOver(line);
    return taken;
  }

  #takeFrom(level: number, room: number): RunTicket[] {
    const turns = this.#levels[level];
    return turns === undefined ? [] : takeChunk(turns, room);
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
