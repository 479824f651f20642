// How runs end: values, failures, usage and console lines.
import { z } from "@hono/zod-openapi";
import { limitNames } from "../../model/limits.ts";
import type { LoadPhase } from "../../model/errors.ts";
import { logLevels } from "../../model/runs/log-line.ts";
import {
  failureKinds,
  type CancelReason,
  type FailureKind,
  type Thrown as ThrownType,
} from "../../model/runs/outcome.ts";
import { moment } from "./forms.ts";
import type { Plain } from "./plain.ts";

const cancelReasons = [
  "signal",
  "deadline",
  "idle",
  "lane",
  "queue",
  "closed",
  "destroyed",
  "restarted",
] as const satisfies readonly CancelReason[];

export const loadPhases = [
  "parse",
  "compile",
  "gate",
  "link",
  "evaluate",
  "migrate",
] as const satisfies readonly LoadPhase[];

export const Diagnostic = z
  .object({
    severity: z.enum(["error", "warning"]),
    message: z.string(),
    module: z.string(),
    line: z.number(),
    column: z.number(),
    frame: z.string().openapi({ description: "a few source lines around the position with a mark under it" }),
  })
  .openapi("Diagnostic", { description: "a message with its position; lines and columns count from 1" });

const Thrown: z.ZodType<Plain<ThrownType>, Plain<ThrownType>> = z
  .lazy(() =>
    z.object({
      name: z.string(),
      message: z.string(),
      stack: z.string().openapi({ description: "in the guest's own source lines" }),
      code: z.union([z.string(), z.number()]).optional(),
      cause: Thrown.optional(),
      errors: z.array(Thrown).optional(),
      error: Thrown.optional(),
      suppressed: Thrown.optional(),
      properties: z.record(z.string(), z.unknown()).optional(),
    }),
  )
  .openapi("Thrown", { description: "what a guest threw, an error or any other value, as plain data" });

const kinds = Object.keys(failureKinds) as readonly FailureKind[];
const kindsAbout = kinds.map((kind) => `${kind}: ${failureKinds[kind]}`).join(" ");

export const GuestFailure = z
  .object({
    kind: z.enum(kinds).openapi({ description: kindsAbout }),
    message: z.string(),
    limit: z.enum(limitNames).optional().openapi({ description: "the limit that was hit" }),
    reason: z.enum(cancelReasons).optional().openapi({ description: "with cancelled: who did it" }),
    thrown: Thrown.optional(),
    diagnostics: z.array(Diagnostic).optional(),
  })
  .openapi("GuestFailure", { description: "how and why a run failed" });

const Usage = z
  .object({
    wallMs: z.number(),
    cpuMs: z.number(),
    queuedMs: z.number(),
    heapBytes: z.number(),
    heapPeakBytes: z.number(),
    externalBytes: z.number(),
    processes: z.number(),
    processesMax: z.number(),
    queueMax: z.number(),
    outputBytes: z.number(),
    fuel: z.number().nullable(),
  })
  .openapi("Usage", { description: "what a run has used" });

export const LogLine = z
  .object({ level: z.enum(logLevels), text: z.string(), at: moment() })
  .openapi("LogLine", { description: "one line of a guest's console" });

/** A value of a guest. */
export const valueShape = {
  value: z.unknown().openapi({ description: "what JSON can say of the value" }),
  encoded: z.string().optional().openapi({
    description:
      "there where JSON does not say it all (a Map, NaN, undefined, a cycle): the codec's text, which counts",
  }),
};
export const Value = z.object(valueShape).openapi("Value");

const base = { usage: Usage, logs: z.array(LogLine) };

/** An outcome with what some operations add to it. */
export function outcomeWith<S extends z.ZodRawShape>(more: S) {
  return z.union([
    z.object({ ...base, ...more, ...valueShape, ok: z.literal(true) }),
    z.object({ ...base, ...more, ok: z.literal(false), error: GuestFailure }),
  ]);
}

export const Outcome = outcomeWith({}).openapi("Outcome", {
  description: "how a run ended: with a value, or with a failure, which is no error of the request",
});
