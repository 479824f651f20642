// How the kernel schedules this thread and those that it starts.
import { openKernel } from "./kernel.ts";

const batchPolicy = 3;
const priorityBytes = 4;

/**
 * Declares this thread one that computes without anybody waiting for its first answer: when it is woken, it does not take the
 * processor from the one that woke it. Where that cannot be said, nothing changes.
 */
export function runAsBatch(): void {
  openKernel()?.call("sched_setscheduler", 0, batchPolicy, new Uint8Array(priorityBytes));
}
