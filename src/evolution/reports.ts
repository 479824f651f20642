// What is known of one individual's origin, and of the living as one population, as reports for people and programs far away.
import { SandboxNotFoundError } from "../model/errors.ts";
import type { SandboxInfo } from "../model/sandboxes/sandbox-info.ts";
import type { Status } from "../model/sandboxes/status.ts";
import { either, fields, func, integer, type Shape } from "../model/schema.ts";
import type { Direction } from "./pareto.ts";
import type { Tracker } from "./tracker.ts";

/** What is known of a sandbox's origin, nearest first. Lists are cut at `limit`; `more` says that they were. */
export interface LineageReport {
  readonly id: string;
  readonly path: readonly LineageEntry[];
  readonly ancestors: readonly string[];
  readonly descendants: readonly string[];
  readonly more: boolean;
}

/** One individual on the way to a seed. */
export interface LineageEntry {
  readonly id: string;
  readonly parentIds: readonly string[];
  readonly generation: number;
  readonly depth: number;
  readonly mutation: unknown;
  readonly living: boolean;
  readonly score: number | null;
  /** From its first parent's code to its own; null where either is not known any more. */
  readonly diff: string | null;
}

/** The living sandboxes as one population. */
export interface PopulationReport {
  readonly size: number;
  readonly byStatus: Readonly<Partial<Record<Status, number>>>;
  /** How latest evaluations ended: `ok`, a kind of failure, or `none` for those that were never evaluated. */
  readonly byResult: Readonly<Record<string, number>>;
  readonly generations: { readonly min: number; readonly max: number } | null;
  /** Of those that have a score; null where none has. */
  readonly scores: {
    readonly min: number;
    readonly max: number;
    readonly mean: number;
    readonly median: number;
  } | null;
  /** The best first. */
  readonly best: readonly { readonly id: string; readonly score: number; readonly generation: number }[];
}

/** How much a report of lineage tells. */
export interface LineageReportOptions {
  /** How many items each of its lists has at most, 1–10,000. Default: 100. */
  readonly limit?: number;
  /** Which individuals may be told of. Default: all. */
  readonly isShown?: (id: string) => boolean;
}

/** How a population is summed up. */
export interface PopulationReportOptions {
  /** How many of the best are listed, 0–10,000. Default: 10. */
  readonly best?: number;
  /** Which scores are better. Default: `maximise`. */
  readonly direction?: Direction;
}

const lineageOptions = fields({
  limit: integer({ min: 1, max: 10_000, default: 100 }),
  isShown: func<(id: string) => boolean>(),
} satisfies Shape<LineageReportOptions>);

const populationOptions = fields({
  best: integer({ min: 0, max: 10_000, default: 10 }),
  direction: either(["maximise", "minimise"], "maximise"),
} satisfies Shape<PopulationReportOptions>);

/** Where an individual, living or gone, comes from, and what became of it. Rejects with `SANDBOX_NOT_FOUND` for one that is not known. */
export async function lineageReport(
  tracker: Tracker,
  id: string,
  options: LineageReportOptions = {},
): Promise<LineageReport> {
  const { limit, isShown = () => true } = lineageOptions.read(options, "options");
  const { lineage, fitness, table } = tracker;
  if (table.find(id) === undefined || !isShown(id)) throw new SandboxNotFoundError(id);
  const ancestors = lineage.ancestors(id).filter(isShown);
  const descendants = lineage.descendants(id).filter(isShown);
  // The way ends where it leads to one that may not be told of.
  const steps = await lineage.path(id, limit + 1);
  const hidden = steps.findIndex((step) => !isShown(step.id));
  const shown = hidden < 0 ? steps : steps.slice(0, hidden);
  const path = shown
    .slice(0, limit)
    .map(({ sources: _sources, awaited: _awaited, parentIds, diff, ...step }) => ({
      ...step,
      parentIds,
      score: fitness.get(step.id)?.score ?? null,
      // It has lines of the parent's code.
      diff: parentIds[0] === undefined || isShown(parentIds[0]) ? diff : null,
    }));
  const more = [shown, ancestors, descendants].some((list) => list.length > limit);
  return { id, path, ancestors: ancestors.slice(0, limit), descendants: descendants.slice(0, limit), more };
}

/** Sandboxes, as `runtime.list()` gives them, as one population. */
export function populationReport(
  infos: readonly SandboxInfo[],
  options: PopulationReportOptions = {},
): PopulationReport {
  const { best, direction } = populationOptions.read(options, "options");
  const byStatus: Partial<Record<Status, number>> = {};
  const byResult: Record<string, number> = {};
  const scored: { readonly id: string; readonly score: number; readonly generation: number }[] = [];
  let [min, max] = [Infinity, -Infinity];
  for (const { id, status, fitness, ancestry } of infos) {
    const result = fitness?.result ?? "none";
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    byResult[result] = (byResult[result] ?? 0) + 1;
    min = Math.min(min, ancestry.generation);
    max = Math.max(max, ancestry.generation);
    const score = fitness?.score ?? null;
    if (score !== null) scored.push({ id, score, generation: ancestry.generation });
  }
  const sign = direction === "maximise" ? 1 : -1;
  // Sorting keeps the order of those that are equal.
  scored.sort((one, other) => (other.score - one.score) * sign);
  return {
    size: infos.length,
    byStatus,
    byResult,
    generations: infos.length === 0 ? null : { min, max },
    scores: scoresOf(scored.map(({ score }) => score).sort((one, other) => one - other)),
    best: scored.slice(0, best),
  };
}

// Of sorted scores.
function scoresOf(sorted: readonly number[]): PopulationReport["scores"] {
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) return null;
  const middle = (sorted.length - 1) / 2;
  const at = (index: number): number => sorted[index] ?? min;
  return {
    min,
    max,
    // Divided first, so that great scores do not become infinite together.
    mean: sorted.reduce((sum, score) => sum + score / sorted.length, 0),
    median: at(Math.floor(middle)) / 2 + at(Math.ceil(middle)) / 2,
  };
}
