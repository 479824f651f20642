// The figures at the top of the overview: how fast it is, how much better it became, and how far it is of its budget.
import type { RunEntry } from "../../../../src/contract/evolution-bodies.ts";
import type { Slice } from "../../model/timeline.ts";
import { numberText, percentText, unknownText } from "../../text.ts";

const rateMs = 10_000;

/** The newest by what they say themselves; of those that say nothing, the first. Null where there is none. */
export function newestRun(runs: readonly RunEntry[]): RunEntry | null {
  return runs.reduce<RunEntry | null>(
    (newest, run) =>
      newest === null || (run.updatedAt ?? -Infinity) > (newest.updatedAt ?? -Infinity) ? run : newest,
    null,
  );
}

/** How many per second happened lately, before `now`; null where nothing happened at all. */
export function rateAt(
  { slices, sliceMs }: { readonly slices: readonly Slice[]; readonly sliceMs: number },
  now: number,
): number | null {
  const first = slices[0];
  if (first === undefined) return null;
  // Slices are not cut: it begins where one of them does, and not before anything happened.
  const from = Math.max(first.at, Math.floor((now - rateMs) / sliceMs) * sliceMs);
  let sum = 0;
  for (const slice of slices)
    if (slice.at >= from && slice.at <= now) for (const count of slice.counts) sum += count;
  return (sum * 1_000) / Math.max(1_000, now - from);
}

/** How the best compares with the best of the first generation; null where one of them is unknown. */
export function improvementText(first: number, best: number): string | null {
  if (Number.isNaN(first) || Number.isNaN(best)) return null;
  const change = best - first;
  if (change === 0) return `still ${numberText(best)}, as the best of the first generation`;
  const word = change < 0 ? "lower" : "higher";
  const share = first === 0 || first < 0 ? null : Math.abs(change / first);
  const much = share === null || share > 100 ? numberText(Math.abs(change)) : percentText(share);
  return `${much} ${word} than the best of the first generation, ${numberText(first)}`;
}

export interface Pace {
  /** What is done and how much there is; null where no budget is known. */
  readonly evaluations: Share | null;
  readonly duration: Share | null;
  readonly isDone: boolean;
  /** Whether it is a time before what the run says of itself: then what is done is its share of that. */
  readonly isEarlier: boolean;
  /** Null where it cannot be said. */
  readonly leftMs: number | null;
  /** 0…1 of the budget that ends first; null where none is known. */
  readonly share: number | null;
}

export interface Share {
  readonly done: number;
  readonly max: number;
}

export interface PaceOptions {
  /** Evaluations that the page itself knows of. */
  readonly evaluated: number;
  readonly rate: number | null;
  readonly now: number;
  /** When the first thing happened that the page knows of; null where that is not known. */
  readonly startedAt: number | null;
  /** How many evaluations a document knows of at its end; null where what is shown is not of a document. */
  readonly evaluatedInAll: number | null;
}

export function paceOf(run: RunEntry, options: PaceOptions): Pace {
  const { evaluated, rate, now, startedAt, evaluatedInAll } = options;
  const isEarlier = evaluatedInAll !== null && evaluated < evaluatedInAll;
  const isDone = run.state === "done" && !isEarlier;
  // A run may count otherwise than the page: a copy with a known score costs no evaluation.
  const inAll = run.evaluations ?? evaluatedInAll ?? evaluated;
  const done = isEarlier ? Math.round((inAll * evaluated) / evaluatedInAll) : (run.evaluations ?? evaluated);
  const evaluations = budget(done, run.evaluationsMax);
  const elapsed = isEarlier
    ? startedAt === null
      ? null
      : now - startedAt
    : run.durationMs === null
      ? null
      : run.durationMs + (isDone || run.updatedAt === null ? 0 : Math.max(0, now - run.updatedAt));
  const duration = elapsed === null ? null : budget(elapsed, run.durationMsMax);
  const perMs = elapsed !== null && elapsed > 0 ? done / elapsed : (rate ?? 0) / 1_000;
  const byEvaluations =
    evaluations === null || perMs <= 0 ? null : Math.max(0, evaluations.max - evaluations.done) / perMs;
  const byTime = duration === null ? null : Math.max(0, duration.max - duration.done);
  const lefts = [byEvaluations, byTime].filter((left) => left !== null);
  const shares = [evaluations, duration].filter((each) => each !== null).map((each) => each.done / each.max);
  return {
    evaluations,
    duration,
    isDone,
    isEarlier,
    leftMs: isDone || lefts.length === 0 ? null : Math.min(...lefts),
    share: shares.length === 0 ? null : Math.min(1, Math.max(...shares)),
  };
}

function budget(done: number, max: number | null): Share | null {
  return max === null || max <= 0 ? null : { done, max };
}

export function directionText(direction: "maximise" | "minimise" | null): string {
  if (direction === null) return unknownText;
  return direction === "minimise" ? "lower is better" : "higher is better";
}
