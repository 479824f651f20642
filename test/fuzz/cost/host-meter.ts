// Measures what an action costs the host's own thread: processor time, not wall time, so that a busy machine and the
// guest's own work do not count.

export interface HostCost {
  /** The longest stretch in which nothing else could run on the thread. */
  readonly longestMs: number;
  /** All stretches that are longer than an idle turn of the event loop. */
  readonly totalMs: number;
}

/** A turn of an idle event loop stays below this. */
const idleTurnMs = 0.2;

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Runs an action and looks at the thread's processor time at every turn of the event loop. */
async function hostCost(act: () => Promise<void>): Promise<HostCost> {
  let longestMs = 0;
  let totalMs = 0;
  let lastMs = threadMs();
  let isRunning = true;
  const look = (): void => {
    const nowMs = threadMs();
    const turnMs = nowMs - lastMs;
    lastMs = nowMs;
    longestMs = Math.max(longestMs, turnMs);
    if (turnMs > idleTurnMs) totalMs += turnMs;
  };
  const turn = (): void => {
    look();
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await act();
  } finally {
    isRunning = false;
    look();
  }
  return { longestMs, totalMs };
}

/** The cheapest of several measurements: what remains is not a collection of garbage or a compilation that happened by chance. */
export async function leastHostCost(times: number, act: () => Promise<void>): Promise<HostCost> {
  let least: HostCost = { longestMs: Infinity, totalMs: Infinity };
  for (let n = 0; n < times; n++) {
    const cost = await hostCost(act);
    least = {
      longestMs: Math.min(least.longestMs, cost.longestMs),
      totalMs: Math.min(least.totalMs, cost.totalMs),
    };
  }
  return least;
}
