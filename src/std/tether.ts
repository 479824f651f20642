// Ties a child's life to its parent's, even while something holds the child's main thread. No child outlives its parent.
import { Worker } from "node:worker_threads";
import { openKernel } from "./kernel.ts";

const setDeathSignal = 1;
const sigkill = 9;
/** The descriptor of a pipe whose other end the parent keeps open. */
export const tetherFd = 5;

/** Ends this process at once, whatever its threads are doing. `process.exit` would wait for guests. */
export function dieNow(): never {
  process.kill(process.pid, "SIGKILL");
  // The signal is delivered before this can matter.
  for (;;);
}

/** Arranges for the kernel, or else a thread that waits on a pipe, to end this process with its parent. */
export function tether(parentPid: number): "signal" | "thread" {
  if (openKernel()?.call("prctl", setDeathSignal, sigkill) === 0) {
    // The parent may have died before the signal was arranged.
    if (process.ppid !== parentPid) dieNow();
    return "signal";
  }
  const watch = `
    const { readSync } = require("node:fs");
    try { while (readSync(${tetherFd}, Buffer.alloc(1)) > 0); } catch {}
    process.kill(process.pid, "SIGKILL");`;
  new Worker(watch, { eval: true, execArgv: [], stdin: false }).unref();
  return "thread";
}
