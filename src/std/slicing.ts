// Long work on the main thread in short slices, so that nothing else waits for it: how long they take, turns of the event loop in
// which only one of them runs, and no more than half of the time while short work comes in.

/** How long a slice may take; it ends at the next pause of the work. */
const sliceMs = 1;
/** Short work comes in where it did so lately. */
const wantedMs = 100;

const waiting: (() => void)[] = [];
let isScheduled = false;
let wantedAtMs = -Infinity;

/** The clocks of this thread, and pauses between slices. */
export const slicing = {
  nowMs: (): number => performance.now(),
  cpuMs: (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
  /** Resolves in a later turn of the event loop; those who wait get one turn each, in the order of asking. */
  pause: (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      schedule();
    }),
  /** Short work came in, of somebody who uses little: for a while slices leave half of the time free. */
  noteWanted: (): void => {
    wantedAtMs = performance.now();
  },
};

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  if (performance.now() - wantedAtMs < wantedMs) setTimeout(next, sliceMs);
  else setImmediate(next);
}

function next(): void {
  isScheduled = false;
  waiting.shift()?.();
  if (waiting.length > 0) schedule();
}

/** Does work that pauses often; before each slice the event loop has a turn, also where many such works follow each other. */
export async function inSlices<T>(work: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    await slicing.pause();
    const startedMs = performance.now();
    let step = work.next();
    while (step.done !== true && performance.now() - startedMs < sliceMs) step = work.next();
    if (step.done === true) return step.value;
  }
}
