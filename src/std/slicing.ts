// Long work on the main thread in short slices, so that nothing else waits for it: how long they take, and turns of the event
// loop in which only one of them runs.

/** How long a slice may take; it ends at the next pause of the work. */
const sliceMs = 4;

const waiting: (() => void)[] = [];
let isScheduled = false;

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
};

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    waiting.shift()?.();
    if (waiting.length > 0) schedule();
  });
}

/** Does work that pauses often; after each slice the event loop has a turn. */
export async function inSlices<T>(work: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    const startedMs = performance.now();
    let step = work.next();
    while (step.done !== true && performance.now() - startedMs < sliceMs) step = work.next();
    if (step.done === true) return step.value;
    await slicing.pause();
  }
}
