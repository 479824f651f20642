// Feedback on an evaluation for the author of the next candidate, as texts by name.
import type { BatchEvaluation, EvaluationFailure, LoadError, LogLine } from "../../index.ts";

export type Unloaded = Pick<LoadError, "code" | "message" | "phase" | "diagnostics">;

export type EvaluationReport =
  | { readonly result: BatchEvaluation; readonly logs: readonly LogLine[] }
  /** Its code could not be loaded. */
  | { readonly unloaded: Unloaded };

export type Feedback = Readonly<Record<string, string>>;

/** Texts go into prompts and are cut at this length. */
const textLengthMax = 20_000;

/** Empty where there is nothing to report. */
export function feedbackOf(report: EvaluationReport): Feedback {
  const texts = "result" in report ? ofResult(report.result, report.logs) : ofUnloaded(report.unloaded);
  return Object.fromEntries(
    Object.entries(texts)
      .filter(([, text]) => text !== "")
      .map(([name, text]) => [name, cut(text)]),
  );
}

/** Why it has no score of its own, also where the caller's `onFailure` gave it one. */
export function failureOf(result: BatchEvaluation): EvaluationFailure | null {
  return result.ok ? result.mapped : result.error;
}

function ofUnloaded({ message, diagnostics }: Unloaded): Feedback {
  const frames = diagnostics.map((diagnostic) => diagnostic.frame ?? diagnostic.message);
  return { failure: "load", stderr: message, diagnostics: frames.join("\n") };
}

function ofResult(result: BatchEvaluation, logs: readonly LogLine[]): Feedback {
  const failure = failureOf(result);
  const tests = result.tests
    .filter(({ message }) => message !== undefined)
    .map(({ name, message }) => `${name}: ${message}`);
  return {
    stdout: logs.map(({ text }) => text).join("\n"),
    failed_tests: tests.join("\n"),
    failure: failure?.kind ?? "",
    stderr: failure?.failure?.thrown?.stack ?? failure?.message ?? "",
  };
}

function cut(text: string): string {
  if (text.length <= textLengthMax) return text;
  return `${text.slice(0, textLengthMax)}\n… ${text.length - textLengthMax} more characters`;
}
