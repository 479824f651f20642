// Pure: the readings of one cell → whether it must be killed, and which operation is at fault.
import { engineGraceMs } from "../protocol/messages.ts";
import { mainSlot, type Entry } from "../slate.ts";
import { isOverdue, lateBy, timesOf, type SeenTimes } from "./lateness.ts";

/** Why the orchestrator ends a cell. */
export type KillCause =
  | "deadline"
  | "memory"
  | "threads"
  | "frozen"
  | "stopped"
  | "stalled"
  | "silent"
  | "protocol"
  | "poisoned"
  | "unwatched"
  | "unwanted";

export interface CellReading {
  readonly nowMs: number;
  readonly rssBytes: number;
  /** Processor time of the whole cell since its start; undefined where it is not known. */
  readonly cpuMs: number | undefined;
  /** The same of its main thread alone. */
  readonly mainCpuMs: number | undefined;
  readonly threads: number;
  /** One letter from the kernel: R, S, T, Z … */
  readonly processState: string;
  readonly entries: readonly Entry[];
  /** How often the cell's main thread has turned. */
  readonly beat: number;
  /** Operations sent and not yet answered. */
  readonly inFlight: number;
}

export interface CellBounds {
  /** The most memory that any of its sandboxes may use. */
  readonly memoryBytesMax: number;
  /** The most that the whole cell may use. */
  readonly rssBytesMax: number;
  /** What the heaps of all its sandboxes held at their latest samples. */
  readonly heapBytes: number;
  /** The most threads that it may have. Only a guest that has escaped can start any. */
  readonly threadsMax: number;
}

/** What the watchdog remembers of a cell between two looks. */
export interface CellMemory {
  /** The moment of the last look. */
  readonly lookedMs: number;
  /** What it used at the last look; 0 before the first. */
  readonly rssBytes: number;
  readonly quietRssBytes: number;
  /** What it used at the first look, before it held any sandbox. */
  readonly emptyRssBytes: number;
  readonly beat: number;
  readonly beatChangedMs: number;
  readonly isStopped: boolean;
  readonly sleep: Sleep | undefined;
  /** Entries seen at the last look, with the moment each was seen first. */
  readonly seen: readonly SeenEntry[];
}

/** An entry holds the main thread, and that thread sleeps. */
interface Sleep {
  readonly sinceMs: number;
  /** Looks in a row at which the whole cell used no processor time. */
  readonly idleLooks: number;
  /** The cell's processor time at the last look. */
  readonly cpuMs: number | undefined;
}

interface SeenEntry extends SeenTimes {
  readonly entry: Entry;
  /** How much the cell grew while it was the only entry. */
  readonly grownBytes: number;
  /** How often the main thread has turned since its deadline. */
  readonly turnsLate: number;
}

export interface CellVerdictOfWatchdog {
  readonly cause: KillCause;
  /** The entry at fault; undefined where it is not known, and all entries are suspects. */
  readonly culprit: Entry | undefined;
}

/**
 * The end of an entry on a lane of its own is announced by the main thread. After one whole turn that began past the deadline,
 * it would have been.
 */
const turnsLateMin = 2;
const stallMs = 3_000;
/**
 * After so many looks in a row a sleeping thread counts as frozen: a working one would have been seen awake. Looks at which
 * another thread of the cell works do not count, as the sleeping one may wait for it, and on a busy machine for long.
 */
export const sleepingLooksMax = 50;
/** After so long it counts as frozen whatever the others do. */
export const sleepMsMax = 10_000;
const memorySlack = 1.5;
const memorySlackBytes = 96 * 2 ** 20;
/** How much memory a heap takes, as a multiple of what is in use. */
const heapSlack = 2;

export function freshMemory(nowMs: number): CellMemory {
  return {
    lookedMs: nowMs,
    rssBytes: 0,
    quietRssBytes: 0,
    emptyRssBytes: 0,
    beat: -1,
    beatChangedMs: nowMs,
    isStopped: false,
    sleep: undefined,
    seen: [],
  };
}

/** What to remember for the next look. */
export function remember(memory: CellMemory, reading: CellReading): CellMemory {
  const { nowMs, entries } = reading;
  const isQuiet = entries.length === 0 && memory.seen.length === 0;
  const seen = entries.map((entry) => ({
    ...timesOf(entry, findSeen(memory, entry), reading),
    grownBytes: grownBy(entry, reading, memory),
    turnsLate: turnsLate(entry, reading, memory),
    entry,
  }));
  return {
    lookedMs: nowMs,
    rssBytes: reading.rssBytes,
    quietRssBytes: isQuiet || memory.quietRssBytes === 0 ? reading.rssBytes : memory.quietRssBytes,
    emptyRssBytes: memory.emptyRssBytes === 0 ? reading.rssBytes : memory.emptyRssBytes,
    beat: reading.beat,
    beatChangedMs: isStill(reading, memory) ? memory.beatChangedMs : nowMs,
    isStopped: isStopped(reading),
    sleep: sleeperOf(reading, memory) === undefined ? undefined : sleepOf(reading, memory),
    seen,
  };
}

/** Whether the cell must be killed. `memory` is from before this reading. */
export function judgeCell(
  reading: CellReading,
  memory: CellMemory,
  bounds: CellBounds,
): CellVerdictOfWatchdog | undefined {
  // At two looks, so that a process that a debugger stops for a moment is spared.
  if (isStopped(reading) && memory.isStopped) return { cause: "stopped", culprit: undefined };
  const overdue = reading.entries.filter((entry) => isOverdue(entry, findSeen(memory, entry), reading));
  const proven = overdue.find((entry) => isProvenInside(entry, reading, memory));
  if (proven !== undefined) return { cause: "deadline", culprit: proven };
  const sleeper = sleeperOf(reading, memory);
  const sleep = sleeper === undefined ? undefined : sleepOf(reading, memory);
  if (sleeper !== undefined && sleep !== undefined && isFrozen(sleep, reading))
    return { cause: isSuspended(sleeper, sleep, memory) ? "deadline" : "frozen", culprit: sleeper };
  const suspects = reading.entries;
  if (reading.threads > bounds.threadsMax)
    return { cause: "threads", culprit: suspects.length === 1 ? suspects[0] : undefined };
  if (reading.rssBytes > rssAllowed(reading, memory, bounds)) {
    // Memory that another guest left behind is not the fault of the one inside.
    const grower = suspects.find((entry) => grownBy(entry, reading, memory) > bounds.memoryBytesMax);
    return { cause: "memory", culprit: grower };
  }
  if (!isStill(reading, memory) || reading.nowMs - memory.beatChangedMs <= stallMs) return undefined;
  // No guest holds the main thread, and yet it announces nothing about the entries on lanes of their own.
  if (overdue.length > 0)
    return { cause: "deadline", culprit: suspects.length === 1 ? suspects[0] : undefined };
  return reading.inFlight > 0 ? { cause: "stalled", culprit: undefined } : undefined;
}

/**
 * The processor time that the cell has used since an entry was first seen: of the entry at fault, or else of the one that has
 * been inside longest.
 */
export function cpuInside(
  { seen }: CellMemory,
  { cpuMs }: CellReading,
  culprit: Entry | undefined,
): { readonly op: number; readonly cpuMs: number } | undefined {
  const [first, ...others] =
    culprit === undefined ? seen : seen.filter(({ entry }) => entry.op === culprit.op);
  if (first === undefined || cpuMs === undefined) return undefined;
  const longest = others.reduce((one, other) => (other.first.nowMs < one.first.nowMs ? other : one), first);
  return { op: longest.entry.op, cpuMs: Math.max(0, cpuMs - (longest.first.cpuMs ?? cpuMs)) };
}

// Whether the main thread does not turn though no guest holds it.
function isStill(reading: CellReading, memory: CellMemory): boolean {
  return reading.beat === memory.beat && reading.entries.every(({ slot }) => slot !== mainSlot);
}

// Entries on the main lane are cleared as they leave. The others are cleared by the main thread, which may be held by another
// guest, so that an entry on the slate may have left long ago.
function isProvenInside(entry: Entry, reading: CellReading, memory: CellMemory): boolean {
  return entry.slot === mainSlot || turnsLate(entry, reading, memory) >= turnsLateMin;
}

// A turn counts when all of it is after the entry's deadline.
function turnsLate(entry: Entry, reading: CellReading, memory: CellMemory): number {
  const seen = findSeen(memory, entry);
  if (seen === undefined) return 0;
  const wasLate = lateBy(entry, seen, memory.lookedMs) > 0;
  return seen.turnsLate + (wasLate && reading.beat !== memory.beat ? 1 : 0);
}

// How much the cell has grown while this was the only entry, this look included.
function grownBy(entry: Entry, reading: CellReading, memory: CellMemory): number {
  const seen = findSeen(memory, entry);
  const wasAlone = memory.seen.every((other) => other === seen) && reading.entries.length === 1;
  const grownBytes = memory.rssBytes > 0 ? Math.max(0, reading.rssBytes - memory.rssBytes) : 0;
  return (seen?.grownBytes ?? 0) + (wasAlone ? grownBytes : 0);
}

function rssAllowed(reading: CellReading, memory: CellMemory, bounds: CellBounds): number {
  const inside = Math.max(1, reading.entries.length);
  // A busy cell is never quiet, though its sandboxes may grow within their limits.
  const usual = Math.max(memory.quietRssBytes, memory.emptyRssBytes + heapSlack * bounds.heapBytes);
  return Math.min(
    bounds.rssBytesMax,
    usual + inside * bounds.memoryBytesMax * memorySlack + memorySlackBytes,
  );
}

// A guest on the main thread computes. Where that thread sleeps instead, the engine has given up on the isolate.
function sleeperOf(reading: CellReading, memory: CellMemory): Entry | undefined {
  if (reading.processState !== "S") return undefined;
  const holder = reading.entries.find(({ slot }) => slot === mainSlot);
  return holder !== undefined && findSeen(memory, holder) !== undefined ? holder : undefined;
}

// The sleep that this look belongs to.
function sleepOf({ nowMs, cpuMs }: CellReading, { sleep }: CellMemory): Sleep {
  if (sleep === undefined) return { sinceMs: nowMs, idleLooks: 0, cpuMs };
  const isIdle = cpuMs === sleep.cpuMs;
  return { sinceMs: sleep.sinceMs, idleLooks: isIdle ? sleep.idleLooks + 1 : 0, cpuMs };
}

function isFrozen({ sinceMs, idleLooks }: Sleep, { nowMs }: CellReading): boolean {
  return idleLooks >= sleepingLooksMax || nowMs - sinceMs > sleepMsMax;
}

// The engine suspends a thread whose entry it could not end.
function isSuspended(entry: Entry, { sinceMs }: Sleep, memory: CellMemory): boolean {
  const seen = findSeen(memory, entry);
  return seen !== undefined && lateBy(entry, seen, sinceMs) >= engineGraceMs;
}

function isStopped(reading: CellReading): boolean {
  return reading.processState === "T" || reading.processState === "t";
}

function findSeen(memory: CellMemory, entry: Entry): SeenEntry | undefined {
  return memory.seen.find(
    ({ entry: seen }) =>
      seen.slot === entry.slot && seen.op === entry.op && seen.startedMs === entry.startedMs,
  );
}
