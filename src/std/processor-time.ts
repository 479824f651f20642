// The processor time of another process, as the kernel reports it, and whether that is too little.
import { readFileSync } from "node:fs";

/** The kernel's unit of processor time, the same on every system that has it. */
export const tickMs = 10;
const userTimeField = 11;
const systemTimeField = 12;

const starvedShare = 0.5;

/**
 * Whether something that computes all the time was kept from it: it used less than half of the processor time that has
 * passed, so the machine was busy elsewhere.
 */
export function isStarved(usedMs: number, passedMs: number): boolean {
  return usedMs < passedMs * starvedShare;
}

/** The processor time since its start; undefined where the system does not report it, or the process has ended. */
export function processorMsOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name may hold anything, so count from its closing bracket.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[userTimeField]) + Number(fields[systemTimeField])) * tickMs;
  } catch {
    return undefined;
  }
}
