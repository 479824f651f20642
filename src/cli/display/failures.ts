// Why something failed, as lines for a terminal: the kind, the message, and where in the guest's source it was.
import type { Diagnostic, FailureKind, GuestFailure, LogLine } from "../../index.ts";
import { LoadError, type VivariumError } from "../../model/errors.ts";
import { bold, dim, red, yellow, type Line, type Span, type Style } from "./lines.ts";

const stackLinesMax = 12;
const diagnosticsMax = 5;
const frameLinesMax = 12;

/** Limits are yellow, as is what was called off; what is wrong with the code itself is red. */
const limitKinds: readonly FailureKind[] = [
  "timeout",
  "cpu",
  "fuel",
  "memory",
  "queue-overflow",
  "process-limit",
  "output-limit",
  "cancelled",
  "cell-lost",
];

/** The colour of how a run ended: `ok` or a failure kind, also one of a newer server. */
export function styleOfResult(result: string): Style {
  if (result === "ok") return "green";
  return (limitKinds as readonly string[]).includes(result) ? "yellow" : "red";
}

export function failureLines(failure: GuestFailure): readonly Line[] {
  const { kind, message, thrown, diagnostics = [] } = failure;
  const mark: Span = { text: kind, style: styleOfResult(kind) };
  const [first = "", ...others] = message.split("\n");
  return [
    [mark, " ", first],
    ...others.slice(0, stackLinesMax).map((line): Line => ["  ", line]),
    ...diagnosticLines(diagnostics),
    ...stackLines(thrown?.stack ?? ""),
  ];
}

/** An error of ours, with the places in the guest's source where it has some. */
export function errorLines(error: VivariumError): readonly Line[] {
  const [first = "", ...others] = error.message.split("\n");
  const head: readonly Line[] = [[red(error.code), " ", first], ...others.map((line): Line => ["  ", line])];
  if (!(error instanceof LoadError)) return head;
  return [...head, ...diagnosticLines(error.diagnostics), ...stackLines(error.failure?.thrown?.stack ?? "")];
}

export function diagnosticLines(diagnostics: readonly Diagnostic[]): readonly Line[] {
  const shown = diagnostics.slice(0, diagnosticsMax).flatMap(diagnosticLinesOf);
  const left = diagnostics.length - diagnosticsMax;
  return left > 0 ? [...shown, [dim(`  … ${left} more`)]] : shown;
}

function diagnosticLinesOf({ severity, message, module, line, column, frame }: Diagnostic): readonly Line[] {
  const mark = severity === "error" ? red(severity) : yellow(severity);
  const [first = ""] = message.split("\n");
  return [
    ["  ", mark, " ", bold(`${module}:${line}:${column}`), " ", first],
    ...frame
      .split("\n")
      .slice(0, frameLinesMax)
      .map((text): Line => ["    ", text.startsWith(">") ? text : dim(text)]),
  ];
}

// The message is told already.
function stackLines(stack: string): readonly Line[] {
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, stackLinesMax)
    .map((line) => ["  ", dim(line.trim())]);
}

/** A line of a guest's console; what is no plain `log` names its level. */
export function logLines({ level, text }: LogLine): readonly Line[] {
  const mark: Line = level === "error" ? [red("error "), ""] : level === "warn" ? [yellow("warn "), ""] : [];
  return text.split("\n").map((line, at) => [...(at === 0 ? mark : []), line]);
}
