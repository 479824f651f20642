// Work on the main thread in slices: how long they take, and turns of the event loop in which only one of them runs.

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
