// How a run or a load ended, as an agent reads it: one discriminant, and nothing longer than it can use.
import { z } from "zod";
import { approximate } from "../../contract/approximation.ts";
import { toWireValue } from "../../contract/values.ts";
import type { Diagnostic, Failure, GuestFailure, LogLine, Outcome, Thrown, Usage } from "../../index.ts";
import { VivariumError, type LoadError, type LoadPhase } from "../../model/errors.ts";
import type { FailureKind } from "../../model/runs/outcome.ts";
import { shown } from "../text.ts";

const messageChars = 4_000;
const frameChars = 1_000;
const diagnosticsMax = 20;
const causesMax = 4;
const linesMax = 500;
/** Deeper values are shown as text: readers of JSON differ in how deep they follow it. */
const depthMax = 64;

const diagnostic = z.object({
  severity: z.enum(["error", "warning"]),
  message: z.string(),
  module: z.string(),
  line: z.number(),
  column: z.number(),
  frame: z.string().describe("The source lines around it, with a mark under the place."),
});

export const failureShape = z.object({
  // Not as an enum: each tool would repeat all of them.
  kind: z
    .string()
    .describe("What went wrong: crashed, timeout, memory, compile, rejected, load, not-found, cancelled…"),
  message: z.string(),
  code: z.string().optional().describe("Of code that was turned away: the error code."),
  limit: z.string().optional().describe("The limit that was hit."),
  reason: z.string().optional().describe("Of a cancelled run: who did it."),
  thrown: z
    .object({ name: z.string(), message: z.string(), stack: z.string(), causes: z.array(z.string()) })
    .optional()
    .describe("What the code threw; its stack is in lines of your own source."),
  diagnostics: z.array(diagnostic).optional(),
  diagnosticsOmitted: z.number().optional(),
});
export type FailureView = z.infer<typeof failureShape>;

const logLine = z.object({ level: z.enum(["debug", "log", "info", "warn", "error"]), text: z.string() });

export const outputShape = z.object({
  output: z.array(logLine).describe("What it wrote to the console."),
  outputNote: z.string().optional().describe("Says that output was left out, and where the rest is."),
});
export type OutputView = z.infer<typeof outputShape>;

export const outcomeShape = z.object({
  ok: z
    .boolean()
    .describe(
      "False where the code failed: `error` says how. A failure is a result, not a mistake of the call.",
    ),
  value: z.unknown().optional().describe("With ok: what it returned, as JSON."),
  valueNote: z
    .string()
    .optional()
    .describe("Says that `value` is not all of it: what JSON has no form for, or the beginning of its text."),
  error: failureShape.optional().describe("Without ok: what went wrong."),
  ...outputShape.shape,
  usage: z.object({
    wallMs: z.number(),
    cpuMs: z.number(),
    queuedMs: z.number(),
    heapPeakBytes: z.number(),
    fuel: z.number().nullable(),
  }),
});
export type OutcomeView = z.infer<typeof outcomeShape>;

export interface OutcomeParts {
  readonly textChars: number;
  /** Where lines are that are not shown. */
  readonly rest?: string | undefined;
  /** What cancels the run. */
  readonly signal: AbortSignal;
  /** Instead of those of the outcome. */
  readonly lines?: readonly LogLine[];
}

export function viewOutcome(
  outcome: Outcome,
  { textChars, rest, signal, lines = outcome.logs }: OutcomeParts,
): OutcomeView {
  const common = { ...viewOutput(lines, textChars, rest), usage: viewUsage(outcome.usage) };
  return outcome.ok
    ? { ok: true, ...viewValue(outcome.value, textChars), ...common }
    : { ok: false, error: viewCancelled((outcome satisfies Failure).error, signal), ...common };
}

/** Of a run that was cancelled as the call's time was over, that is what is told. */
function viewCancelled(failure: GuestFailure, { reason }: AbortSignal): FailureView {
  const view = viewFailure(failure);
  const isOurs = failure.reason === "signal" && reason instanceof VivariumError;
  return isOurs ? { ...view, message: reason.message } : view;
}

function viewUsage({ wallMs, cpuMs, queuedMs, heapPeakBytes, fuel }: Usage): OutcomeView["usage"] {
  return { wallMs, cpuMs, queuedMs, heapPeakBytes, fuel };
}

/** A value as JSON, or the beginning of its text where that is long. */
function viewValue(value: unknown, textChars: number): Pick<OutcomeView, "value" | "valueNote"> {
  if (value === undefined) return { value: null, valueNote: "undefined" };
  try {
    const wire = toWireValue(value);
    const text = JSON.stringify(wire.value ?? null);
    if (text.length > textChars || isDeep(wire.value))
      return {
        value: text.slice(0, textChars).toWellFormed(),
        valueNote: `the beginning of its JSON text, which has ${text.length} characters; return less, or a part of it`,
      };
    if (wire.encoded === undefined) return { value: wire.value };
    return {
      value: wire.value ?? null,
      valueNote: "JSON has no form for all of it: a Map is a list of pairs, undefined is null",
    };
  } catch {
    return { value: null, valueNote: "it is nested too deeply to be shown" };
  }
}

function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= depthMax && level.length > 0; depth++)
    level = level.flatMap((item): unknown[] =>
      typeof item === "object" && item !== null ? Object.values(item) : [],
    );
  return level.length > 0;
}

/** The latest lines, as many as there is room for. */
export function viewOutput(lines: readonly LogLine[], textChars: number, rest?: string): OutputView {
  const output: { readonly level: LogLine["level"]; readonly text: string }[] = [];
  let room = textChars;
  for (const { level, text } of lines.toReversed()) {
    if (room <= 0 || output.length >= linesMax) break;
    const line = shown(text, room);
    output.unshift({ level, text: line });
    room -= line.length + 1;
  }
  const omitted = lines.length - output.length;
  const isCut = omitted > 0 || room < 0;
  if (!isCut) return { output };
  const where = rest === undefined ? "" : `; all lines that are kept: ${rest}`;
  return { output, outputNote: `only the latest lines: ${omitted} earlier ones are left out${where}` };
}

export function viewFailure(failure: GuestFailure): FailureView {
  const { kind, message, limit, reason, thrown, diagnostics } = failure;
  return {
    kind,
    message: shown(message, messageChars),
    ...(limit !== undefined && { limit }),
    ...(reason !== undefined && { reason }),
    ...(thrown !== undefined && { thrown: viewThrown(thrown) }),
    ...viewDiagnostics(diagnostics),
  };
}

function viewThrown(thrown: Thrown): NonNullable<FailureView["thrown"]> {
  const causes: string[] = [];
  for (let at = thrown.cause; at !== undefined && causes.length < causesMax; at = at.cause)
    causes.push(shown(`${at.name}: ${at.message}`, frameChars));
  const { name, message, stack } = thrown;
  return {
    name: shown(name, frameChars),
    message: shown(message, messageChars),
    stack: shown(stack, messageChars),
    causes,
  };
}

export function viewDiagnostics(
  diagnostics: readonly Diagnostic[] = [],
): Pick<FailureView, "diagnostics" | "diagnosticsOmitted"> {
  if (diagnostics.length === 0) return {};
  const kept = diagnostics.slice(0, diagnosticsMax).map((one) => ({
    ...one,
    message: shown(one.message, frameChars),
    frame: shown(one.frame, frameChars),
  }));
  const omitted = diagnostics.length - kept.length;
  return { diagnostics: kept, ...(omitted > 0 && { diagnosticsOmitted: omitted }) };
}

const kindOfPhase = {
  parse: "compile",
  compile: "compile",
  gate: "rejected",
  link: "load",
  evaluate: "load",
  migrate: "load",
} as const satisfies Record<LoadPhase, FailureKind>;

/** Code that was turned away, as the failure that it is. */
export function viewLoadError(error: LoadError): FailureView {
  const { failure } = error;
  return {
    ...(failure === undefined ? {} : viewFailure(failure)),
    kind: failure?.kind ?? kindOfPhase[error.phase],
    message: shown(error.message, messageChars),
    code: error.code,
    ...viewDiagnostics(error.diagnostics.length > 0 ? error.diagnostics : failure?.diagnostics),
  };
}

/** Any JSON of a caller's own, such as the record of a mutation. */
export function viewRecord(value: unknown, textChars: number): unknown {
  return viewValue(approximate(value), textChars).value ?? null;
}

/** A failure in words, for those that read only text. */
export function tellFailure({ kind, message, thrown, diagnostics }: FailureView): string {
  const frames = (diagnostics ?? [])
    .slice(0, 3)
    .map(
      ({ severity, message, module, line, column, frame }) =>
        `${severity}: ${module}:${line}:${column}: ${message}\n${frame}`,
    );
  const stack = thrown?.stack ?? "";
  const told = stack.startsWith(message) ? [stack] : [message, ...(stack === "" ? [] : [stack])];
  return [`failed (${kind}): ${told.join("\n")}`, ...frames].join("\n");
}

const toldChars = 4_000;

/** An outcome in words. */
export function tellOutcome(outcome: OutcomeView, what: string): string {
  const { ok, value, valueNote, error, output, outputNote } = outcome;
  const end =
    ok || error === undefined
      ? `${what}: ${shown(JSON.stringify(value ?? null), toldChars)}`
      : tellFailure(error);
  const lines = output.map(({ level, text }) => (level === "log" ? text : `[${level}] ${text}`)).join("\n");
  const notes = [valueNote, outputNote].filter((note) => note !== undefined).map((note) => `(${note})`);
  return [end, ...(lines === "" ? [] : [`output:\n${shown(lines, toldChars)}`]), ...notes].join("\n");
}
