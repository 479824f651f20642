// Whom the kernel ends first when the machine's memory runs out: a child, which can be started anew, and never the
// orchestrator on its account.
import { writeFileSync } from "node:fs";

const first = "1000";

/** Offers a child to the kernel. Where the system has no such choice, nothing happens. */
export function raiseOomScore(pid: number): void {
  if (process.platform !== "linux") return;
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, first);
  } catch {
    // It ended already, or hides itself already.
  }
}
