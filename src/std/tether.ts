// Ends a child process with its parent, even while the child's main thread is blocked. No child outlives its parent.
import { openKernel, type Kernel } from "./kernel.ts";

const setDeathSignal = 1;
const sigkill = 9;
/** The descriptor of a pipe whose other end the parent keeps open. */
export const tetherFd = 5;

const closeOnExec = 0o2000000;
const fcntl = { setFlags: 4, setOwner: 8, setSignal: 10 } as const;
const signalOnChange = 0o20000;

/** A pipe without a writer. The child has one end; the other is ours, and closed when our process ends. */
export interface Tether {
  readonly childFd: number;
  readonly ourFd: number;
}

/** Makes a tether for a child that is to be started; undefined where no descriptor is left. */
export function makeTether(kernel: Kernel): Tether | undefined {
  const pair = Buffer.alloc(8);
  if (kernel.call("pipe2", pair, closeOnExec) !== 0) return undefined;
  return { childFd: pair.readInt32LE(0), ourFd: pair.readInt32LE(4) };
}

/**
 * Makes the kernel end a child, with its group where it leads one, as soon as our end of its tether is closed. It is set
 * from outside, so that it also holds for a child that hangs while it starts.
 */
export function bindTether(
  kernel: Kernel,
  childFd: number,
  child: { pid: number; isLeader: boolean },
): boolean {
  return [
    kernel.call("fcntl", childFd, fcntl.setOwner, child.isLeader ? -child.pid : child.pid),
    kernel.call("fcntl", childFd, fcntl.setSignal, sigkill),
    kernel.call("fcntl", childFd, fcntl.setFlags, signalOnChange),
  ].every((result) => result === 0);
}

/** Ends this process at once, whatever its threads are doing. `process.exit` would wait for guests. */
export function dieNow(): never {
  process.kill(process.pid, "SIGKILL");
  // The signal is delivered before this loop can matter.
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
  // Loaded here, as nearly no process needs it.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  new Worker(watch, { eval: true, execArgv: [], stdin: false }).unref();
  return "thread";
}
