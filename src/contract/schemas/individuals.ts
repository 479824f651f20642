// What is answered of an evolution as a whole: its individuals, and what it says of itself.
import { z } from "@hono/zod-openapi";
import { moment } from "./forms.ts";
import { Components, TestResult } from "./sandboxes.ts";

const texts = () => z.record(z.string(), z.string()).nullable();
const entry = {
  id: z.string(),
  parentIds: z.array(z.string()),
  generation: z.number(),
  depth: z.number(),
  state: z.enum(["awaited", "living", "dead"]),
  score: z.number().nullable(),
  result: z.string().openapi({ description: "`none`, `ok`, or how its latest evaluation failed" }),
  components: Components,
  evaluatedAt: moment().nullable(),
  evaluationMs: z.number().nullable(),
  population: z.string().nullable(),
};
const direction = z.enum(["maximise", "minimise"]);

const IndividualEntry = z.object(entry).openapi("IndividualEntry");

export const IndividualsPage = z
  .object({
    direction,
    individuals: z.array(IndividualEntry),
    next: z
      .number()
      .nullable()
      .openapi({ description: "`after` of the next page; null where there is none" }),
    total: z.number(),
    forgotten: z.number().openapi({
      description: "where it changes between two pages, the places of all others have changed too",
    }),
  })
  .openapi("IndividualsPage");

export const IndividualReport = z
  .object({
    ...entry,
    mutation: z.unknown(),
    tests: z.array(TestResult),
    message: z.string().nullable(),
    adjustments: z.array(z.object({ delta: z.number(), reason: z.string() })),
    sources: texts().openapi({ description: "by the names of modules; null where it is not known" }),
    parentSources: texts().openapi({ description: "those of its first parent, as they were at the birth" }),
  })
  .openapi("IndividualReport");

export const RunEntry = z
  .object({
    name: z.string(),
    title: z.string().nullable(),
    about: z.string().nullable(),
    seed: z.number().nullable(),
    state: z.enum(["running", "done"]).nullable(),
    generation: z.number().nullable(),
    evaluations: z.number().nullable(),
    evaluationsMax: z.number().nullable(),
    durationMs: z.number().nullable(),
    durationMsMax: z.number().nullable(),
    best: z.number().nullable(),
    direction: direction.nullable(),
    unit: z.string().nullable(),
    updatedAt: moment().nullable(),
  })
  .openapi("RunEntry");
