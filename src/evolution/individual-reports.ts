// What a tracker remembers, individual by individual, as plain data for people and programs far away: page by page without what is
// long, and one of them with all of it.
import { SandboxNotFoundError } from "../model/errors.ts";
import type { Components, TestResult } from "../model/fitness.ts";
import { boolean, fields, func, integer, type Shape } from "../model/schema.ts";
import { noDetails } from "./table/details.ts";
import type { Individuals } from "./table/individuals.ts";
import type { Tracker } from "./tracker.ts";

/** One individual, living or dead, without what is long. What is not known is null. */
export interface IndividualEntry {
  readonly id: string;
  /** In the order in which they were named: the first gave it its code. */
  readonly parentIds: readonly string[];
  readonly generation: number;
  /** Steps to the farthest seed, counted when it was born. */
  readonly depth: number;
  /** It is awaited where it was named as a parent, but its birth was not reported. */
  readonly state: "awaited" | "living" | "dead";
  readonly score: number | null;
  /** `none` before its first evaluation, `ok`, or how that failed. */
  readonly result: string;
  readonly components: Readonly<Record<string, number>>;
  readonly evaluatedAt: number | null;
  readonly evaluationMs: number | null;
  /** The population that it was the latest time a member of, or that its evaluation named. */
  readonly population: string | null;
}

/** Individuals in the order of their births. */
export interface IndividualsPage {
  readonly direction: "maximise" | "minimise";
  readonly individuals: readonly IndividualEntry[];
  /** Where the next page begins; null where there is none. */
  readonly next: number | null;
  /** How many are remembered in all. */
  readonly total: number;
  /** How many are not remembered any more. Where that changes between two pages, the places of all others have too. */
  readonly forgotten: number;
}

/** All that is known of one individual. */
export interface IndividualReport extends IndividualEntry {
  readonly mutation: unknown;
  readonly tests: readonly TestResult[];
  /** Why it has no score, in words. */
  readonly message: string | null;
  readonly adjustments: readonly { readonly delta: number; readonly reason: string }[];
  /** Its code, or what it was last, by the names of modules; null where it is not known, or had to make room. */
  readonly sources: Readonly<Record<string, string>> | null;
  /** That of its first parent, as it was at the birth. */
  readonly parentSources: Readonly<Record<string, string>> | null;
}

/** Which individuals a page tells of. */
export interface IndividualsPageOptions {
  /** The place that it begins at. Default: 0. */
  readonly after?: number;
  /** How many it has at most, 1–10,000. Default: 1,000. */
  readonly limit?: number;
  /** Whether it tells the components of scores; without them it is made in less time. Default: true. */
  readonly details?: boolean;
  /** Which individuals may be told of; the others have no places. Default: all. */
  readonly isShown?: (id: string) => boolean;
}

/** How much a report of one individual tells. */
export interface IndividualReportOptions {
  /** Which individuals may be told of. Default: all. */
  readonly isShown?: (id: string) => boolean;
}

/** How many individuals are told, and how many looked at, in one step. */
const stepEntries = 50;
const stepRows = 500;

const pageOptions = fields({
  after: integer({ min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 }),
  limit: integer({ min: 1, max: 10_000, default: 1_000 }),
  details: boolean(),
  isShown: func<(id: string) => boolean>(),
} satisfies Shape<IndividualsPageOptions>);

const reportOptions = fields({
  isShown: func<(id: string) => boolean>(),
} satisfies Shape<IndividualReportOptions>);

/** A page of all individuals that are remembered, living, dead and awaited, in the order of their births. */
export function individualsPage(tracker: Tracker, options: IndividualsPageOptions = {}): IndividualsPage {
  const steps = individualsPageSteps(tracker, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The same in steps, between which the tracker may change: a page of many, or of some out of many, takes long. */
export function* individualsPageSteps(
  tracker: Tracker,
  options: IndividualsPageOptions = {},
): Generator<undefined, IndividualsPage> {
  const { after, limit, details = true, isShown } = pageOptions.read(options, "options");
  const { table, direction } = tracker;
  for (;;) {
    const { forgotten } = table;
    const shown = isShown === undefined ? undefined : yield* rowsOf(table, isShown);
    const total = shown?.length ?? table.size;
    const end = Math.min(total, after + limit);
    const individuals: IndividualEntry[] = [];
    // Where individuals were forgotten meanwhile, all others have other places.
    for (let place = after; place < end && table.forgotten === forgotten; place++) {
      individuals.push(entryOf(table, shown?.[place] ?? place, { isShown, isDetailed: details }));
      if (individuals.length % stepEntries === 0) yield;
    }
    if (table.forgotten === forgotten)
      return { direction, individuals, next: end < total ? end : null, total, forgotten };
  }
}

/** All that is known of one individual, of an id the latest. Throws `SANDBOX_NOT_FOUND` for one that is not known. */
export function individualReport(
  tracker: Tracker,
  id: string,
  options: IndividualReportOptions = {},
): IndividualReport {
  const { isShown } = reportOptions.read(options, "options");
  const { table } = tracker;
  const row = table.find(id);
  if (row === undefined || isShown?.(id) === false) throw new SandboxNotFoundError(id);
  return reportOf(table, row, isShown);
}

/** All that is known of each individual, in the order of births. An id may occur again, behind a dead one. */
export function* individualReports(tracker: Tracker): Generator<IndividualReport> {
  const { table } = tracker;
  for (let row = 0; row < table.size; row++) yield reportOf(table, row, undefined);
}

function reportOf(
  table: Individuals,
  row: number,
  isShown: ((id: string) => boolean) | undefined,
): IndividualReport {
  const { tests, message, adjustments } = table.detailsOf(row) ?? noDetails;
  const [parent] = table.edges.parentsOf(row);
  const isParentShown = isShown === undefined || (parent !== undefined && isShown(table.idOf(parent)));
  return {
    ...entryOf(table, row, { isShown, isDetailed: true }),
    mutation: table.mutationOf(row),
    tests,
    message,
    adjustments,
    sources: table.code.sourcesOf(row),
    parentSources: isParentShown ? table.code.parentSourcesOf(row) : null,
  };
}

function* rowsOf(
  table: Individuals,
  isShown: (id: string) => boolean,
): Generator<undefined, readonly number[]> {
  const rows: number[] = [];
  const { forgotten } = table;
  for (let row = 0; row < table.size && table.forgotten === forgotten; row++) {
    if (isShown(table.idOf(row))) rows.push(row);
    if (row % stepRows === stepRows - 1) yield;
  }
  return rows;
}

function entryOf(
  table: Individuals,
  row: number,
  {
    isShown,
    isDetailed,
  }: { readonly isShown: ((id: string) => boolean) | undefined; readonly isDetailed: boolean },
): IndividualEntry {
  const parentIds = table.edges.parentsOf(row).map((parent) => table.idOf(parent));
  const score = table.score.get(row);
  const result = table.result.get(row);
  const components = isDetailed ? table.detailsOf(row)?.components : undefined;
  return {
    id: table.idOf(row),
    parentIds: isShown === undefined ? parentIds : parentIds.filter((id) => isShown(id)),
    generation: table.generation.get(row),
    depth: table.depth.get(row),
    state: table.isLiving(row) ? "living" : table.isAwaited(row) ? "awaited" : "dead",
    score: Number.isNaN(score) ? null : score,
    result,
    components: finiteOf(components ?? {}),
    // Zero where whoever recorded it did not say.
    evaluatedAt: table.evaluatedAt.get(row) || null,
    evaluationMs: table.evaluationMs.get(row) || null,
    population: table.population.get(row),
  };
}

// Of a row that was damaged in the store some may be no number.
function finiteOf(components: Components): Components {
  const entries = Object.entries(components);
  const finite = entries.filter(([, value]) => Number.isFinite(value));
  return finite.length === entries.length ? components : Object.fromEntries(finite);
}
