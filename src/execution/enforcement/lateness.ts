// Pure: whether an entry is so late that its cell must be killed. Time in which the machine was busy elsewhere counts less.
import { isStarved } from "../../std/processor-time.ts";
import { mainSlot, type Entry } from "../slate.ts";

/**
 * How long after the deadline the cell is killed. By then the isolate's own timer should have cut the entry, or the cell have
 * ended its isolate, a tenth of a second after the deadline and some turns of its main thread later.
 */
export const graceMs = 300;
/**
 * The same where the machine gives the cell less than its share of processor time: three times the budget, between these
 * two bounds.
 */
export const starvedGraceMs = 2_000;
export const starvedGraceMsMax = 30_000;
const starvedBudgets = 3;
/**
 * At so many looks it must have been late. Where the whole machine stood still, the looks stood still with it, and whoever is to
 * cut the entry needs a moment as well.
 */
export const lateLooksMin = 10;

/** A moment, and the processor time until then where it is known: of the whole cell, and of its main thread. */
interface Moment {
  readonly nowMs: number;
  readonly cpuMs: number | undefined;
  readonly mainCpuMs: number | undefined;
}

interface Look extends Moment {
  /** What the main thread does; it wants the processor unless it sleeps: S. */
  readonly processState: string;
}

/** When an entry was seen. */
export interface SeenTimes {
  readonly first: Moment;
  /** The last look before its deadline. */
  readonly inTime: Moment;
  /** At how many looks it was late. */
  readonly lateLooks: number;
}

export function timesOf(entry: Entry, seen: SeenTimes | undefined, reading: Look): SeenTimes {
  const { nowMs, cpuMs, mainCpuMs } = reading;
  const look = { nowMs, cpuMs, mainCpuMs };
  if (seen === undefined) return { first: look, inTime: look, lateLooks: 0 };
  const { first, inTime, lateLooks } = seen;
  const isLate = lateBy(entry, seen, nowMs) > 0;
  return isLate ? { first, inTime, lateLooks: lateLooks + 1 } : { first, inTime: look, lateLooks };
}

/** One look may read the page between two stores: only an entry that was there at looks before can be overdue. */
export function isOverdue(entry: Entry, seen: SeenTimes | undefined, look: Look): boolean {
  if (seen === undefined || seen.lateLooks < lateLooksMin) return false;
  // A guest that gets no processor time, in all or since its deadline, cannot be interrupted in time either.
  const isKeptWaiting = [seen.first, seen.inTime].some((since) => isStarvedSince(since, look, entry));
  return lateBy(entry, seen, look.nowMs) > (isKeptWaiting ? starvedGraceOf(entry.budgetMs) : graceMs);
}

/** How long after its deadline a starved entry is overdue. */
export function starvedGraceOf(budgetMs: number): number {
  return Math.min(starvedGraceMsMax, Math.max(starvedGraceMs, starvedBudgets * budgetMs));
}

/** A start in the future is a false report: the moment at which the entry was first seen counts instead. */
export function lateBy(entry: Entry, { first }: SeenTimes, nowMs: number): number {
  return nowMs - Math.min(entry.startedMs, first.nowMs) - entry.budgetMs;
}

// Of the threads with lanes of their own nobody knows which one an entry has, so that the whole cell's time counts.
function isStarvedSince(since: Moment, look: Look, { slot }: Entry): boolean {
  const ofCell = differenceOf(look.cpuMs, since.cpuMs);
  const isMainKept = slot === mainSlot && look.processState !== "S";
  const ofMain = isMainKept ? differenceOf(look.mainCpuMs, since.mainCpuMs) : undefined;
  const usedMs = ofMain ?? ofCell;
  return usedMs !== undefined && isStarved(usedMs, look.nowMs - since.nowMs);
}

const differenceOf = (until: number | undefined, since: number | undefined): number | undefined =>
  until === undefined || since === undefined ? undefined : until - since;
