// What the figures of the load say: whether anything failed, whether memory grew, whether bad clients harmed others.
import { median } from "../statistics.ts";
import type { Measured } from "./measure.ts";
import type { Memory } from "./serving.ts";

export interface Verdict {
  readonly text: string;
  readonly isMet: boolean;
}

export interface Growth {
  readonly first: number;
  readonly last: number;
  readonly isFlat: boolean;
}

const growthMax = 1.1;
/** What a heap or a process may grow by without any reason, where it is small. */
const slackBytes = { rssBytes: 16 * 2 ** 20, heapBytes: 4 * 2 ** 20, cellBytes: 16 * 2 ** 20 };
const harmMax = 2;
const harmSlackMs = 10;

/** The medians of the first and of the last third of the slices. */
export function growthOf(memory: readonly Memory[], what: keyof Memory): Growth {
  const third = Math.max(1, Math.floor(memory.length / 3));
  const values = memory.map((of) => of[what]);
  const [first, last] = [median(values.slice(0, third)), median(values.slice(-third))];
  return { first, last, isFlat: last <= first * growthMax + slackBytes[what] };
}

export function verdictsOf(of: Measured): readonly Verdict[] {
  const { vivarium, calm, annoyed, streams, memory } = of;
  const errors = [vivarium, calm, annoyed, streams].reduce((sum, { errors }) => sum + countOf(errors), 0);
  const wrong = streams.wrong + streams.broken;
  const isFlat = (["rssBytes", "heapBytes", "cellBytes"] as const).every(
    (what) => growthOf(memory, what).isFlat,
  );
  const isUnharmed = annoyed.p99Ms <= calm.p99Ms * harmMax + harmSlackMs;
  return [
    { text: `${errors} errors`, isMet: errors === 0 && vivarium.requests > 0 },
    {
      text: `${wrong} events missing or repeated, or streams broken`,
      isMet: wrong === 0 && streams.received > 0,
    },
    { text: isFlat ? "memory flat" : "memory grew", isMet: isFlat },
    {
      text: `p99 beside bad clients ${annoyed.p99Ms.toFixed(1)} ms, without ${calm.p99Ms.toFixed(1)} ms`,
      isMet: isUnharmed,
    },
  ];
}

export function countOf(errors: Readonly<Record<string, number>>): number {
  return Object.values(errors).reduce((sum, count) => sum + count, 0);
}
