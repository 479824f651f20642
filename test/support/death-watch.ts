// Watches a process from a thread of its own, so that its end is known to the moment while the main thread is blocked.
import { Worker } from "node:worker_threads";

const code = `
const { readFileSync } = require("node:fs");
const { workerData, parentPort } = require("node:worker_threads");
const { pid, shared } = workerData;
const died = new Float64Array(shared, 0, 1);
const nap = new Int32Array(new SharedArrayBuffer(4));
// A process that is dead and not yet waited for is a zombie: its parent may be blocked.
function isDead() {
  try {
    const stat = readFileSync("/proc/" + pid + "/stat", "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return true;
  }
}
parentPort.postMessage(isDead() ? "dead" : "alive");
while (!isDead()) Atomics.wait(nap, 0, 0, 2);
died[0] = performance.timeOrigin + performance.now();`;

export interface DeathWatch {
  /** When the process died, in milliseconds since the epoch; undefined while it lives. */
  diedAt(): number | undefined;
  stop(): Promise<unknown>;
}

/** Begins to watch; resolves when the first look was taken. */
export async function watchDeath(pid: number): Promise<DeathWatch> {
  const shared = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  const worker = new Worker(code, { eval: true, workerData: { pid, shared } });
  const first = await new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  if (first !== "alive") throw new RangeError(`process ${pid} is dead already`);
  return {
    diedAt: () => new Float64Array(shared)[0] || undefined,
    stop: () => worker.terminate(),
  };
}
