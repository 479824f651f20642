// The way from positions in compiled code back to those in the source, as a text that is searched where it lies. The
// compiler process writes it; the host reads, for one position, only the few hundred characters that it needs, and keeps
// nothing: a guest can throw as often as it likes.
import { digitOf, letters, SourceMapIndex, type Position, type VerbatimMap } from "./source-map.ts";

// The text is a source map as everyone knows it, with one more field in front: marks, one for each stretch of `mappings`,
// all of the same length, so that they can be searched without being parsed. A mark has the offset of its stretch, the
// generated line and column up to which segments have been read there, and the last of their positions in the source.
const head = '{"version":3,"x_marks":"';
const verbatimField = '"x_verbatim":true,';
const mappingsField = '"mappings":"';

/** How many characters of `mappings` lie between two marks, but for what is left of a segment. */
const stretchLength = 512;
/** How many characters are read for one position. Only a map that has no marks, as it is not ours, needs more. */
const readLengthMax = 16_384;
const markNumbers = 5;
const markDigits = 5;
/** Its numbers, and whether the last segment before it has a position in the source. */
const markLength = markNumbers * markDigits + 1;

const comma = 44;
const quote = 34;
const semicolon = 59;
const moreDigits = 32;

/** What has been read of a map: the generated line and column, and the latest position in the source. */
class Cursor {
  line = 0;
  column = 0;
  sourceLine = 0;
  sourceColumn = 0;
  hasSource = false;

  copy(): Cursor {
    return Object.assign(new Cursor(), this);
  }

  isAfter(at: Position): boolean {
    return this.line > at.line - 1 || (this.line === at.line - 1 && this.column > at.column - 1);
  }
}

/** Finds original positions in a source map, without reading more of it than it needs. */
export class PositionMap {
  readonly #text: string;
  readonly #marks: number;
  readonly #mappings: number;
  /** Whether the code between two segments is copied from the source. */
  readonly #isVerbatim: boolean;

  /** A malformed map has no positions. */
  constructor(text: string) {
    this.#text = text;
    const isOurs = text.startsWith(head);
    const marksEnd = isOurs ? text.indexOf('"', head.length) : 0;
    this.#marks = isOurs && marksEnd > 0 ? Math.floor((marksEnd - head.length) / markLength) : 0;
    this.#isVerbatim = isOurs && text.startsWith(verbatimField, marksEnd + 2);
    const field = text.indexOf(mappingsField, Math.max(0, marksEnd));
    this.#mappings = field < 0 ? text.length : field + mappingsField.length;
  }

  /** The position in the source of a position in the code: that of the last segment before it. */
  find(at: Position): Position | undefined {
    let low = 0;
    let high = this.#marks;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#cursorAt(middle).isAfter(at)) high = middle;
      else low = middle + 1;
    }
    const cursor = low === 0 ? new Cursor() : this.#cursorAt(low - 1);
    const offset = low === 0 ? 0 : this.#number(low - 1, 0);
    return this.#read(cursor, this.#mappings + offset, at);
  }

  #cursorAt(mark: number): Cursor {
    const cursor = new Cursor();
    cursor.line = this.#number(mark, 1);
    cursor.column = this.#number(mark, 2);
    cursor.sourceLine = this.#number(mark, 3);
    cursor.sourceColumn = this.#number(mark, 4);
    cursor.hasSource = this.#text[head.length + (mark + 1) * markLength - 1] === letters[1];
    return cursor;
  }

  #number(mark: number, index: number): number {
    const start = head.length + mark * markLength + index * markDigits;
    let number = 0;
    for (let i = start; i < start + markDigits; i++)
      number = number * letters.length + Math.max(0, digitOf(this.#text.charCodeAt(i)));
    return number;
  }

  // Numbers in base 64, least digit first, the lowest bit their sign; each relative to the one of its kind before it.
  #read(cursor: Cursor, start: number, at: Position): Position | undefined {
    const text = this.#text;
    const end = Math.min(text.length, start + readLengthMax);
    let last = cursor.copy();
    const numbers = [0, 0, 0, 0, 0];
    let count = 0;
    let value = 0;
    let shift = 0;
    for (let i = start; i < end; i++) {
      const letter = text.charCodeAt(i);
      if (letter === comma || letter === semicolon || letter === quote) {
        if (count > 0) move(cursor, numbers, count);
        if (cursor.isAfter(at)) return this.#positionIn(last, at, count > 0 ? cursor : undefined);
        if (count > 0) last = cursor.copy();
        if (letter === quote) return this.#positionIn(last, at);
        count = 0;
        if (letter === comma) continue;
        cursor.line++;
        cursor.column = 0;
        continue;
      }
      const digit = digitOf(letter);
      if (digit < 0 || count >= numbers.length) return undefined;
      value |= (digit & (moreDigits - 1)) << shift;
      shift += 5;
      if ((digit & moreDigits) !== 0) continue;
      numbers[count++] = (value & 1) === 1 ? -(value >>> 1) : value >>> 1;
      value = 0;
      shift = 0;
    }
    return undefined;
  }

  // In a verbatim map it lies as far behind the segment's start as in the code, but not beyond the next segment, before which
  // there may be code that the source does not have.
  #positionIn(segment: Cursor, at: Position, next?: Cursor): Position | undefined {
    if (!segment.hasSource || segment.sourceLine < 0) return undefined;
    const { sourceLine, sourceColumn } = segment;
    const isSameLine = segment.line === at.line - 1;
    const lengthMax = next?.sourceLine === sourceLine ? next.sourceColumn - sourceColumn : Infinity;
    const behind =
      this.#isVerbatim && isSameLine ? Math.max(0, Math.min(at.column - 1 - segment.column, lengthMax)) : 0;
    return { line: sourceLine + 1, column: sourceColumn + 1 + behind };
  }
}

// Of the five numbers of a segment the second names the source file, of which there is one.
function move(cursor: Cursor, numbers: readonly number[], count: number): void {
  cursor.column += numbers[0] ?? 0;
  cursor.hasSource = count >= 4;
  if (!cursor.hasSource) return;
  cursor.sourceLine += numbers[2] ?? 0;
  cursor.sourceColumn += numbers[3] ?? 0;
}

/** Joins source maps that are to be applied one after the other into one, with marks. For the compiler process. */
export function joinSourceMaps(name: string, maps: readonly (string | VerbatimMap)[]): string {
  const [first, ...rest] = maps.map((map) => new SourceMapIndex(map));
  const writer = new MapWriter(first?.isVerbatim === true && rest.length === 0);
  const segments = first?.segments ?? new Int32Array();
  // By index: a module has hundreds of segments, and a list for each would cost more than all else here.
  for (let i = 0; i < segments.length; i += 4) {
    const [line, column] = [segments[i] ?? 0, segments[i + 1] ?? 0];
    const [sourceLine, sourceColumn] = [segments[i + 2] ?? -1, segments[i + 3] ?? -1];
    writer.add(line, column, originalOf(rest, sourceLine, sourceColumn));
    if (first?.isVerbatim !== true || rest[0] === undefined) continue;
    // What the next map has inside of the stretch that is copied verbatim.
    const columnEnd = segments[i + 4] === line ? (segments[i + 5] ?? Infinity) : Infinity;
    const reach = segments[i + 6] === sourceLine ? (segments[i + 7] ?? Infinity) : Infinity;
    for (const start of rest[0].startsIn(sourceLine, sourceColumn, reach)) {
      const generated = column + start - sourceColumn;
      if (generated >= columnEnd) break;
      writer.add(line, generated, originalOf(rest, sourceLine, start));
    }
  }
  return writer.toText(name);
}

function originalOf(maps: readonly SourceMapIndex[], line: number, column: number): Position | undefined {
  let at: Position | undefined = line < 0 ? undefined : { line: line + 1, column: column + 1 };
  for (const map of maps) at = at === undefined ? undefined : map.find(at);
  return at;
}

class MapWriter {
  readonly #cursor = new Cursor();
  readonly #marks: string[] = [];
  readonly #stretches: string[] = [];
  #stretch = "";
  #written = 0;
  #isFirstOfLine = true;
  readonly #isVerbatim: boolean;

  constructor(isVerbatim: boolean) {
    this.#isVerbatim = isVerbatim;
  }

  /** Adds a segment; one that leads to where the last one leads says nothing, unless the map is verbatim. */
  add(line: number, column: number, at: Position | undefined): void {
    const cursor = this.#cursor;
    const isSame =
      at === undefined
        ? !cursor.hasSource
        : cursor.hasSource && at.line - 1 === cursor.sourceLine && at.column - 1 === cursor.sourceColumn;
    if (isSame && !this.#isVerbatim) return;
    while (cursor.line < line) this.#nextLine();
    if (!this.#isFirstOfLine) this.#separate();
    this.#isFirstOfLine = false;
    this.#write(toDigits(column - cursor.column));
    cursor.column = column;
    cursor.hasSource = at !== undefined;
    if (at === undefined) return;
    const [sourceLine, sourceColumn] = [at.line - 1, at.column - 1];
    this.#write(
      `A${toDigits(sourceLine - cursor.sourceLine)}${toDigits(sourceColumn - cursor.sourceColumn)}`,
    );
    cursor.sourceLine = sourceLine;
    cursor.sourceColumn = sourceColumn;
  }

  toText(name: string): string {
    const mappings = this.#stretches.join("") + this.#stretch;
    const rest = `"names":[],"sources":[${JSON.stringify(name)}],${mappingsField}${mappings}"}`;
    return `${head}${this.#marks.join("")}",${this.#isVerbatim ? verbatimField : ""}${rest}`;
  }

  #nextLine(): void {
    this.#write(";");
    this.#cursor.line++;
    this.#cursor.column = 0;
    this.#isFirstOfLine = true;
    this.#markIfDue();
  }

  #separate(): void {
    this.#write(",");
    this.#markIfDue();
  }

  #write(text: string): void {
    this.#stretch += text;
  }

  // Only where a line begins or a segment has been separated from the last one: there the cursor says it all.
  #markIfDue(): void {
    if (this.#stretch.length < stretchLength) return;
    this.#written += this.#stretch.length;
    this.#stretches.push(this.#stretch);
    this.#stretch = "";
    const { line, column, sourceLine, sourceColumn, hasSource } = this.#cursor;
    const numbers = [this.#written, line, column, sourceLine, sourceColumn].map(toFixedDigits).join("");
    this.#marks.push(`${numbers}${letters[hasSource ? 1 : 0]}`);
  }
}

function toFixedDigits(number: number): string {
  let text = "";
  for (let place = markDigits - 1; place >= 0; place--)
    text += letters[Math.floor(number / letters.length ** place) % letters.length];
  return text;
}

function toDigits(number: number): string {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = "";
  do {
    const digit = rest & (moreDigits - 1);
    rest >>>= 5;
    text += letters[rest > 0 ? digit | moreDigits : digit];
  } while (rest > 0);
  return text;
}
