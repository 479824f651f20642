// What the kernel says of a cell's process in one line of /proc.
import { closeSync, openSync, readSync } from "node:fs";
import { isOutOfDescriptors } from "../../std/descriptors.ts";
import type { CellReading } from "./verdict.ts";

export type ProcessStat = Pick<CellReading, "rssBytes" | "threads" | "processState" | "cpuMs">;

const statBytesMax = 1_024;
const pageBytes = 4_096;
const rssField = 21;
const userTimeField = 11;
const systemTimeField = 12;
/** The kernel's unit of processor time, the same on every system that has it. */
const tickMs = 10;
const threadsField = 17;

const stat = Buffer.alloc(statBytesMax);

/**
 * A descriptor to read from again and again; undefined where there is no such process, or no /proc. Throws where no
 * descriptor is free, as it may be tried again.
 */
export function openStat(pid: number): number | undefined {
  try {
    return openSync(`/proc/${pid}/stat`, "r");
  } catch (error) {
    if (isOutOfDescriptors(error)) throw error;
    return undefined;
  }
}

export function readStat(fd: number | undefined): ProcessStat {
  if (fd === undefined) return { rssBytes: 0, threads: 0, processState: "?", cpuMs: undefined };
  try {
    const text = stat.toString("latin1", 0, readSync(fd, stat, 0, statBytesMax, 0));
    // The name may hold anything, so count from its closing bracket.
    const after = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return {
      processState: after[0] ?? "?",
      rssBytes: Number(after[rssField]) * pageBytes,
      threads: Number(after[threadsField]),
      cpuMs: (Number(after[userTimeField]) + Number(after[systemTimeField])) * tickMs,
    };
  } catch {
    return { rssBytes: 0, threads: 0, processState: "Z", cpuMs: undefined };
  }
}

/** The memory that a process has at this moment; 0 where that cannot be known. */
export function rssBytesOf(pid: number): number {
  try {
    const fd = openStat(pid);
    const { rssBytes } = readStat(fd);
    if (fd !== undefined) closeSync(fd);
    return rssBytes;
  } catch {
    return 0;
  }
}
