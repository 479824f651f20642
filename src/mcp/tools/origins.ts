// Tools that look back: how a population stands, and where one of it comes from.
import { z } from "zod";
import { populationReport, type LineageReport } from "../../evolution/reports.ts";
import { lineageOf } from "../lineage.ts";
import { viewRecord } from "../shapes/outcome.ts";
import { shown } from "../text.ts";
import { idInput } from "./parts.ts";
import { defineTool } from "./tool.ts";

const statistics = z.object({ min: z.number(), max: z.number(), mean: z.number(), median: z.number() });

export const populationSummary = defineTool({
  name: "population_summary",
  title: "Summarise your population",
  description:
    "Your living sandboxes as one population: how many, by status and by latest result, statistics of their scores, and the best.",
  operation: "population",
  hints: {},
  input: z.strictObject({
    best: z.number().int().min(0).max(100).optional().describe("How many of the best to name. Default: 10."),
    direction: z
      .enum(["maximise", "minimise"])
      .optional()
      .describe("Which scores are better. Default: maximise."),
  }),
  output: z.object({
    size: z.number(),
    byStatus: z.record(z.string(), z.number()),
    byResult: z
      .record(z.string(), z.number())
      .describe("`ok`, a kind of failure, or `none` for those that were never evaluated."),
    generations: z.object({ min: z.number(), max: z.number() }).nullable(),
    scores: statistics.nullable(),
    best: z.array(z.object({ id: z.string(), score: z.number(), generation: z.number() })),
  }),
  async run(agent, { best = 10, direction = "maximise" }) {
    const { byStatus, best: named, ...report } = populationReport(await agent.list(), { best, direction });
    // Each status has a count that is there.
    const structured = {
      ...report,
      byStatus: byStatus as Record<string, number>,
      byResult: { ...report.byResult },
      best: [...named],
    };
    const { size, scores } = structured;
    const about =
      scores === null ? "no scores yet" : `scores ${scores.min}–${scores.max}, median ${scores.median}`;
    const rows = structured.best.map(
      ({ id, score, generation }) => `${id} score ${score} generation ${generation}`,
    );
    return { structured, text: [`${size} sandboxes, ${about}`, ...rows].join("\n") };
  },
});

const mutationChars = 1_000;
const diffsChars = 12_000;

const entryShape = z.object({
  id: z.string(),
  parentIds: z.array(z.string()),
  generation: z.number(),
  depth: z.number(),
  mutation: z.unknown(),
  living: z.boolean(),
  score: z.number().nullable(),
  diff: z
    .string()
    .nullable()
    .describe("From its first parent's code; null where either is not known any more."),
});

export const lineage = defineTool({
  name: "lineage",
  title: "Trace a lineage",
  description:
    "Where a sandbox of yours, living or gone, comes from: itself, its first parent and so on, each with what was changed, its score and the diff of its code; and its ancestors and living descendants.",
  operation: "lineage",
  hints: {},
  input: z.strictObject({
    id: idInput,
    limit: z.number().int().min(1).max(200).optional().describe("How long each list may be. Default: 20."),
  }),
  output: z.object({
    id: z.string(),
    path: z.array(entryShape).describe("From itself back to where it began."),
    ancestors: z.array(z.string()),
    descendants: z.array(z.string()),
    more: z.boolean().describe("Lists were cut at `limit`."),
  }),
  async run(agent, { id, limit = 20 }) {
    const report = await lineageOf(agent, id, limit);
    const structured = {
      ...report,
      path: viewPath(report.path, Math.min(diffsChars, agent.config.bounds.textChars)),
      ancestors: [...report.ancestors],
      descendants: [...report.descendants],
    };
    const steps = structured.path.map(
      (step) =>
        `${step.id} generation ${step.generation} score ${step.score ?? "none"}${step.living ? "" : " (gone)"}`,
    );
    return { structured, text: [...steps, `${report.descendants.length} descendants`].join("\n") };
  },
});

/** The diffs share the room that there is, the nearest first. */
function viewPath(path: LineageReport["path"], textChars: number): z.infer<typeof entryShape>[] {
  let room = textChars;
  return path.map((entry) => {
    const diff = entry.diff === null ? null : shown(entry.diff, Math.max(0, room), "use diff or inspect");
    room -= diff?.length ?? 0;
    return {
      ...entry,
      parentIds: [...entry.parentIds],
      mutation: viewRecord(entry.mutation, mutationChars),
      diff,
    };
  });
}
