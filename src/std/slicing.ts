// Long work on the main thread in short slices, so that nothing else waits for it. Only one of them has a turn of the event loop,
// owners take turns, and while somebody else's short calls come in, slices leave half of the time free and let calls that have just
// been made be answered first.
import { afterTurn, systemClock, type Clock } from "./clock.ts";
import { RoundQueue } from "./round-queue.ts";

/** How long a slice may take; it ends at the next pause of the work. */
const sliceMs = 1;
/** Short work comes in where it did so lately. */
const wantedMs = 100;
/** Most short calls are answered within this time. */
const answerMs = 1;
/** So long slices wait for answers at most, where calls follow each other without a pause. */
const heldMsMax = 8;

/** Whose work it is; undefined for work that is no owner's. */
export type SliceOwner = string | null | undefined;

interface Waiting {
  readonly owner: SliceOwner;
  readonly resolve: () => void;
}

/** When one owner's short work came in last. */
interface Wish {
  readonly owner: SliceOwner;
  readonly atMs: number;
}

const never: Wish = { owner: undefined, atMs: -Infinity };
const waiting = new RoundQueue<SliceOwner, Waiting>(({ owner }) => owner);
let clock: Clock = systemClock;
let isScheduled = false;
/** Since when the next one waits for its turn. */
let dueAtMs = 0;
/** Until then turns follow each other without a pause: short ones fill the time of a slice together. */
let openUntilMs = -Infinity;
/** The latest short work, and the latest of another owner than that. */
let latest = never;
let other = never;

/** The clocks of this thread, and pauses between slices. */
export const slicing = {
  nowMs: (): number => clock.monotonic(),
  cpuMs: (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
  /** Resolves in a later turn of the event loop; those who wait get one turn each, owner by owner. */
  pause: (owner?: SliceOwner): Promise<void> =>
    new Promise((resolve) => {
      waiting.push({ owner, resolve });
      schedule();
    }),
  /** The same for a step of an operation that is no long work by itself: where no short work comes in, it need not wait. */
  turn: (owner: SliceOwner): Promise<void> | undefined =>
    clock.monotonic() - latest.atMs < wantedMs ? slicing.pause(owner) : undefined,
  /** Short work came in, of somebody who uses little. */
  noteWanted: (owner?: SliceOwner): void => {
    if (owner !== latest.owner) other = latest;
    latest = { owner, atMs: clock.monotonic() };
  },
};

/** Begins anew with another clock: for tests that make time pass themselves. */
export function sliceBy(time: Clock): void {
  clock = time;
  [latest, other, isScheduled, openUntilMs] = [never, never, false, -Infinity];
  while (waiting.size > 0) waiting.shift()?.resolve();
}

// Whether short work of another than this owner came in lately.
function isWantedBeside(owner: SliceOwner, nowMs: number, lateMs = wantedMs): boolean {
  const { atMs } = owner === undefined || latest.owner !== owner ? latest : other;
  return nowMs - atMs < lateMs;
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  dueAtMs = clock.monotonic();
  if (dueAtMs >= openUntilMs && isWantedBeside(waiting.peek()?.owner, dueAtMs)) clock.after(sliceMs, next);
  else afterTurn(next);
}

function next(): void {
  const nowMs = clock.monotonic();
  if (nowMs >= openUntilMs) {
    const isAwaited = isWantedBeside(waiting.peek()?.owner, nowMs, answerMs) && nowMs - dueAtMs < heldMsMax;
    if (isAwaited) return void clock.after(answerMs, next);
    openUntilMs = nowMs + sliceMs;
  }
  isScheduled = false;
  waiting.shift()?.resolve();
  if (waiting.size > 0) schedule();
}

/** Does work that pauses often; before each slice the event loop has a turn, also where many such works follow each other. */
export async function inSlices<T>(work: Iterator<unknown, T>, owner?: SliceOwner): Promise<T> {
  for (;;) {
    await slicing.pause(owner);
    const startedMs = clock.monotonic();
    let step = work.next();
    while (step.done !== true && clock.monotonic() - startedMs < sliceMs) step = work.next();
    if (step.done === true) return step.value;
  }
}
