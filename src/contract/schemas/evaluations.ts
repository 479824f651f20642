// Fitness as requests give it, and what evaluations come to.
import { z } from "@hono/zod-openapi";
import { codes } from "./problems.ts";
import { limitTable } from "../../model/limits.ts";
import { filledList, flag, integer, longText, moment, number, table, text, word } from "./forms.ts";
import { ItemLimits } from "./limits.ts";
import { Diagnostic, GuestFailure, loadPhases } from "./outcomes.ts";
import { argsShape, notBoth, target } from "./runs.ts";
import { Components, evaluationKinds, TestResult } from "./sandboxes.ts";
import { Placement, profileName, source } from "./specs.ts";

const argsOnce = notBoth("args", "argsEncoded");
const argsRule = { error: "given args or argsEncoded, not both" };

const TestCase = z
  .strictObject({
    ...argsShape,
    name: text(10_000),
    call: target(),
    expected: z.unknown().optional(),
    expectedEncoded: longText(limitTable.argsBytes.max).optional(),
    tolerance: number(0).optional(),
    points: number(Number.MIN_VALUE).optional(),
    hidden: flag().optional().openapi({ description: "its result contains nothing but whether it passed" }),
    timeoutMs: integer(1, limitTable.timeoutMs.max).optional(),
  })
  .refine(argsOnce, argsRule)
  .refine((given) => "expected" in given !== "expectedEncoded" in given, {
    error: "given either expected or expectedEncoded",
  })
  .openapi("TestCase", { description: "one question to a candidate, and its answer" });

const Suite = z
  .strictObject({
    tests: filledList(TestCase),
    failedRun: word(["fail", "no-points"])
      .optional()
      .openapi({ description: "what a run that fails means: for the whole evaluation, or for its test" }),
  })
  .openapi("Suite", { description: "the score is the share of all points that was reached" });

const Scorer = z
  .strictObject({
    questions: filledList(z.strictObject({ ...argsShape, call: target() }).refine(argsOnce, argsRule)),
    scorer: z.strictObject({
      modules: table(longText(1_000), source()),
      call: target(),
      limits: ItemLimits.optional(),
      profile: profileName().optional(),
      placement: Placement.optional(),
    }),
  })
  .openapi("Scorer", {
    description: "a function in a sandbox of its own that takes all answers and gives a score",
  });

const stagesMax = 1_000;
const Cascade = z
  .strictObject({
    stages: filledList(
      z.strictObject({
        name: text(10_000),
        fitness: z.union([Suite, Scorer]),
        atLeast: number().optional(),
        atMost: number().optional(),
      }),
      stagesMax,
    ),
  })
  .openapi("Cascade", { description: "cheap stages first; the last one scores" });

export const Fitness = z.union([Suite, Scorer, Cascade]).openapi("Fitness");

const EvaluationFailure = z
  .object({
    kind: z.enum(evaluationKinds),
    message: z.string(),
    failure: GuestFailure.optional(),
    creation: z
      .object({
        code: z.enum(codes),
        phase: z.enum(loadPhases).nullable(),
        diagnostics: z.array(Diagnostic),
      })
      .optional(),
    test: z.string().optional(),
    stage: z.string().optional(),
  })
  .openapi("EvaluationFailure", { description: "why an individual has no score" });

const Noise = z
  .object({
    samples: z.array(z.number()),
    mean: z.number(),
    median: z.number(),
    deviation: z.number(),
    standardError: z.number(),
    min: z.number(),
    max: z.number(),
    constant: z.boolean(),
  })
  .openapi("Noise");

const base = {
  revision: z.number(),
  generation: z.number(),
  evaluatedAt: moment(),
  evaluationMs: z.number(),
  usage: z.object({
    runs: z.number(),
    wallMs: z.number(),
    cpuMs: z.number(),
    fuel: z.number().nullable(),
  }),
  tests: z.array(TestResult),
  stages: z.array(z.object({ name: z.string(), score: z.number(), passed: z.boolean() })),
};

/** An evaluation as the result of an item of a batch. */
export function evaluationOf<S extends z.ZodRawShape>(item: S) {
  return z.union([
    z.object({
      ...item,
      ...base,
      ok: z.literal(true),
      score: z.number(),
      components: Components,
      noise: Noise.nullable(),
      mapped: EvaluationFailure.nullable(),
    }),
    z.object({ ...item, ...base, ok: z.literal(false), error: EvaluationFailure }),
  ]);
}
