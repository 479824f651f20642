// The shortest way from one list of lines to another, by Myers' algorithm, as long as that is short.

/** How many changed lines are searched for. Time and memory grow with their square. */
const editsMax = 500;
/** How many steps one search may take, but for one run of equal lines. */
const stepsMax = 500_000;
/** How many steps all searches may take: so many, and so many more for each line. */
const stepsLeast = 2_000_000;
const stepsPerLine = 16;

/** Where the diagonal is that begins at the beginning. */
const middle = editsMax + 1;

/** Old lines that are to be compared with new lines. */
export interface Range {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

export class ShortestEdits {
  readonly #old: Int32Array;
  readonly #new: Int32Array;
  readonly #matches: Int32Array;
  /** How far each diagonal has come: the number of old lines. */
  readonly #reached = new Int32Array(2 * middle + 1);
  /** The same after each number of edits. */
  readonly #trace = new Int32Array(((editsMax + 1) * (editsMax + 2)) / 2);
  #stepsLeft: number;
  #stopAt = 0;

  /** `matches` gets the lines that stay. */
  constructor(old: Int32Array, now: Int32Array, matches: Int32Array) {
    this.#old = old;
    this.#new = now;
    this.#matches = matches;
    this.#stepsLeft = stepsLeast + stepsPerLine * (old.length + now.length);
  }

  /** Searches; where it would take too long, nothing is found. */
  run(range: Range): { readonly isFound: boolean; readonly steps: number } {
    const stepsBefore = this.#stepsLeft;
    const length = range.oldEnd - range.oldStart + (range.newEnd - range.newStart);
    this.#stopAt = Math.max(0, stepsBefore - stepsMax);
    this.#reached[middle + 1] = 0;
    let isFound = false;
    for (let edits = 0; edits <= Math.min(editsMax, length) && this.#stepsLeft > this.#stopAt; edits++) {
      isFound = this.#advance(range, edits);
      if (isFound) break;
    }
    return { isFound, steps: stepsBefore - this.#stepsLeft };
  }

  // Every diagonal goes as far as it can with one edit more. True when the end is reached.
  #advance(range: Range, edits: number): boolean {
    const { oldStart, newStart } = range;
    const oldCount = range.oldEnd - oldStart;
    const newCount = range.newEnd - newStart;
    const [old, now, reached] = [this.#old, this.#new, this.#reached];
    for (let diagonal = -edits; diagonal <= edits && this.#stepsLeft > this.#stopAt; diagonal += 2) {
      const at = diagonal + middle;
      const isInsertion =
        diagonal === -edits || (diagonal !== edits && (reached[at - 1] ?? 0) < (reached[at + 1] ?? 0));
      let x = isInsertion ? (reached[at + 1] ?? 0) : (reached[at - 1] ?? 0) + 1;
      const first = x;
      while (x < oldCount && x - diagonal < newCount && old[oldStart + x] === now[newStart + x - diagonal])
        x++;
      this.#stepsLeft -= x - first + 1;
      reached[at] = x;
      this.#trace[traceIndex(edits, diagonal)] = x;
      if (x >= oldCount && x - diagonal >= newCount) {
        this.#goBack(range, edits);
        return true;
      }
    }
    return false;
  }

  // From the end to the beginning: where a diagonal was followed, lines stay.
  #goBack({ oldStart, oldEnd, newStart, newEnd }: Range, editsInAll: number): void {
    let x = oldEnd - oldStart;
    let diagonal = x - (newEnd - newStart);
    for (let edits = editsInAll; edits >= 0; edits--) {
      const before = edits === 0 ? 0 : this.#diagonalBefore(edits, diagonal);
      const reached = edits === 0 ? 0 : (this.#trace[traceIndex(edits - 1, before)] ?? 0);
      const first = edits > 0 && before < diagonal ? reached + 1 : reached;
      for (let i = first; i < x; i++) this.#matches[oldStart + i] = newStart + i - diagonal;
      [x, diagonal] = [reached, before];
    }
  }

  #diagonalBefore(edits: number, diagonal: number): number {
    if (diagonal === -edits) return diagonal + 1;
    if (diagonal === edits) return diagonal - 1;
    const left = this.#trace[traceIndex(edits - 1, diagonal - 1)] ?? 0;
    const right = this.#trace[traceIndex(edits - 1, diagonal + 1)] ?? 0;
    return left < right ? diagonal + 1 : diagonal - 1;
  }
}

function traceIndex(edits: number, diagonal: number): number {
  return (edits * (edits + 1)) / 2 + (diagonal + edits) / 2;
}
