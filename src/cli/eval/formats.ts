// The forms in which engines want an evaluation. A program without a score has none in any of them.
import type { BatchEvaluation, LoadError, LogLine } from "../../index.ts";

export type EvaluationReport =
  | { readonly result: BatchEvaluation; readonly logs: readonly LogLine[] }
  /** Its code did not even load. */
  | { readonly stillborn: LoadError };

export const formats = { json: toJson, openevolve: toOpenEvolve } as const;

export type FormatName = keyof typeof formats;

function toJson(report: EvaluationReport): unknown {
  if ("result" in report) return report.result;
  const { code, message, stage, diagnostics } = report.stillborn;
  return { ok: false, error: { kind: "load", code, message, stage, diagnostics } };
}

// Metrics are numbers and are averaged over, so what is missing is left out; artifacts go into the next prompt.
function toOpenEvolve(report: EvaluationReport): unknown {
  if (!("result" in report)) {
    const { message, diagnostics } = report.stillborn;
    const frames = diagnostics.map((diagnostic) => diagnostic.frame ?? diagnostic.message).join("\n");
    return { metrics: {}, artifacts: { failure: "load", stderr: message, diagnostics: frames } };
  }
  const { result, logs } = report;
  const output = logs.map(({ text }) => text).join("\n");
  const tests = result.tests
    .filter(({ message }) => message !== undefined)
    .map(({ name, message }) => `${name}: ${message}`);
  const artifacts = {
    ...(output === "" ? {} : { stdout: output }),
    ...(tests.length === 0 ? {} : { failed_tests: tests.join("\n") }),
  };
  const stages = Object.fromEntries(result.stages.map(({ name, score }) => [`stage_${name}`, score]));
  if (result.ok && result.mapped === null)
    return { metrics: { combined_score: result.score, ...result.components, ...stages }, artifacts };
  const error = result.ok ? result.mapped : result.error;
  const stack = error?.failure?.thrown?.stack;
  return {
    metrics: result.ok ? { combined_score: result.score, ...stages } : stages,
    artifacts: { ...artifacts, failure: error?.kind, stderr: stack ?? error?.message },
  };
}
