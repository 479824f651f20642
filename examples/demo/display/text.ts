// Lines of a display: cut, padded and wrapped to a width before they are coloured. Every character used is one column wide.
import { styleText } from "node:util";

/** Text in one style. */
export interface Span {
  readonly text: string;
  readonly style: "bold" | "green" | "red" | "dim";
}

export type Line = readonly (string | Span)[];

export const bold = (text: string): Span => ({ text, style: "bold" });
export const green = (text: string): Span => ({ text, style: "green" });
export const red = (text: string): Span => ({ text, style: "red" });
export const dim = (text: string): Span => ({ text, style: "dim" });

const textOf = (part: string | Span): string => (typeof part === "string" ? part : part.text);

export function widthOf(line: Line): number {
  return line.reduce((width, part) => width + textOf(part).length, 0);
}

/** At most `width` columns; what is cut off is shown by an ellipsis. */
export function cut(line: Line, width: number): Line {
  if (widthOf(line) <= width) return line;
  const parts: (string | Span)[] = [];
  let left = width - 1;
  for (const part of line) {
    const text = textOf(part).slice(0, Math.max(0, left));
    left -= text.length;
    parts.push(typeof part === "string" ? text : { ...part, text });
  }
  return width > 0 ? [...parts, "…"] : [];
}

export function pad(line: Line, width: number): Line {
  return [...line, " ".repeat(Math.max(0, width - widthOf(line)))];
}

/** Coloured where the stream shows colours and the user wants them. */
export function paint(line: Line, stream: NodeJS.WriteStream): string {
  return line
    .map((part) => (typeof part === "string" ? part : styleText(part.style, part.text, { stream })))
    .join("");
}

/** Broken at spaces into lines of at most `width` columns, each but the first after `indent`. */
export function wrap(text: string, width: number, indent = ""): readonly string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length <= width || line.trim() === "") line = longer;
    else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line];
}

/** A program with its long lines broken. What is returned goes between brackets, so that the code means the same. */
export function wrapCode(program: string, width: number): readonly string[] {
  return program.split("\n").flatMap((line) => {
    if (line.length <= width) return [line];
    const [, indent = "", expression] = /^( *)return (.*);$/.exec(line) ?? [];
    if (expression === undefined) return wrap(line, width, "  ");
    const inner = `${indent}  `;
    const lines = wrap(expression, width - inner.length);
    return [`${indent}return (`, ...lines.map((part) => `${inner}${part}`), `${indent});`];
  });
}

/** A number in a few characters. */
export function figure(value: number): string {
  if (value === 0) return "0";
  return Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3 ? value.toExponential(1) : value.toFixed(3);
}

export const whole = (value: number): string => value.toLocaleString("en");

/** A number with what it counts, which is one or several. */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${whole(count)} ${count === 1 ? one : several}`;

/** As minutes and seconds. */
export function clock(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
