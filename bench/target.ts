// What is promised (floor) and the targets beyond it, as checks on the summaries of a row.
import type { Summary } from "./statistics.ts";
import { ours } from "./row.ts";

export type Level = "floor" | "aim" | "stretch";
export type Summaries = Readonly<Record<string, Summary>>;

export interface Target {
  readonly level: Level;
  readonly text: string;
  readonly isMet: (summaries: Summaries) => boolean;
}

/** Which entrant of ours is compared with which peer. */
export interface Pairing {
  readonly own: string;
  readonly peer: string;
}

type Quantile = "p50" | "p90";

/** Our own figure is at least this: for rates. */
export function atLeast(level: Level, value: number, text: string): Target {
  return { level, text, isMet: (summaries) => of(summaries, ours).p50 >= value };
}

/** Our own figure is at most this; where a row has several entrants of ours, that of one of them. */
export function atMost(
  level: Level,
  value: number,
  options: { readonly text: string; readonly at?: Quantile; readonly own?: string },
): Target {
  const { text, at = "p50", own = ours } = options;
  return { level, text, isMet: (summaries) => of(summaries, own)[at] <= value };
}

/** Our median is at most so many times another's; where a row has several entrants of ours, that of one of them. */
export function timesAtMost(level: Level, times: number, other: string | Pairing): Target {
  const { own, peer } = typeof other === "string" ? { own: ours, peer: other } : other;
  return {
    level,
    text: `${own === ours ? "" : `${own} `}≤ ${times} × ${peer}`,
    isMet: (summaries) => ratio(summaries, own, peer) <= times,
  };
}

/** Our median is at least so many times another's: for rates. */
export function timesAtLeast(level: Level, times: number, other: string): Target {
  return {
    level,
    text: `≥ ${times} × ${other}`,
    isMet: (summaries) => ratio(summaries, ours, other) >= times,
  };
}

/** Another takes at least so many times as long as we do. */
export function fasterThan(level: Level, times: number, other: string): Target {
  const text = `≥ ${times} × as fast as ${other}`;
  return { level, text, isMet: (summaries) => ratio(summaries, other, ours) >= times };
}

/** The ratio of two medians; NaN, which meets no target, when one was not measured. */
export function ratio(summaries: Summaries, one: string, other: string): number {
  return of(summaries, one).p50 / of(summaries, other).p50;
}

const unmeasured: Summary = { samples: 0, p10: NaN, p50: NaN, p90: NaN, p99: NaN, max: NaN };

function of(summaries: Summaries, name: string): Summary {
  return summaries[name] ?? unmeasured;
}
