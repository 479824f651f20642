// Which lines of two texts stay, in time and memory that grow with the number of lines, whatever the texts: for a diff of
// sources that someone else wrote. Small differences are found exactly, large ones roughly.
import { ShortestEdits, type Range } from "./shortest-edits.ts";

/** How often blocks are divided at lines that occur only once in them. */
const divisionsMax = 4;
/** About how many steps are taken between two pauses. */
const pauseSteps = 4_096;

/** Lines as numbers: equal lines have the same number, and all are below `kinds`. */
export interface NumberedLines {
  readonly old: Int32Array;
  readonly new: Int32Array;
  readonly kinds: number;
}

interface Block extends Range {
  /** How often blocks were divided until it came to be. */
  readonly divisions: number;
}

/** A line that stays: where it is among the old ones and among the new ones. */
type Anchor = readonly [old: number, now: number];

/**
 * For each old line the new line that it stays, in rising order, or -1. Pauses often, and says at each pause how many steps
 * it took since the last one.
 */
export function* matchLines({ old, new: now, kinds }: NumberedLines): Generator<number, Int32Array> {
  // What occurs on one side only cannot stay, and would only make the search longer.
  const before = yield* commonLines(old, now, kinds);
  const after = yield* commonLines(now, old, kinds);
  const matcher = new Matcher(before.lines, after.lines, kinds);
  const matches = yield* matcher.run();
  const result = new Int32Array(old.length).fill(-1);
  for (let i = 0; i < matches.length; i++) {
    const match = matches[i] ?? -1;
    if (match >= 0) result[before.places[i] ?? 0] = after.places[match] ?? 0;
    if (i % pauseSteps === 0) yield pauseSteps;
  }
  return result;
}

interface CommonLines {
  readonly lines: Int32Array;
  /** Where they were. */
  readonly places: Int32Array;
}

function* commonLines(from: Int32Array, other: Int32Array, kinds: number): Generator<number, CommonLines> {
  const isThere = new Uint8Array(kinds);
  for (let i = 0; i < other.length; i++) {
    isThere[other[i] ?? 0] = 1;
    if (i % pauseSteps === 0) yield pauseSteps;
  }
  const places = new Int32Array(from.length);
  const lines = new Int32Array(from.length);
  let count = 0;
  for (let i = 0; i < from.length; i++) {
    const line = from[i] ?? 0;
    if (isThere[line] === 1) {
      places[count] = i;
      lines[count++] = line;
    }
    if (i % pauseSteps === 0) yield pauseSteps;
  }
  return { lines: lines.subarray(0, count), places: places.subarray(0, count) };
}

class Matcher {
  readonly #old: Int32Array;
  readonly #new: Int32Array;
  readonly #matches: Int32Array;
  /** Per kind of line: how often it occurs in the block on each side, and where. Zero between blocks. */
  readonly #oldCounts: Int32Array;
  readonly #newCounts: Int32Array;
  readonly #newPlaces: Int32Array;
  readonly #search: ShortestEdits;
  #steps = 0;

  constructor(old: Int32Array, now: Int32Array, kinds: number) {
    this.#old = old;
    this.#new = now;
    this.#matches = new Int32Array(old.length).fill(-1);
    this.#oldCounts = new Int32Array(kinds);
    this.#newCounts = new Int32Array(kinds);
    this.#newPlaces = new Int32Array(kinds);
    this.#search = new ShortestEdits(old, now, this.#matches);
  }

  *run(): Generator<number, Int32Array> {
    const blocks: Block[] = [
      { oldStart: 0, oldEnd: this.#old.length, newStart: 0, newEnd: this.#new.length, divisions: 0 },
    ];
    for (let block = blocks.pop(); block !== undefined; block = blocks.pop()) {
      const rest = yield* this.#trim(block);
      if (rest.oldStart < rest.oldEnd && rest.newStart < rest.newEnd) {
        const { isFound, steps } = this.#search.run(rest);
        if (this.#isPauseDue(steps)) yield this.#pause();
        if (!isFound && rest.divisions < divisionsMax) yield* this.#divide(rest, blocks);
      }
      if (this.#isPauseDue(1)) yield this.#pause();
    }
    return this.#matches;
  }

  // Lines that are the same at the beginning and at the end stay.
  *#trim({ oldStart, oldEnd, newStart, newEnd, divisions }: Block): Generator<number, Block> {
    const [old, now] = [this.#old, this.#new];
    let [start, end] = [0, 0];
    const most = Math.min(oldEnd - oldStart, newEnd - newStart);
    while (start < most && old[oldStart + start] === now[newStart + start]) {
      this.#matches[oldStart + start] = newStart + start;
      start++;
      if (this.#isPauseDue(1)) yield this.#pause();
    }
    while (end < most - start && old[oldEnd - 1 - end] === now[newEnd - 1 - end]) {
      end++;
      this.#matches[oldEnd - end] = newEnd - end;
      if (this.#isPauseDue(1)) yield this.#pause();
    }
    return {
      oldStart: oldStart + start,
      oldEnd: oldEnd - end,
      newStart: newStart + start,
      newEnd: newEnd - end,
      divisions,
    };
  }

  // Lines that occur once on each side stay, as many of them as are in the same order; what is between them are new blocks.
  *#divide(block: Block, blocks: Block[]): Generator<number, void> {
    const anchors = yield* this.#anchorsOf(block);
    if (anchors.length === 0) return;
    const divisions = block.divisions + 1;
    let { oldStart, newStart } = block;
    for (const [oldEnd, newEnd] of [...anchors, [block.oldEnd, block.newEnd] as const]) {
      if (oldStart < oldEnd && newStart < newEnd)
        blocks.push({ oldStart, oldEnd, newStart, newEnd, divisions });
      if (oldEnd < block.oldEnd) this.#matches[oldEnd] = newEnd;
      [oldStart, newStart] = [oldEnd + 1, newEnd + 1];
      if (this.#isPauseDue(1)) yield this.#pause();
    }
  }

  *#anchorsOf({ oldStart, oldEnd, newStart, newEnd }: Block): Generator<number, readonly Anchor[]> {
    const [old, now, oldCounts, newCounts] = [this.#old, this.#new, this.#oldCounts, this.#newCounts];
    const anchors: Anchor[] = [];
    yield* this.#each(oldStart, oldEnd, (i) => add(oldCounts, old[i] ?? 0));
    yield* this.#each(newStart, newEnd, (i) => {
      add(newCounts, now[i] ?? 0);
      this.#newPlaces[now[i] ?? 0] = i;
    });
    yield* this.#each(oldStart, oldEnd, (i) => {
      const line = old[i] ?? 0;
      if (oldCounts[line] === 1 && newCounts[line] === 1) anchors.push([i, this.#newPlaces[line] ?? 0]);
    });
    yield* this.#each(oldStart, oldEnd, (i) => (oldCounts[old[i] ?? 0] = 0));
    yield* this.#each(newStart, newEnd, (i) => (newCounts[now[i] ?? 0] = 0));
    return yield* this.#rising(anchors);
  }

  // The longest selection of anchors whose new places rise as their old ones do.
  *#rising(anchors: readonly Anchor[]): Generator<number, readonly Anchor[]> {
    // The last anchor of the best selection of each length, and the one before each anchor in its best selection.
    const lasts: number[] = [];
    const before = new Int32Array(anchors.length).fill(-1);
    const placeOf = (anchor: number | undefined): number => anchors[anchor ?? -1]?.[1] ?? -1;
    yield* this.#each(0, anchors.length, (i) => {
      const place = placeOf(i);
      let low = 0;
      let high = lasts.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (placeOf(lasts[middle]) < place) low = middle + 1;
        else high = middle;
      }
      before[i] = lasts[low - 1] ?? -1;
      lasts[low] = i;
    });
    const chosen: Anchor[] = [];
    for (let i = lasts.at(-1) ?? -1; i >= 0; i = before[i] ?? -1) {
      const anchor = anchors[i];
      if (anchor !== undefined) chosen.push(anchor);
      if (this.#isPauseDue(1)) yield this.#pause();
    }
    return chosen.toReversed();
  }

  *#each(start: number, end: number, act: (i: number) => void): Generator<number, void> {
    for (let i = start; i < end; i++) {
      act(i);
      if (this.#isPauseDue(1)) yield this.#pause();
    }
  }

  #isPauseDue(steps: number): boolean {
    return (this.#steps += steps) >= pauseSteps;
  }

  #pause(): number {
    const steps = this.#steps;
    this.#steps = 0;
    return steps;
  }
}

function add(counts: Int32Array, kind: number): void {
  counts[kind] = (counts[kind] ?? 0) + 1;
}
