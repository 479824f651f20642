// How much processor time this process and its children have used, by what they are: time of a processor says more than time
// of a clock on a machine that has other work.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export const processKinds = ["this process", "cells", "compiler", "other processes"] as const;
export type ProcessKind = (typeof processKinds)[number];
export type ProcessorTimes = Readonly<Record<ProcessKind, number>>;

const tickMs = 10;
export const noTimes: ProcessorTimes = { "this process": 0, cells: 0, compiler: 0, "other processes": 0 };
/** The kernel counts in ticks: a process that is at work is seen to be after some of them. */
const lookMs = 3 * tickMs;
const settleMsMax = 1_000;

/** A child as /proc has it. */
export interface ChildFacts {
  readonly commandLine: string;
  readonly processorMs: number;
}

/** Milliseconds until now, without children that have ended. */
export function processorTimes(): ProcessorTimes {
  const children = childrenOf(process.pid);
  return sumByKind(ownMs(), children);
}

/** Adds up the time of the children by what they run. */
export function sumByKind(ownMs: number, children: readonly ChildFacts[]): ProcessorTimes {
  const sums = { ...noTimes, "this process": ownMs };
  for (const { commandLine, processorMs } of children) sums[kindOf(commandLine)] += processorMs;
  return sums;
}

export function plus(one: ProcessorTimes, other: ProcessorTimes): ProcessorTimes {
  return combined((kind) => one[kind] + other[kind]);
}

export function minus(one: ProcessorTimes, other: ProcessorTimes): ProcessorTimes {
  return combined((kind) => Math.max(0, one[kind] - other[kind]));
}

export function dividedBy(times: ProcessorTimes, count: number): ProcessorTimes {
  return combined((kind) => times[kind] / count);
}

/**
 * Waits until the children do nothing any more on behalf of what has ended, at most a second; answers their times then, and
 * this process's own from before, as looking takes time itself.
 */
export async function settledTimes(): Promise<ProcessorTimes> {
  const endMs = performance.now() + settleMsMax;
  const own = ownMs();
  let before = sumByKind(own, childrenOf(process.pid));
  for (;;) {
    await sleep(lookMs);
    const now = sumByKind(own, childrenOf(process.pid));
    const isQuiet = now.cells === before.cells && now.compiler === before.compiler;
    if (isQuiet || performance.now() > endMs) return now;
    before = now;
  }
}

/** Reads `/proc/PID/stat`: the parent, and the time of all its threads. The name may contain anything, also brackets. */
export function readStat(stat: string): { readonly parent: number; readonly processorMs: number } {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [parent, user, system] = [fields[1], fields[11], fields[12]].map(Number) as [number, number, number];
  return { parent, processorMs: (user + system) * tickMs };
}

function ownMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function kindOf(commandLine: string): ProcessKind {
  if (commandLine.includes("programs/cell-host.")) return "cells";
  return commandLine.includes("programs/compiler-host.") ? "compiler" : "other processes";
}

function combined(valueOf: (kind: ProcessKind) => number): ProcessorTimes {
  return Object.fromEntries(processKinds.map((kind) => [kind, valueOf(kind)])) as ProcessorTimes;
}

// Where there is no /proc, only this process is known.
function childrenOf(pid: number): readonly ChildFacts[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => factsIfChild(name, pid));
  } catch {
    return [];
  }
}

// It may end while it is read.
function factsIfChild(name: string, ofPid: number): readonly ChildFacts[] {
  try {
    const { parent, processorMs } = readStat(readFileSync(`/proc/${name}/stat`, "latin1"));
    if (parent !== ofPid) return [];
    return [{ commandLine: readFileSync(`/proc/${name}/cmdline`, "latin1"), processorMs }];
  } catch {
    return [];
  }
}
