// What the kernel says of processes: who lives, whose child, with what memory, threads and descriptors.
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The pids of a process's living children. */
export function childrenOf(pid: number): number[] {
  return offspringOf(pid).filter(isAlive);
}

/**
 * The pids of all its children, those included that are dead and not yet waited for. They are looked for among all processes:
 * the kernel lists children per thread as well, but not those of a thread that ends meanwhile.
 */
export function offspringOf(pid: number): number[] {
  return allPids().filter((other) => parentOf(other) === pid);
}

// None where the system has no /proc.
function allPids(): number[] {
  if (!existsSync("/proc")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** The processor time that a process has used so far, in steps of 10 ms; 0 when it is gone. */
export function cpuMsOf(pid: number): number {
  const [user = 0, system = 0] = statOf(pid).slice(11, 13).map(Number);
  return (user + system) * 10;
}

/** Whether a process runs; one that is dead and not yet waited for does not. */
export function isAlive(pid: number): boolean {
  const state = stateOf(pid);
  return state !== undefined && state !== "Z" && state !== "X";
}

/** One letter from the kernel; undefined when there is no such process. */
const stateOf = (pid: number): string | undefined => statOf(pid)[0];
const parentOf = (pid: number): number => Number(statOf(pid)[1]);

/** What the kernel tells of a process, from its state on; nothing when it is gone. */
function statOf(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

export interface ProcessFigures {
  readonly rssBytes: number;
  readonly threads: number;
  readonly descriptors: number;
}

/** Memory, threads and descriptors of a process; zeros when it is gone. */
export function figuresOf(pid: number): ProcessFigures {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const field = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
    return {
      rssBytes: field("VmRSS") * 1_024,
      threads: field("Threads"),
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
    };
  } catch {
    return { rssBytes: 0, threads: 0, descriptors: 0 };
  }
}

/** The command line of a process. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/** What a process's descriptors lead to. */
export function descriptorsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

/** What there is in a folder for temporary files that one program had for itself, and of ours in shared memory. */
export function filesLeft(folder: string): string[] {
  const shared = readdirSync("/dev/shm").filter((name) => name.startsWith("vivarium"));
  return [...readdirSync(folder), ...shared.map((name) => `/dev/shm/${name}`)];
}
