// Who was in no population when a page told of it may join one afterwards, which no event says. So such individuals are read again, a
// few times and ever later.
import type { IndividualEntry } from "../../../src/contract/evolution-bodies.ts";
import { isPopulation } from "../model/populations.ts";

/** A part of the tracker's table that is to be read again. */
export interface RowRange {
  readonly from: number;
  readonly count: number;
}

interface Waiting extends RowRange {
  /** Where those who were in no population stand in the table, in order. */
  readonly places: readonly number[];
  readonly dueMs: number;
  /** How often they were read again. */
  readonly times: number;
}

/** From each reading to the next one. Who joins still later is shown as a member when the page is loaded anew. */
const waitsMs = [3_000, 20_000, 120_000, 600_000] as const;
/** Of more the oldest are given up, as where nobody is in a population: those are shown as members when the page is loaded anew. */
const waitingMax = 400;

export class LateJoins {
  #waiting: Waiting[] = [];

  /** These were read for the first time, the first of them at this place. */
  add(from: number, entries: readonly IndividualEntry[], nowMs: number): void {
    const places = entries.flatMap(({ population }, at) => (isPopulation(population) ? [] : from + at));
    this.#wait(places, 0, nowMs);
  }

  /** What is to be read now; null where nothing is. */
  due(nowMs: number): RowRange | null {
    return this.#waiting.find(({ dueMs }) => dueMs <= nowMs) ?? null;
  }

  /** It was read, or the first part of it. Returns those who are in a population by now. */
  again(range: RowRange, entries: readonly IndividualEntry[], nowMs: number): readonly IndividualEntry[] {
    const waiting = this.#waiting.find((one) => one === range);
    if (waiting === undefined) return [];
    this.#waiting = this.#waiting.filter((one) => one !== waiting);
    const joined: IndividualEntry[] = [];
    const alone: number[] = [];
    const unread: number[] = [];
    for (const place of waiting.places) {
      const entry = entries[place - waiting.from];
      if (entry === undefined) unread.push(place);
      else if (isPopulation(entry.population)) joined.push(entry);
      else alone.push(place);
    }
    this.#wait(alone, waiting.times + 1, nowMs);
    // Of an answer without anybody there is nothing more to be read.
    if (entries.length > 0) this.#put(unread, waiting.times, waiting.dueMs);
    return joined;
  }

  clear(): void {
    this.#waiting = [];
  }

  #wait(places: readonly number[], times: number, nowMs: number): void {
    const waitMs = waitsMs[times];
    if (waitMs !== undefined) this.#put(places, times, nowMs + waitMs);
  }

  #put(places: readonly number[], times: number, dueMs: number): void {
    const [from] = places;
    if (from === undefined) return;
    this.#waiting.push({ from, count: (places.at(-1) ?? from) - from + 1, places, dueMs, times });
    if (this.#waiting.length > waitingMax) this.#waiting.shift();
  }
}
