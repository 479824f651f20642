// The limits of this process and a user, and what they use, as /proc has them. Without /proc nothing is known, and starts are
// bounded by time alone.
import { readdirSync, readFileSync } from "node:fs";
import { descriptorsMax, isOutOfDescriptors } from "../../std/descriptors.ts";

/** Limits and what is in use of them; undefined where there is no limit, or it is not known. */
export interface RoomFacts {
  readonly threads: Bound | undefined;
  readonly descriptors: Bound | undefined;
  readonly addressBytesMax: number | undefined;
}

interface Bound {
  readonly max: number;
  readonly inUse: number;
}

const procFolder = "/proc";

/** The limits and their use, for a child of this user that wants so many threads. */
export function lookAtRoom(uid: number | undefined, threadsWanted: number): RoomFacts {
  try {
    const limits = readFileSync(`${procFolder}/self/limits`, "latin1");
    return {
      threads: threadsFor(uid ?? process.getuid?.() ?? 0, softLimit(limits, "Max processes"), threadsWanted),
      descriptors: descriptorsWithin(softLimit(limits, "Max open files")),
      addressBytesMax: softLimit(limits, "Max address space"),
    };
  } catch (error) {
    const max = descriptorsMax() ?? 0;
    const none = isOutOfDescriptors(error) ? { max, inUse: max } : undefined;
    return { threads: undefined, descriptors: none, addressBytesMax: undefined };
  }
}

/** How many threads a process has; 0 when it is gone. */
export function threadsOf(pid: number): number {
  try {
    return Number(/^Threads:\s+(\d+)/m.exec(readFileSync(`${procFolder}/${pid}/status`, "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function softLimit(limits: string, name: string): number | undefined {
  const soft = new RegExp(`^${name}\\s+(\\d+)`, "m").exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

function descriptorsWithin(max: number | undefined): Bound | undefined {
  // Reading the folder takes one itself.
  return max === undefined ? undefined : { max, inUse: readdirSync(`${procFolder}/self/fd`).length - 1 };
}

// The limit is per user; root has none. Where even the threads of all users together stay below it, those of the user need not
// be counted.
function threadsFor(uid: number, max: number | undefined, wanted: number): Bound | undefined {
  if (max === undefined || uid === 0) return undefined;
  const ofAll = Number(/\/(\d+)/.exec(readFileSync(`${procFolder}/loadavg`, "latin1"))?.[1] ?? 0);
  if (max - ofAll >= wanted) return { max, inUse: ofAll };
  const pids = readdirSync(procFolder).filter((name) => /^\d+$/.test(name));
  return { max, inUse: pids.reduce((sum, pid) => sum + threadsIfOf(uid, pid), 0) };
}

function threadsIfOf(uid: number, pid: string): number {
  try {
    const status = readFileSync(`${procFolder}/${pid}/status`, "latin1");
    if (Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]) !== uid) return 0;
    return Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
