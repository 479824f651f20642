// What a console writes: lines of guests and of its own, on the stream where they belong.
import type { GuestFailure, LogLine } from "../../index.ts";
import type { VivariumError } from "../../model/errors.ts";
import { printable } from "../../model/printable.ts";
import { errorLines, failureLines, logLines } from "../display/failures.ts";
import { columnsOf, dim, folded, paint, type Line, type Style } from "../display/lines.ts";
import type { Streams } from "../display/streams.ts";
import { valueText } from "../display/value.ts";

const widthWithoutTerminal = 100;

export class ReplWriter {
  readonly #streams: Streams;
  /** Everything that is no document goes to stderr then. */
  readonly #json: boolean;
  readonly #isTerminal: boolean;

  constructor(
    streams: Streams,
    { json, isTerminal }: { readonly json: boolean; readonly isTerminal: boolean },
  ) {
    this.#streams = streams;
    this.#json = json;
    this.#isTerminal = isTerminal;
  }

  /** A console line of a guest, as it comes. In documents it is part of the answer. */
  output(line: LogLine): void {
    if (this.#json) return;
    const isBeside = !this.#isTerminal && (line.level === "warn" || line.level === "error");
    for (const each of logLines(line)) this.#write(each, isBeside ? "stderr" : "stdout");
  }

  value(value: unknown): void {
    if (value === undefined) return this.#isTerminal ? this.#write([dim("undefined")], "stdout") : undefined;
    const { stdout } = this.#streams;
    // Texts are shown bare where a program reads them, as `console.log` would.
    if (typeof value === "string" && !this.#isTerminal)
      return value.split("\n").forEach((line) => this.#write([line], "stdout"));
    const columns = columnsOf(stdout);
    const width = columns === Infinity ? widthWithoutTerminal : columns;
    const style = styleOfValue(value);
    for (const text of valueText(value, { width }).split("\n"))
      this.#write([style === undefined ? text : { text, style }], "stdout");
  }

  failure(failure: GuestFailure): void {
    for (const line of failureLines(failure)) this.#tell(line, this.#isTerminal ? "stdout" : "stderr");
  }

  error(error: VivariumError): void {
    for (const line of errorLines(error)) this.#tell(line, "stderr");
  }

  /** What a command of the console shows. */
  lines(lines: readonly Line[]): void {
    for (const line of lines) this.#tell(line, this.#json ? "stderr" : "stdout");
  }

  /** What is no result of anything. */
  note(...line: Line): void {
    this.#tell(line, this.#isTerminal && !this.#json ? "stdout" : "stderr");
  }

  document(document: unknown): void {
    this.#streams.stdout.write(`${printable(JSON.stringify(document))}\n`);
  }

  /** What is ours, broken at spaces where it is too wide. */
  #tell(line: Line, to: "stdout" | "stderr"): void {
    for (const each of folded(line, columnsOf(this.#streams[to]))) this.#write(each, to);
  }

  #write(line: Line, to: "stdout" | "stderr"): void {
    const stream = this.#streams[to];
    stream.write(`${paint(line, stream)}\n`);
  }
}

function styleOfValue(value: unknown): Style | undefined {
  switch (typeof value) {
    case "number":
    case "bigint":
    case "boolean":
      return "yellow";
    case "string":
      return "green";
    default:
      return undefined;
  }
}
