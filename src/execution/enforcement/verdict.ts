// Pure: what is known of one cell at one moment → whether it must die, and for whose fault.
import { isStarved } from "../../std/processor-time.ts";
import { mainSlot, type Entry } from "../slate.ts";

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
  | "unwanted";

export interface CellReading {
  readonly nowMs: number;
  readonly rssBytes: number;
  /** Processor time of the whole cell since its start; undefined where the system does not tell. */
  readonly cpuMs: number | undefined;
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
  /** What the heaps of all its sandboxes were last seen to hold, each after its own run. */
  readonly heapBytes: number;
  /** The most threads that it may have. No guest can start one; only an escaped one has use for many. */
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
  /** Looks in a row at which the same entry held the main thread, and that slept. */
  readonly sleepingLooks: number;
  /** Entries seen at the last look, with the moment each was seen first. */
  readonly seen: readonly SeenEntry[];
}

interface SeenEntry {
  readonly entry: Entry;
  readonly firstSeenMs: number;
  /** The cell's processor time at that moment. */
  readonly firstSeenCpuMs: number | undefined;
  /** How much the cell grew while nobody else was inside. */
  readonly grownBytes: number;
  /** How often the main thread has turned since its time was over. */
  readonly turnsLate: number;
}

export interface CellVerdictOfWatchdog {
  readonly cause: KillCause;
  /** Who is at fault, where it is known; undefined leaves the suspicion on all that are inside. */
  readonly culprit: Entry | undefined;
}

/** The isolate's own timer gets this much longer than the deadline before the cell has to go. */
export const graceMs = 150;
/**
 * Where the machine gives the cell less than its share of processor time, it is this much longer at least, and as much
 * longer as those inside can have been kept waiting.
 */
export const starvedGraceMs = 2_000;
export const starvedGraceMsMax = 30_000;
const starvedBudgets = 3;
/**
 * That an entry on a lane of its own has left, the main thread tells, once it comes to it. After one turn that began
 * when the entry's time was over, it has.
 */
const turnsLateMin = 2;
const stallMs = 3_000;
/** So many looks in a row, each of which would find a thread that works awake. */
const sleepingLooksMax = 50;
const memorySlack = 1.5;
const memorySlackBytes = 96 * 2 ** 20;
/** How much memory a heap takes beside what is in use. */
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
    sleepingLooks: 0,
    seen: [],
  };
}

/** What to remember for the next look. */
export function remember(memory: CellMemory, reading: CellReading): CellMemory {
  const { nowMs, entries } = reading;
  const isQuiet = entries.length === 0 && memory.seen.length === 0;
  const seen = entries.map((entry) => ({
    ...(findSeen(memory, entry) ?? { firstSeenMs: nowMs, firstSeenCpuMs: reading.cpuMs }),
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
    beatChangedMs: stands(reading, memory) ? memory.beatChangedMs : nowMs,
    isStopped: isStopped(reading),
    sleepingLooks: sleeperOf(reading, memory) === undefined ? 0 : memory.sleepingLooks + 1,
    seen,
  };
}

/** Whether the cell must die. `memory` is what was remembered before this reading. */
export function judgeCell(
  reading: CellReading,
  memory: CellMemory,
  bounds: CellBounds,
): CellVerdictOfWatchdog | undefined {
  // Twice, so that a process that a debugger touches for a moment is left alone.
  if (isStopped(reading) && memory.isStopped) return { cause: "stopped", culprit: undefined };
  const overdue = reading.entries.filter((entry) => isOverdue(entry, findSeen(memory, entry), reading));
  const proven = overdue.find((entry) => isProvenInside(entry, reading, memory));
  if (proven !== undefined) return { cause: "deadline", culprit: proven };
  const sleeper = sleeperOf(reading, memory);
  if (sleeper !== undefined && memory.sleepingLooks >= sleepingLooksMax)
    return { cause: "frozen", culprit: sleeper };
  const suspects = reading.entries;
  if (reading.threads > bounds.threadsMax)
    return { cause: "threads", culprit: suspects.length === 1 ? suspects[0] : undefined };
  if (reading.rssBytes > rssAllowed(reading, memory, bounds)) {
    // What another left behind is not held against whoever happens to be inside.
    const grower = suspects.find((entry) => grownBy(entry, reading, memory) > bounds.memoryBytesMax);
    return { cause: "memory", culprit: grower };
  }
  if (!stands(reading, memory) || reading.nowMs - memory.beatChangedMs <= stallMs) return undefined;
  // No guest holds the main thread, and yet it tells nothing more of those on lanes of their own.
  if (overdue.length > 0)
    return { cause: "deadline", culprit: suspects.length === 1 ? suspects[0] : undefined };
  return reading.inFlight > 0 ? { cause: "stalled", culprit: undefined } : undefined;
}

// While a guest holds it, the main thread may stand still for good reason; that is the entry's affair.
function stands(reading: CellReading, memory: CellMemory): boolean {
  return reading.beat === memory.beat && reading.entries.every(({ slot }) => slot !== mainSlot);
}

// Whoever leaves the main lane says so itself. For the others the main thread does, which may be held by somebody else:
// an entry that stands on the slate may be long gone.
function isProvenInside(entry: Entry, reading: CellReading, memory: CellMemory): boolean {
  return entry.slot === mainSlot || turnsLate(entry, reading, memory) >= turnsLateMin;
}

// A turn counts when its whole interval lies after the entry's time.
function turnsLate(entry: Entry, reading: CellReading, memory: CellMemory): number {
  const seen = findSeen(memory, entry);
  if (seen === undefined) return 0;
  const wasLate = lateBy(entry, seen, memory.lookedMs) > 0;
  return seen.turnsLate + (wasLate && reading.beat !== memory.beat ? 1 : 0);
}

// How much the cell has grown with this entry alone inside, this look included.
function grownBy(entry: Entry, reading: CellReading, memory: CellMemory): number {
  const seen = findSeen(memory, entry);
  const wasAlone = memory.seen.every((other) => other === seen) && reading.entries.length === 1;
  const grownBytes = memory.rssBytes > 0 ? Math.max(0, reading.rssBytes - memory.rssBytes) : 0;
  return (seen?.grownBytes ?? 0) + (wasAlone ? grownBytes : 0);
}

function rssAllowed(reading: CellReading, memory: CellMemory, bounds: CellBounds): number {
  const inside = Math.max(1, reading.entries.length);
  // A cell that always has someone inside is never quiet, though sandboxes come and grow in it as they may.
  const usual = Math.max(memory.quietRssBytes, memory.emptyRssBytes + heapSlack * bounds.heapBytes);
  return Math.min(
    bounds.rssBytesMax,
    usual + inside * bounds.memoryBytesMax * memorySlack + memorySlackBytes,
  );
}

// A guest on the main thread works or has left. When the engine gives up on its isolate, the thread sleeps for good.
function sleeperOf(reading: CellReading, memory: CellMemory): Entry | undefined {
  if (reading.processState !== "S") return undefined;
  const holder = reading.entries.find(({ slot }) => slot === mainSlot);
  return holder !== undefined && findSeen(memory, holder) !== undefined ? holder : undefined;
}

function isStopped(reading: CellReading): boolean {
  return reading.processState === "T" || reading.processState === "t";
}

// The same entry must have been there at the last look: a single one may catch the cell between two stores.
function isOverdue(entry: Entry, seen: SeenEntry | undefined, reading: CellReading): boolean {
  if (seen === undefined) return false;
  return (
    lateBy(entry, seen, reading.nowMs) >
    (isKeptWaiting(seen, reading) ? starvedGraceOf(entry.budgetMs) : graceMs)
  );
}

/** How much longer than its deadline an entry has where the machine is busy elsewhere. */
export function starvedGraceOf(budgetMs: number): number {
  return Math.min(starvedGraceMsMax, Math.max(starvedGraceMs, starvedBudgets * budgetMs));
}

// A start in the future is a lie; the moment at which the entry was first seen stands for it.
function lateBy(entry: Entry, { firstSeenMs }: SeenEntry, nowMs: number): number {
  return nowMs - Math.min(entry.startedMs, firstSeenMs) - entry.budgetMs;
}

// Who is kept from running by others cannot be interrupted in time either. A guest that computes uses all it can get.
function isKeptWaiting({ firstSeenMs, firstSeenCpuMs }: SeenEntry, { nowMs, cpuMs }: CellReading): boolean {
  if (cpuMs === undefined || firstSeenCpuMs === undefined) return false;
  return isStarved(cpuMs - firstSeenCpuMs, nowMs - firstSeenMs);
}

function findSeen(memory: CellMemory, entry: Entry): SeenEntry | undefined {
  return memory.seen.find(
    ({ entry: seen }) =>
      seen.slot === entry.slot && seen.op === entry.op && seen.startedMs === entry.startedMs,
  );
}
