// What became of all that was evaluated, in words and in numbers that add up.
import { hostileStories, type HostileName } from "../hostile.ts";
import type { Counts, TrialsCounts } from "../trials.ts";
import { counted, whole } from "./text.ts";

export interface Tally {
  readonly evaluations: number;
  readonly scored: number;
  /** Ordinary programs without a score, by why. */
  readonly failed: Counts;
  /** Hostile programs, by what they tried. */
  readonly hostile: readonly HostileTally[];
  /** Evaluations on the set by which the result is chosen. */
  readonly choices: number;
}

export interface HostileTally {
  readonly count: number;
  readonly tried: string;
  readonly end: string;
}

export function tallyOf({ evaluations, outcomes, fates, choices }: TrialsCounts): Tally {
  const { ok: scored = 0, ...failed } = outcomes;
  const hostile = Object.entries(fates)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, ends]) => hostileTally(name, ends));
  return { evaluations, scored, failed, hostile, choices };
}

/** The evaluations as a sum of all of their kinds. */
export function sumOf(tally: Tally): string {
  const { evaluations, scored, failed, hostile, choices } = tally;
  const failures = total(Object.values(failed));
  const parts = [
    `${whole(scored)} scored`,
    ...(failures > 0 ? [`${whole(failures)} without a score (${kinds(failed)})`] : []),
    ...(hostile.length > 0 ? [`${whole(hostileCount(tally))} hostile`] : []),
    ...(choices > 0 ? [`${whole(choices)} to choose the best`] : []),
  ];
  return `${whole(evaluations)} = ${parts.join(" + ")}`;
}

function hostileCount({ hostile }: Tally): number {
  return total(hostile.map(({ count }) => count));
}

export function hostileHeading(tally: Tally): string {
  return `${counted(hostileCount(tally), "program was", "programs were")} made hostile`;
}

/** One line for each kind of hostile program, in columns. */
export function hostileLines({ hostile }: Tally): readonly string[] {
  const digits = Math.max(...hostile.map(({ count }) => whole(count).length), 1);
  const width = Math.max(...hostile.map(({ tried }) => tried.length), 1);
  return hostile.map(
    ({ count, tried, end }) => `${whole(count).padStart(digits)} tried ${tried.padEnd(width)}  ${end}`,
  );
}

function hostileTally(name: string, ends: Counts): HostileTally {
  const count = total(Object.values(ends));
  const story = hostileStories[name as HostileName];
  // A row that was saved by another version may have other names.
  if (story === undefined) return { count, tried: name, end: kinds(ends) };
  const { tried, end, expected } = story;
  const others = Object.fromEntries(Object.entries(ends).filter(([kind]) => !expected.includes(kind)));
  const rest = Object.keys(others).length > 0 ? `; otherwise: ${kinds(others)}` : "";
  return { count, tried, end: `${end}${rest}` };
}

function kinds(counts: Counts): string {
  return Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([kind, count]) => `${kind} ${whole(count)}`)
    .join(", ");
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
