// A unified diff of two texts, made in short steps, so that its caller can pause: long texts may come from a guest.
import { matchLines } from "./line-matching.ts";

/** How many unchanged lines are shown around a change. */
const contextLines = 4;
const linesPerStep = 1_024;
const ruler = "=".repeat(67);

export interface DiffLabels {
  readonly name: string;
  readonly old: string;
  readonly new: string;
}

/** The diff; empty of changes where the texts are the same. Says at each pause about how many steps it took. */
export function* unifiedDiff(old: string, now: string, labels: DiffLabels): Generator<number, string> {
  const kinds = new Map<string, number>();
  const before = yield* linesOf(old, kinds);
  const after = yield* linesOf(now, kinds);
  const matches = yield* matchLines({ old: before.kinds, new: after.kinds, kinds: kinds.size });
  const hunks = yield* hunksOf(matches, after.texts.length);
  const pieces = yield* textOf(hunks, { before: before.texts, after: after.texts, matches });
  return headerOf(labels) + pieces.join("");
}

interface Lines {
  /** With their line ends. */
  readonly texts: readonly string[];
  readonly kinds: Int32Array;
}

function* linesOf(text: string, kinds: Map<string, number>): Generator<number, Lines> {
  const texts: string[] = [];
  let found: Int32Array = new Int32Array(linesPerStep);
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(start, end);
    const kind = kinds.get(line) ?? kinds.size;
    if (kind === kinds.size) kinds.set(line, kind);
    if (texts.length === found.length) found = grown(found);
    found[texts.length] = kind;
    texts.push(line);
    start = end;
    if (texts.length % linesPerStep === 0) yield linesPerStep;
  }
  return { texts, kinds: found.subarray(0, texts.length) };
}

function grown(numbers: Int32Array): Int32Array {
  const more = new Int32Array(2 * numbers.length);
  more.set(numbers);
  return more;
}

/** Old and new lines of one part of the diff, without the context around it. */
interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  oldEnd: number;
  newEnd: number;
}

// Changes with few lines between them are in one hunk.
function* hunksOf(matches: Int32Array, newCount: number): Generator<number, readonly Hunk[]> {
  const hunks: Hunk[] = [];
  const extend = (oldStart: number, newStart: number, end: readonly [old: number, now: number]): void => {
    const last = hunks.at(-1);
    if (last !== undefined && oldStart - last.oldEnd <= 2 * contextLines) [last.oldEnd, last.newEnd] = end;
    else hunks.push({ oldStart, newStart, oldEnd: end[0], newEnd: end[1] });
  };
  let [oldLine, newLine] = [0, 0];
  for (let i = 0; i <= matches.length; i++) {
    const match = i < matches.length ? (matches[i] ?? 0) : newCount;
    if (i % linesPerStep === 0) yield linesPerStep;
    if (match < 0) continue;
    if (i > oldLine || match > newLine) extend(oldLine, newLine, [i, match]);
    [oldLine, newLine] = [i + 1, match + 1];
  }
  return hunks;
}

interface Compared {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly matches: Int32Array;
}

// Where lines changed, the old ones come before the new ones.
function* textOf(
  hunks: readonly Hunk[],
  { before, after, matches }: Compared,
): Generator<number, readonly string[]> {
  const pieces: string[] = [];
  let parts: string[] = [];
  const add = (mark: string, line: string | undefined): void => {
    parts.push(mark, line ?? "", line?.endsWith("\n") === true ? "" : "\n\\ No newline at end of file\n");
  };
  for (const hunk of hunks) {
    const { oldStart, oldEnd, newStart, newEnd } = withContext(hunk, before.length);
    parts.push(`@@ -${rangeOf(oldStart, oldEnd)} +${rangeOf(newStart, newEnd)} @@\n`);
    for (let [i, j] = [oldStart, newStart]; i < oldEnd || j < newEnd;) {
      if (i < oldEnd && matches[i] === -1) add("-", before[i++]);
      else if (j < newEnd && (i >= oldEnd || matches[i] !== j)) add("+", after[j++]);
      else {
        add(" ", before[i++]);
        j++;
      }
      if (parts.length < 3 * linesPerStep) continue;
      pieces.push(parts.join(""));
      parts = [];
      yield linesPerStep;
    }
  }
  return [...pieces, parts.join("")];
}

function withContext({ oldStart, oldEnd, newStart, newEnd }: Hunk, oldCount: number): Hunk {
  const above = Math.min(contextLines, oldStart, newStart);
  const below = Math.min(contextLines, oldCount - oldEnd);
  return {
    oldStart: oldStart - above,
    oldEnd: oldEnd + below,
    newStart: newStart - above,
    newEnd: newEnd + below,
  };
}

// A range without lines is named by the line before it.
function rangeOf(start: number, end: number): string {
  return `${end > start ? start + 1 : start},${end - start}`;
}

function headerOf({ name, old, new: now }: DiffLabels): string {
  const file = quoted(name);
  return `Index: ${name}\n${ruler}\n--- ${file}\t${old}\n+++ ${file}\t${now}\n`;
}

const escapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

// As Git and GNU diff write a name with unusual characters.
function quoted(name: string): string {
  if (/^[ !#-[\]-~]*$/.test(name)) return name;
  const letters = Array.from(Buffer.from(name), (byte) => {
    const letter = String.fromCharCode(byte);
    const isPlain = byte >= 0x20 && byte <= 0x7e;
    return escapes[letter] ?? (isPlain ? letter : `\\${byte.toString(8).padStart(3, "0")}`);
  });
  return `"${letters.join("")}"`;
}
