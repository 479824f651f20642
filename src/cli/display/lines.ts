// Lines of a display: parts of text, each in one style. Whatever they quote is neutralised when they are painted, so that
// nothing of a guest reaches a terminal as it is.
import { styleText } from "node:util";
import { cutTo, neutralised, widthOf } from "./neutralise.ts";

export type Style = "bold" | "dim" | "green" | "red" | "yellow" | "cyan" | "inverse";

/** Text in one style. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}

export type Line = readonly (string | Span)[];

export const bold = (text: string): Span => ({ text, style: "bold" });
export const dim = (text: string): Span => ({ text, style: "dim" });
export const green = (text: string): Span => ({ text, style: "green" });
export const red = (text: string): Span => ({ text, style: "red" });
export const yellow = (text: string): Span => ({ text, style: "yellow" });
export const cyan = (text: string): Span => ({ text, style: "cyan" });
export const inverse = (text: string): Span => ({ text, style: "inverse" });

const textOf = (part: string | Span): string => neutralised(typeof part === "string" ? part : part.text);

export function lineWidth(line: Line): number {
  return line.reduce((width, part) => width + widthOf(textOf(part)), 0);
}

/** At most `width` columns; what is cut off is shown by an ellipsis. */
export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const parts: (string | Span)[] = [];
  let left = width;
  for (const [index, part] of line.entries()) {
    const text = textOf(part);
    const isLast = lineWidth(line.slice(index + 1)) === 0;
    const own = widthOf(text);
    // The ellipsis of what follows needs a column too.
    const shown = own < left || (isLast && own === left) ? text : cutTo(`${text}…`, left);
    parts.push(typeof part === "string" ? shown : { ...part, text: shown });
    left -= own;
    if (left <= 0) break;
  }
  return parts;
}

/** At least `width` columns. */
export function padLine(line: Line, width: number): Line {
  return [...line, " ".repeat(Math.max(0, width - lineWidth(line)))];
}

/** Neutralised, and coloured where the stream shows colours and the user wants them. */
export function paint(line: Line, stream: NodeJS.WritableStream): string {
  return line
    .map((part) => {
      const text = textOf(part);
      return typeof part === "string" || text === "" ? text : styleText(part.style, text, { stream });
    })
    .join("");
}

/** The width of a terminal; endless where the stream is none. */
export function columnsOf(stream: NodeJS.WriteStream): number {
  return stream.isTTY && stream.columns > 0 ? stream.columns : Infinity;
}

/**
 * Broken at spaces into lines of at most `width` columns. A longer word stays whole, so that a path can be copied: the terminal
 * breaks it where it must.
 */
export function folded(line: Line, width: number): readonly Line[] {
  if (lineWidth(line) <= width) return [line];
  const lines: (string | Span)[][] = [[]];
  let used = 0;
  let space = 0;
  for (const part of line) {
    // Each word with the spaces before it, which are left out where it begins a line.
    for (const word of textOf(part).split(/(?<=[^ ])(?= )/)) {
      const own = widthOf(word.trimStart());
      const before = word.length - word.trimStart().length + space;
      // Spaces alone belong to the word of the next part.
      if (own === 0 && used > 0) {
        space = before;
        continue;
      }
      const isNew = used > 0 && used + before + own > width && before > 0;
      if (isNew) lines.push([]);
      const text = isNew ? word.trimStart() : `${" ".repeat(space)}${word}`;
      lines.at(-1)?.push(typeof part === "string" ? text : { ...part, text });
      used = isNew ? own : used + before + own;
      space = 0;
    }
  }
  return lines;
}

/** Broken at spaces into lines of at most `width` columns, each but the first after `indent`. A longer word is cut. */
export function wrapped(text: string, width: number, indent = ""): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of neutralised(text).split(" ")) {
    const longer = line.trim() === "" ? `${line}${word}` : `${line} ${word}`;
    if (widthOf(longer) <= width || line.trim() === "") line = longer;
    else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line].map((one) => cutTo(one, width));
}
