// The rules of the soak: what may not grow from the second quarter of a run to its last, and what may not happen at all.
import type { Figures } from "./figures.ts";

/** What was found when the run was over. */
export interface RunEnd {
  readonly samples: readonly Figures[];
  readonly faults: readonly string[];
  /** What was acknowledged and is not there after the folder was opened again. */
  readonly losses: readonly string[];
  /** What the check of the folder says. */
  readonly problems: readonly string[];
  readonly unfittingCount: number;
  readonly hostileRuns: number;
  /** Children that are alive after the runtime was closed. */
  readonly childrenLeft: number;
  readonly descriptorsBefore: number;
  readonly descriptorsAfter: number;
}

export interface Ruling {
  readonly rule: string;
  readonly found: string;
  readonly isKept: boolean;
}

interface Growth {
  readonly of: keyof Figures;
  readonly name: string;
  /** By how much the last quarter may be above the second one: a share of it, and an amount. */
  readonly share: number;
  readonly amount: number;
}

const growths: readonly Growth[] = [
  { of: "hostRssMiB", name: "RSS of the host, MiB", share: 0.1, amount: 32 },
  { of: "hostHeapMiB", name: "heap of the host, MiB", share: 0.1, amount: 6 },
  { of: "descriptors", name: "descriptors of the host", share: 0, amount: 6 },
  { of: "threads", name: "threads of the host", share: 0, amount: 4 },
  { of: "cellsRssMiB", name: "RSS of cells, MiB", share: 0.25, amount: 128 },
  { of: "usedMiB", name: "used pages of vivarium.db, MiB", share: 0.1, amount: 3 },
  // The file stays as long as it ever had to be.
  { of: "databaseMiB", name: "vivarium.db, MiB", share: 0.25, amount: 6 },
  // Those that nothing refers to are swept by some thousands.
  { of: "blobs", name: "rows of blobs", share: 0.1, amount: 2_000 },
  { of: "tombstones", name: "tombstones", share: 0.1, amount: 20 },
  { of: "documents", name: "rows of documents", share: 0.1, amount: 200 },
  { of: "sandboxes", name: "living sandboxes", share: 0.1, amount: 20 },
];
/** About 64 MB is the bound of the log; what is written while it is moved into the database comes on top. */
const walMiBMax = 96;
/** Side by side with others that take all memory, one is at times blamed for what another did. */
const unfittingShareMax = 1 / 500;
const descriptorsLeftMax = 2;

export interface JudgeOptions {
  /** Caches and bounded tables are still being filled: growth is not judged. */
  readonly isShort: boolean;
}

export function judge(end: RunEnd, { isShort }: JudgeOptions): readonly Ruling[] {
  const { samples, faults, losses, problems, unfittingCount, hostileRuns } = end;
  const walMiB = Math.max(0, ...samples.map((sample) => sample.walMiB));
  const descriptors = `${end.descriptorsBefore} before, ${end.descriptorsAfter} after`;
  return [
    ...(isShort ? [] : growths.map((growth) => judgeGrowth(growth, samples))),
    rule(
      `the log of the database stays below ${walMiBMax} MiB`,
      `at most ${walMiB.toFixed(1)}`,
      walMiB < walMiBMax,
    ),
    rule("no unexpected failure", shown(faults), faults.length === 0),
    rule(
      "hostile programs come to an end that fits them, but for one in 500",
      `${unfittingCount} of ${hostileRuns} did not`,
      unfittingCount <= Math.max(2, hostileRuns * unfittingShareMax),
    ),
    rule("no process is left after close()", `${end.childrenLeft} left`, end.childrenLeft === 0),
    rule(
      "descriptors after close() are those of before the start",
      descriptors,
      end.descriptorsAfter <= end.descriptorsBefore + descriptorsLeftMax,
    ),
    rule(
      "all that was acknowledged is there when the folder is opened again",
      shown(losses),
      losses.length === 0,
    ),
    rule("the check of the folder finds no problem", shown(problems), problems.length === 0),
  ];
}

function judgeGrowth({ of, name, share, amount }: Growth, samples: readonly Figures[]): Ruling {
  const quarter = samples.length / 4;
  const early = median(
    samples.slice(Math.floor(quarter), Math.floor(2 * quarter)).map((sample) => sample[of]),
  );
  const late = median(samples.slice(Math.floor(3 * quarter)).map((sample) => sample[of]));
  const allowed = [...(share > 0 ? [`${share * 100} %`] : []), String(amount)].join(" and ");
  const found = `${early.toFixed(1)} became ${late.toFixed(1)}`;
  return rule(`${name}: grows by no more than ${allowed}`, found, late <= early * (1 + share) + amount);
}

function rule(text: string, found: string, isKept: boolean): Ruling {
  return { rule: text, found, isKept };
}

function shown(faults: readonly string[]): string {
  return faults.length === 0 ? "none" : `${faults.length}, the first: ${faults[0]?.slice(0, 300)}`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
