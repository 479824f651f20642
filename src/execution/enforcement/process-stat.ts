// What the kernel says of a cell's process in two lines of /proc.
import { closeSync, openSync, readSync } from "node:fs";
import { isOutOfDescriptors } from "../../std/descriptors.ts";
import type { CellReading } from "./verdict.ts";

export type ProcessStat = Pick<CellReading, "rssBytes" | "threads" | "processState" | "cpuMs" | "mainCpuMs">;

/** Descriptors to read from again and again; undefined where there is no such file. */
export interface ProcessFiles {
  /** Of the whole process. */
  readonly stat: number | undefined;
  /** Of its main thread: nanoseconds on a processor first. */
  readonly schedstat: number | undefined;
}

const lineBytesMax = 1_024;
const pageBytes = 4_096;
const rssField = 21;
const userTimeField = 11;
const systemTimeField = 12;
/** The kernel's unit of processor time, the same on every system that has it. */
const tickMs = 10;
const threadsField = 17;
const nsPerMs = 1e6;

const line = Buffer.alloc(lineBytesMax);
const unknown: ProcessStat = {
  rssBytes: 0,
  threads: 0,
  processState: "?",
  cpuMs: undefined,
  mainCpuMs: undefined,
};

/** Throws where no descriptor is free, as it may be tried again. The second file is left out where there is only one. */
export function openProcess(pid: number): ProcessFiles {
  const stat = openFile(`/proc/${pid}/stat`);
  try {
    return { stat, schedstat: openFile(`/proc/${pid}/schedstat`) };
  } catch {
    return { stat, schedstat: undefined };
  }
}

export function closeProcess({ stat, schedstat }: ProcessFiles): void {
  for (const fd of [stat, schedstat]) if (fd !== undefined) closeSync(fd);
}

export function readProcess({ stat, schedstat }: ProcessFiles): ProcessStat {
  if (stat === undefined) return unknown;
  try {
    const text = readLine(stat);
    // The name may hold anything, so count from its closing bracket.
    const after = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return {
      processState: after[0] ?? "?",
      rssBytes: Number(after[rssField]) * pageBytes,
      threads: Number(after[threadsField]),
      cpuMs: (Number(after[userTimeField]) + Number(after[systemTimeField])) * tickMs,
      mainCpuMs: schedstat === undefined ? undefined : readMainCpuMs(schedstat),
    };
  } catch {
    return { ...unknown, processState: "Z" };
  }
}

/** The memory that a process has at this moment; 0 where that cannot be known. */
export function rssBytesOf(pid: number): number {
  try {
    const files = { stat: openFile(`/proc/${pid}/stat`), schedstat: undefined };
    const { rssBytes } = readProcess(files);
    closeProcess(files);
    return rssBytes;
  } catch {
    return 0;
  }
}

// Kernels that do not count it say 0.
function readMainCpuMs(schedstat: number): number | undefined {
  try {
    const ns = Number.parseInt(readLine(schedstat), 10);
    return ns > 0 ? ns / nsPerMs : undefined;
  } catch {
    return undefined;
  }
}

function openFile(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (isOutOfDescriptors(error)) throw error;
    return undefined;
  }
}

function readLine(fd: number): string {
  return line.toString("latin1", 0, readSync(fd, line, 0, lineBytesMax, 0));
}
