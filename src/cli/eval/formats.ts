// The output formats for engines. A program without a score has none in any of them.
import type { BatchEvaluation, Components } from "../../index.ts";
import { failureOf, feedbackOf, type EvaluationReport } from "./feedback.ts";

/** What is written: one document, or several that are files of a folder. */
export type Formatted =
  | { readonly document: unknown }
  | { readonly files: Readonly<Record<string, unknown>> };

export const formats = {
  json: (report) => ({ document: toJson(report) }),
  openevolve: (report) => ({ document: toOpenEvolve(report) }),
  shinka: (report) => ({ files: toShinka(report) }),
  alphaevolve: (report) => ({ document: toAlphaEvolve(report) }),
} as const satisfies Record<string, (report: EvaluationReport) => Formatted>;

export type FormatName = keyof typeof formats;

/** The same as one object that also names its program. */
export function asLine(program: string, formatted: Formatted): object {
  const document = "document" in formatted ? formatted.document : formatted.files;
  // Every format makes an object.
  return { program, ...(document as object) };
}

function toJson(report: EvaluationReport): unknown {
  if ("result" in report) return report.result;
  const { code, message, phase, diagnostics } = report.unloaded;
  return { ok: false, error: { kind: "load", code, message, phase, diagnostics } };
}

// Metrics are numbers that are averaged, so missing ones are left out; artifacts go into the next prompt.
function toOpenEvolve(report: EvaluationReport): unknown {
  const { score, others } = numbersOf(report);
  const metrics = { ...others, ...(score === null ? {} : { combined_score: score }) };
  return { metrics, artifacts: feedbackOf(report) };
}

// Shinka reads a missing score as 0.0, but ignores programs that are not correct.
function toShinka(report: EvaluationReport): Readonly<Record<string, unknown>> {
  const { score, others, isMeasured } = numbersOf(report);
  const feedback = Object.entries(feedbackOf(report));
  const { failure, stderr } = Object.fromEntries(feedback);
  return {
    "metrics.json": {
      ...(score === null ? {} : { combined_score: score }),
      public: others,
      private: "result" in report ? costsOf(report.result) : {},
      text_feedback: feedback.map(([name, text]) => `${name}:\n${text}`).join("\n\n"),
    },
    "correct.json": { correct: isMeasured, error: isMeasured ? null : `${failure}: ${stderr}` },
  };
}

// The first of several scores is the one that is optimized; null means none.
function toAlphaEvolve(report: EvaluationReport): unknown {
  const { score, others } = numbersOf(report);
  const insights = Object.entries(feedbackOf(report)).map(([label, text]) => ({ label, text }));
  if (score === null) return { score, insights };
  const { score: _, ...rest } = others;
  const scores = Object.entries({ score, ...rest }).map(([metric, value]) => ({ metric, score: value }));
  return { scores, insights };
}

interface Numbers {
  readonly score: number | null;
  /** Components, and the scores of stages. */
  readonly others: Components;
  /** The score was reached, and is not one that `onFailure` gave to a failure. */
  readonly isMeasured: boolean;
}

function numbersOf(report: EvaluationReport): Numbers {
  if (!("result" in report)) return { score: null, others: {}, isMeasured: false };
  const { result } = report;
  const stages = Object.fromEntries(result.stages.map(({ name, score }) => [`stage_${name}`, score]));
  const components = result.ok ? result.components : {};
  return {
    score: result.ok ? result.score : null,
    others: { ...components, ...stages },
    isMeasured: failureOf(result) === null,
  };
}

function costsOf({ usage, evaluationMs }: BatchEvaluation): Components {
  const { runs, cpuMs, fuel } = usage;
  return { evaluation_ms: evaluationMs, runs, cpu_ms: cpuMs, ...(fuel === null ? {} : { fuel }) };
}
