// When the machine's memory runs out, the kernel ends a child first, which can be started anew, and not the orchestrator.
import { writeFileSync } from "node:fs";

const first = "1000";

/** Makes a child the first to be ended. Where the system has no such setting, nothing happens. */
export function raiseOomScore(pid: number): void {
  if (process.platform !== "linux") return;
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, first);
  } catch {
    // It has ended, or has made itself inaccessible.
  }
}
