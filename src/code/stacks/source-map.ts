// A source map as flat numbers, read as a whole: for the compiler process, which needs all of it. Node's own reader makes
// an object of every segment: half a second for a module of a megabyte.

export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

type Fields = [number, number, number, number, number];

const fieldsPerSegment = 4;
export const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const digits = new Int8Array(128).fill(-1);
for (let value = 0; value < letters.length; value++) digits[letters.charCodeAt(value)] = value;

/** The value of a letter; -1 where it is no digit. */
export function digitOf(letter: number): number {
  return digits[letter] ?? -1;
}

const comma = 44;
const semicolon = 59;
const moreDigits = 32;

/** A map whose code is copied from the source between its segments: for each of these four numbers, as in `segments` below. */
export interface VerbatimMap {
  readonly segments: readonly number[];
}

/** Finds original positions. */
export class SourceMapIndex {
  /** Per segment, in the order of the generated code: its line and column there, and those in the source or -1. */
  readonly #segments: Int32Array;
  #count = 0;
  /** Whether the code between two segments is copied from the source. */
  readonly isVerbatim: boolean;

  /** Reads a source map, as JSON or as numbers. A malformed one has no positions. */
  constructor(map: string | VerbatimMap) {
    if (typeof map !== "string") {
      this.isVerbatim = true;
      this.#segments = Int32Array.from(map.segments);
      this.#count = this.#segments.length / fieldsPerSegment;
      return;
    }
    this.isVerbatim = false;
    const mappings = mappingsIn(map);
    let most = 1;
    for (let i = 0; i < mappings.length; i++) {
      const letter = mappings.charCodeAt(i);
      if (letter === comma || letter === semicolon) most++;
    }
    this.#segments = new Int32Array(most * fieldsPerSegment);
    this.#read(mappings);
  }

  /** Four numbers for each segment, in the order of the generated code; the last two are -1 where it has no source. */
  get segments(): Int32Array {
    return this.#segments.subarray(0, this.#count * fieldsPerSegment);
  }

  /** The position in the source of a position in the code: that of the last segment before it. */
  find(at: Position): Position | undefined {
    const last = this.#firstAfter(at) - 1;
    const line = last < 0 ? -1 : this.#field(last, 2);
    if (line < 0) return undefined;
    return { line: line + 1, column: this.#field(last, 3) + 1 + this.#beyond(last, at) };
  }

  #firstAfter(at: Position): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#isAfter(middle, at)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The columns of one line where segments begin, those after one column and up to another; all from 0. */
  startsIn(line: number, after: number, last: number): number[] {
    const starts: number[] = [];
    for (
      let segment = this.#firstAfter({ line: line + 1, column: after + 1 });
      segment < this.#count;
      segment++
    ) {
      const column = this.#field(segment, 1);
      if (this.#field(segment, 0) !== line || column > last) break;
      starts.push(column);
    }
    return starts;
  }

  // How far behind a segment's start the position is in the source: not beyond the next segment, before which there may be
  // code that the source does not have.
  #beyond(segment: number, at: Position): number {
    const isSameLine = this.#field(segment, 0) === at.line - 1;
    if (!this.isVerbatim || !isSameLine) return 0;
    const next = segment + 1;
    const hasNext = next < this.#count && this.#field(next, 2) === this.#field(segment, 2);
    const lengthMax = hasNext ? this.#field(next, 3) - this.#field(segment, 3) : Infinity;
    return Math.max(0, Math.min(at.column - 1 - this.#field(segment, 1), lengthMax));
  }

  #isAfter(segment: number, at: Position): boolean {
    const line = this.#field(segment, 0);
    return line > at.line - 1 || (line === at.line - 1 && this.#field(segment, 1) > at.column - 1);
  }

  #field(segment: number, field: number): number {
    return this.#segments[segment * fieldsPerSegment + field] ?? -1;
  }

  // Numbers in base 64, least digit first, the lowest bit their sign; each relative to the one of its kind before it.
  #read(mappings: string): void {
    const fields: Fields = [0, 0, 0, 0, 0];
    let line = 0;
    let index = 0;
    let value = 0;
    let shift = 0;
    for (let i = 0; i <= mappings.length; i++) {
      const letter = i < mappings.length ? mappings.charCodeAt(i) : semicolon;
      if (letter === comma || letter === semicolon) {
        if (index > 0) this.#add(line, fields, index);
        index = 0;
        if (letter === comma) continue;
        line++;
        fields[0] = 0;
        continue;
      }
      const digit = digitOf(letter);
      if (digit < 0 || index >= fields.length) return;
      value |= (digit & (moreDigits - 1)) << shift;
      shift += 5;
      if ((digit & moreDigits) !== 0) continue;
      fields[index] = (fields[index] ?? 0) + ((value & 1) === 1 ? -(value >>> 1) : value >>> 1);
      index++;
      value = 0;
      shift = 0;
    }
  }

  // Of the five numbers of a segment the second names the source file, of which there is one.
  #add(line: number, fields: Fields, count: number): void {
    const base = this.#count++ * fieldsPerSegment;
    this.#segments[base] = line;
    this.#segments[base + 1] = fields[0];
    this.#segments[base + 2] = count < 4 ? -1 : fields[2];
    this.#segments[base + 3] = count < 4 ? -1 : fields[3];
  }
}

function mappingsIn(map: string): string {
  try {
    const { mappings } = JSON.parse(map) as { mappings?: unknown };
    return typeof mappings === "string" ? mappings : "";
  } catch {
    return "";
  }
}
