// Turns on the main thread: for slices of long work, and for the steps of operations, so that nothing else waits for them. Only
// one of them has a turn of the event loop, owners take turns, and while somebody else's short calls come in, they leave half of
// the time free and let calls that have just been made be answered first. Of each tenant few long works are under way at a time.
import { Admission, type WorkOwner } from "./admission.ts";
import { afterTurn, systemClock, type Clock, type Timer } from "./clock.ts";
import { RoundQueue } from "./round-queue.ts";

/** How long a slice may take; it ends at the next pause of the work. */
const sliceMs = 1;
/** Short work comes in where it did so lately. */
const wantedMs = 100;
/** Most short calls are answered within this time. */
const answerMs = 1;
/** So long turns wait for answers at most, where calls follow each other without a pause. */
const heldMsMax = 8;
/** After a slice that could not be ended in time as much time is left free as it took, up to this. */
const restMsMax = 50;

/** The tenant whose work it is; undefined for work that is no tenant's. */
export type SliceOwner = WorkOwner["tenant"];

interface Waiting {
  readonly owner: SliceOwner;
  readonly resolve: () => void;
}

interface Lane {
  readonly waiting: RoundQueue<SliceOwner, Waiting>;
  /** Long work leaves time free for all short work, steps only for that of other owners. */
  readonly isLong: boolean;
  /** Since when the next one waits for its turn. */
  dueAtMs: number;
  /** No turn before this, where short work comes in. */
  restUntilMs: number;
}

/** When one owner's short work came in last. */
interface Wish {
  readonly owner: SliceOwner;
  readonly atMs: number;
}

const never: Wish = { owner: undefined, atMs: -Infinity };
const admission = new Admission();
const steps = laneOf(false);
const works = laneOf(true);
let clock: Clock = systemClock;
/** The lane whose turn is next, where both may have one. */
let preferred = steps;
/** A turn is given in the next turn of the event loop, */
let isDue = false;
/** or when this timer is over. */
let timer: Timer | undefined;
/** Until then turns follow each other without a pause: short ones fill the time of a slice together. */
let openUntilMs = -Infinity;
/** When the latest slice of long work began, until it is over. */
let sliceBeganMs: number | undefined;
/** The latest short work, and the latest of another owner than that. */
let latest = never;
let other = never;

export const slicing = {
  /** A turn for a step of an operation that is no long work by itself. Where no short work comes in, it need not wait. */
  turn: (owner: SliceOwner): Promise<void> | undefined =>
    clock.monotonic() - latest.atMs < wantedMs ? turnIn(steps, owner) : undefined,
  /** Short work came in, of somebody who uses little. */
  noteWanted: (owner?: SliceOwner): void => {
    if (owner !== latest.owner) other = latest;
    latest = { owner, atMs: clock.monotonic() };
  },
};

/** What a long work of this owner needs, which is given up when nobody wants it any more. */
export const slicingFor = (owner: WorkOwner, isWanted: () => boolean = () => true) => ({
  isWanted,
  nowMs: (): number => clock.monotonic(),
  /** Processor time of this thread. */
  cpuMs: (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
  /** Resolves when a work of this size may begin, with a function to call when it is done. */
  begin: async (length: number): Promise<() => void> => {
    const end = await admission.begin(owner, length);
    return () => {
      rest();
      end();
    };
  },
  /** Resolves in a later turn of the event loop, which it has for a slice. */
  pause: (): Promise<void> => turnIn(works, owner.tenant),
});

/** Does work that pauses often; before each slice the event loop has a turn, also where many such works follow each other. */
export async function inSlices<T>(work: Iterator<unknown, T>, tenant: SliceOwner): Promise<T> {
  try {
    for (;;) {
      await turnIn(works, tenant);
      const startedMs = clock.monotonic();
      let step = work.next();
      while (step.done !== true && clock.monotonic() - startedMs < sliceMs) step = work.next();
      if (step.done === true) return step.value;
    }
  } finally {
    rest();
  }
}

/** Begins anew with another clock: for tests that make time pass themselves. */
export function sliceBy(time: Clock): void {
  timer?.cancel();
  clock = time;
  [latest, other, openUntilMs, sliceBeganMs] = [never, never, -Infinity, undefined];
  for (const lane of [steps, works]) {
    lane.restUntilMs = -Infinity;
    while (lane.waiting.size > 0) lane.waiting.shift()?.resolve();
  }
}

function laneOf(isLong: boolean): Lane {
  const waiting = new RoundQueue<SliceOwner, Waiting>(({ owner }) => owner);
  return { waiting, isLong, dueAtMs: -Infinity, restUntilMs: -Infinity };
}

// Resolves in a later turn of the event loop; those who wait get one turn each, owner by owner.
function turnIn(lane: Lane, owner: SliceOwner): Promise<void> {
  if (lane.isLong) rest();
  return new Promise((resolve) => {
    if (lane.waiting.size === 0) lane.dueAtMs = clock.monotonic();
    lane.waiting.push({ owner, resolve });
    schedule();
  });
}

function schedule(): void {
  if (isDue) return;
  const nowMs = clock.monotonic();
  const leftMs = Math.min(leftMsOf(steps, nowMs), leftMsOf(works, nowMs));
  timer?.cancel();
  timer = undefined;
  if (leftMs === Infinity) return;
  isDue = leftMs <= 0;
  if (isDue) afterTurn(next);
  else timer = clock.after(leftMs, next);
}

function next(): void {
  isDue = false;
  const nowMs = clock.monotonic();
  const lane = [preferred, otherLane(preferred)].find((one) => leftMsOf(one, nowMs) <= 0);
  if (lane !== undefined) giveTurn(lane, nowMs);
  schedule();
}

function giveTurn(lane: Lane, nowMs: number): void {
  if (nowMs >= openUntilMs) openUntilMs = nowMs + sliceMs;
  preferred = otherLane(lane);
  lane.dueAtMs = nowMs;
  if (lane.isLong) sliceBeganMs = nowMs;
  lane.waiting.shift()?.resolve();
}

// A slice of long work is over. What it cannot cut, as the parsing of a long text, takes longer than it should.
function rest(): void {
  if (sliceBeganMs === undefined) return;
  const nowMs = clock.monotonic();
  works.restUntilMs = nowMs + Math.min(nowMs - sliceBeganMs, restMsMax);
  sliceBeganMs = undefined;
}

const otherLane = (lane: Lane): Lane => (lane === steps ? works : steps);

// How long the next one of a lane has to wait yet.
function leftMsOf(lane: Lane, nowMs: number): number {
  if (lane.waiting.size === 0) return Infinity;
  if (!isWanted(lane, nowMs, wantedMs)) return 0;
  if (nowMs < lane.restUntilMs) return lane.restUntilMs - nowMs;
  if (nowMs < openUntilMs) return 0;
  const leftMs = lane.dueAtMs + sliceMs - nowMs;
  if (leftMs > 0) return leftMs;
  return isWanted(lane, nowMs, answerMs) && nowMs - lane.dueAtMs < heldMsMax ? answerMs : 0;
}

// Whether short work came in lately for which the next one of a lane leaves time free.
function isWanted({ waiting, isLong }: Lane, nowMs: number, lateMs: number): boolean {
  const isOwn = !isLong && waiting.peek()?.owner === latest.owner;
  return nowMs - (isOwn ? other : latest).atMs < lateMs;
}
