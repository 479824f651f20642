// What a command writes: text for a person, in which nothing is obeyed by the terminal but the styles of `lines.ts`, or JSON.
import { printable } from "../../model/printable.ts";
import { columnsOf, folded, paint, type Line } from "./lines.ts";
import { neutralised } from "./neutralise.ts";

export interface Output {
  /** Paragraphs on stdout for a person; what a terminal would obey in them is shown as an escape. */
  text(text: string): void;
  /** Lines on stdout for a person, with styles where it shows them. */
  lines(lines: readonly Line[]): void;
  /** The same on stderr, broken at spaces where it is a terminal: what is no result. */
  note(text: string): void;
  noteLines(lines: readonly Line[]): void;
  /** The width of stdout; endless where it is no terminal. */
  readonly width: number;
  /** The one JSON document of the command on stdout. */
  json(document: unknown): void;
  /** One line of NDJSON on stdout; resolves when there is room for the next one. */
  line(document: unknown): Promise<void>;
  /** Text of our own on stdout as it is, such as a script; resolves when there is room for more. */
  write(text: string): Promise<void>;
}

/** Whoever closed stdout or stderr is dealt with by `standard-streams.ts`. */
export function outputOf(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Output {
  return {
    text: (text) => writeFolded(stdout, linesOf(text)),
    lines: (lines) => writeAll(stdout, lines),
    note: (text) => writeFolded(stderr, linesOf(text)),
    noteLines: (lines) => writeFolded(stderr, lines),
    width: columnsOf(stdout),
    // JSON escapes only the controls below the space by itself; the others mean the same escaped.
    json: (document) => void stdout.write(`${printable(JSON.stringify(document, null, 2))}\n`),
    line: (document) => written(stdout, `${printable(JSON.stringify(document))}\n`),
    write: (text) => written(stdout, text),
  };
}

function writeAll(stream: NodeJS.WriteStream, lines: readonly Line[]): void {
  for (const line of lines) stream.write(`${paint(line, stream)}\n`);
}

function writeFolded(stream: NodeJS.WriteStream, lines: readonly Line[]): void {
  const width = columnsOf(stream);
  writeAll(
    stream,
    lines.flatMap((line) => folded(line, width)),
  );
}

function linesOf(text: string): readonly Line[] {
  return neutralised(text, { multiline: true })
    .split("\n")
    .map((line) => [line]);
}

function written(stream: NodeJS.WriteStream, text: string): Promise<void> {
  if (stream.write(text)) return Promise.resolve();
  return new Promise((resolve) => stream.once("drain", resolve));
}
