// Changes of a source text that keep every line break where it is, with the source map from the result back. Inside of
// functions a change is enclosed in marks, from which the guest runtime restores the source for Function.prototype.toString.
import { editMarks } from "../../../model/code/edit-marks.ts";
import type { VerbatimMap } from "../../stacks/source-map.ts";

/** A part of the source, by offsets. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

// At one offset first what ends there is closed, innermost first, then texts are inserted, then what starts there is opened,
// outermost first, then what starts there is replaced.
type Kind = 0 | 1 | 2 | 3;

interface Edit {
  readonly at: number;
  readonly end: number;
  readonly kind: Kind;
  /** Among edits of the same kind at one offset, the lower comes first. */
  readonly rank: number;
  readonly text: string;
}

/** A statement that begins so would continue an expression before it. */
const continuing: ReadonlySet<string> = new Set("([`+-/");
const semicolonAtEnd = /;\s*$/;
/** How far is looked back for a semicolon; where none is found, another one does no harm. */
const lookBack = 100;

function endsWithSemicolon(source: string, end: number): boolean {
  return semicolonAtEnd.test(source.slice(Math.max(0, end - lookBack), end));
}

const lineBreak = /\r\n|[\n\r\u2028\u2029]/g;
const notLineBreak = /[^\n\r\u2028\u2029]+/g;

export class Edits {
  readonly #source: string;
  readonly #edits: Edit[] = [];
  readonly #statements = new Set<number>();

  constructor(source: string) {
    this.#source = source;
  }

  /** Puts texts before and behind a node; nodes may be nested, and edited in any order. */
  wrap({ start, end }: Range, before: string, after: string): void {
    if (before !== "") this.#edits.push({ at: start, end: start, kind: 2, rank: -end, text: marked(before) });
    if (after !== "") this.#edits.push({ at: end, end, kind: 0, rank: -start, text: marked(after) });
  }

  /** Whatever the statement begins with from now on, it does not continue a line before it that has no semicolon. */
  separate({ start }: Range): void {
    this.#statements.add(start);
    // What is before it may be wrapped, and could then be continued by what it could not be before: `() => {}` by a bracket.
    if (continuing.has(this.#source.charAt(start)) && !endsWithSemicolon(this.#source, start))
      this.insert(start, ";");
  }

  insert(at: number, text: string): void {
    this.#edits.push({ at, end: at, kind: 1, rank: 0, text: marked(text) });
  }

  /** Replaces a token. */
  replace({ start, end }: Range, text: string): void {
    const original = this.#source.slice(start, end);
    this.#edits.push({ at: start, end, kind: 3, rank: 0, text: marked(text, original) });
  }

  /** Inserts a text outside of all functions, where no mark is needed. */
  insertBare(at: number, text: string): void {
    this.#edits.push({ at, end: at, kind: 1, rank: 0, text });
  }

  /** Replaces a part outside of all functions by a text and the line breaks of the part. */
  blank({ start, end }: Range, text: string): void {
    const breaks = this.#source.slice(start, end).replaceAll(notLineBreak, "");
    this.#edits.push({ at: start, end, kind: 3, rank: 0, text: text + breaks });
  }

  /** The changed text, and its source map. */
  apply(): { readonly text: string; readonly map: VerbatimMap } {
    const source = this.#source;
    // Sorting is stable: of edits that are equal otherwise the earlier one comes first, but the later one is closed first.
    const edits = this.#edits
      .map((edit, order) => ({ ...edit, order: edit.kind === 0 ? -order : order }))
      .toSorted((a, b) => a.at - b.at || a.kind - b.kind || a.rank - b.rank || a.order - b.order);
    const map = new Mappings();
    const parts: string[] = [];
    let done = 0;
    for (const { at, end, kind, text: plain } of edits) {
      // The first that opens or replaces something here is what the statement begins with.
      const isFirst = kind >= 2 && this.#statements.delete(at);
      const text = isFirst && plain.startsWith(openMark) ? plain.replace("(", ";(") : plain;
      parts.push(source.slice(done, at), text);
      map.copy(source, done, at);
      map.change(text, source.slice(at, end));
      done = end;
    }
    parts.push(source.slice(done));
    map.copy(source, done, source.length);
    return { text: parts.join(""), map };
  }
}

const openMark = `${editMarks.start}(`;

function marked(text: string, original = ""): string {
  return `${editMarks.start}${text}${editMarks.end}${original}${editMarks.close}`;
}

// One segment at the start of each line and behind each change; what is between them is copied verbatim.
class Mappings implements VerbatimMap {
  readonly segments: number[] = [0, 0, 0, 0];
  #line = 0;
  #column = 0;
  #sourceColumn = 0;

  copy(source: string, start: number, end: number): void {
    let from = start;
    lineBreak.lastIndex = start;
    for (let found = lineBreak.exec(source); found !== null; found = lineBreak.exec(source)) {
      const next = found.index + found[0].length;
      if (next > end) break;
      this.#startLine();
      from = next;
    }
    this.#column += end - from;
    this.#sourceColumn += end - from;
  }

  change(text: string, original: string): void {
    const breaks = original === "" ? 0 : (original.match(lineBreak)?.length ?? 0);
    for (let i = 0; i < breaks; i++) this.#startLine();
    const lastOf = (part: string): number => part.length - (part.search(/[^\n\r\u2028\u2029]*$/) || 0);
    this.#column += breaks > 0 ? 0 : text.length;
    this.#sourceColumn += breaks > 0 ? lastOf(original) : original.length;
    this.#add();
  }

  #startLine(): void {
    this.#line++;
    this.#column = 0;
    this.#sourceColumn = 0;
    this.#add();
  }

  // Every line stays where it is.
  #add(): void {
    this.segments.push(this.#line, this.#column, this.#line, this.#sourceColumn);
  }
}
