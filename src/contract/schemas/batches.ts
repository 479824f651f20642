// What batches take and answer. A mistake that all items share is an error of the batch; one of a single item is its result.
import { z } from "@hono/zod-openapi";
import { dayMs, flag, integer, list, longText, number, table, text, word } from "./forms.ts";
import { evaluationOf, Fitness } from "./evaluations.ts";
import { runBounds } from "./limits.ts";
import { outcomeWith } from "./outcomes.ts";
import { ErrorLine, Problem } from "./problems.ts";
import { argsShape, bounds, notBoth, target } from "./runs.ts";
import { ReloadReport } from "./sandboxes.ts";
import { ItemFork, itemId, ItemSpec, source } from "./specs.ts";

const itemsAtOnceMax = 100_000;
const keptMax = 100_000;

const batch = {
  concurrency: integer(1, itemsAtOnceMax)
    .optional()
    .openapi({ description: "how many items are worked on at a time" }),
  deadlineMs: integer(1, dayMs).optional().openapi({ description: "of the whole batch; default: one hour" }),
};

const argsOnce = notBoth("args", "argsEncoded", "argsOfEach");
const argsRule = { error: "given one of args, argsEncoded and argsOfEach" };

const batchArgs = {
  ...argsShape,
  argsOfEach: list(z.strictObject(argsShape).refine(notBoth("args", "argsEncoded")))
    .optional()
    .openapi({ description: "those of each item, in the order of the items" }),
};

const targets = list(z.union([itemId(), ItemSpec])).openapi({
  description: "ids of sandboxes, or specs of those that are made for the batch",
});
const ids = list(itemId());
const keepAll = flag().optional().openapi({ description: "whether sandboxes that were made live on" });

export const BatchCreate = z.strictObject({ ...batch, specs: list(ItemSpec) }).openapi("BatchCreate");
export const BatchFork = z.strictObject({ ...batch, forks: list(ItemFork) }).openapi("BatchFork");
export const BatchDestroy = z.strictObject({ ...batch, ids }).openapi("BatchDestroy");

const reloadModules = () => table(longText(1_000), source().nullable());
export const BatchReload = z
  .strictObject({
    ...batch,
    ids,
    modules: reloadModules().optional(),
    modulesOfEach: list(reloadModules())
      .optional()
      .openapi({ description: "instead: those of each item, in the order of the items" }),
    mutation: z.unknown().optional(),
    dryRun: flag().optional(),
  })
  .refine((given) => "modules" in given !== "modulesOfEach" in given, {
    error: "given either modules or modulesOfEach",
  })
  .openapi("BatchReload");

export const BatchCall = z
  .strictObject({ ...batch, ...bounds, ...batchArgs, targets, target: target(), keep: keepAll })
  .refine(argsOnce, argsRule)
  .openapi("BatchCall");

export const BatchRun = z
  .strictObject({
    ...batch,
    ...bounds,
    ...batchArgs,
    targets,
    function: source().openapi({ description: "the source of the function" }),
    keep: keepAll,
  })
  .refine(argsOnce, argsRule)
  .openapi("BatchRun");

const keep = z.union([
  flag(),
  integer(0, keptMax),
  z.strictObject({
    best: integer(0, keptMax),
    direction: word(["maximise", "minimise"]).optional(),
  }),
]);

export const BatchEvaluate = z
  .strictObject({
    ...batch,
    ...runBounds,
    targets,
    fitness: Fitness,
    itemDeadlineMs: integer(1, dayMs).optional(),
    repeats: integer(1, 10_000).optional(),
    summary: word(["mean", "median", "min", "max"]).optional(),
    onFailure: z.union([word(["record"]), z.strictObject({ score: number() })]).optional(),
    population: text(128).optional(),
    keep: keep
      .optional()
      .openapi({ description: "which sandboxes that were made live on: all, none, the best" }),
  })
  .openapi("BatchEvaluate", {
    example: {
      targets: [{ id: "candidate", modules: { main: "export const f = (n: number) => n * 2;" } }],
      fitness: { tests: [{ name: "doubles", call: "main.f", args: [21], expected: 42 }] },
      timeoutMs: 500,
      keep: { best: 1 },
    },
  });

const item = { index: z.number(), sandboxId: z.string() };
const kept = { ...item, kept: z.boolean().optional() };
const failed = z.object({ ...item, ok: z.literal(false), error: Problem });

export const Result = z
  .union([z.object({ ...item, ok: z.literal(true) }), failed])
  .openapi("Result", { description: "of one item of a batch" });
const ReloadResult = z
  .union([z.object({ ...item, ok: z.literal(true), value: ReloadReport }), failed])
  .openapi("ReloadResult");
export const BatchOutcome = outcomeWith(kept).openapi("BatchOutcome");
export const BatchEvaluation = evaluationOf(kept).openapi("BatchEvaluation");

const BeginLine = z.object({ type: z.literal("begin"), size: z.number() }).openapi("BeginLine");
const progress = { done: z.number(), size: z.number() };
const ProgressLine = z.object({ type: z.literal("progress"), ...progress }).openapi("ProgressLine");
const EndLine = z
  .object({
    type: z.literal("end"),
    ...progress,
    kept: z.array(z.number().int().min(0)).readonly().optional(),
  })
  .openapi("EndLine");

function lineOf<const N extends string, R extends z.ZodType>(name: N, result: R) {
  const ResultLine = z.object({ type: z.literal("result"), result }).openapi(`${name}ResultLine`);
  return z
    .discriminatedUnion("type", [BeginLine, ResultLine, ProgressLine, EndLine, ErrorLine])
    .openapi(`${name}Line`, {
      description:
        "`begin` at once, a `result` for each item as it ends, `progress` in between, `end` at last",
    });
}

export const BatchLine = lineOf("Batch", Result);
export const ReloadLine = lineOf("Reload", ReloadResult);
export const OutcomeLine = lineOf("Outcome", BatchOutcome);
export const EvaluationLine = lineOf("Evaluation", BatchEvaluation);
