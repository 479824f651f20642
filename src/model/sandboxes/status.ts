// The life cycle of a sandbox: one table and one pure function.

export type Status = "creating" | "running" | "reloading" | "suspended" | "failed" | "stopping" | "stopped";

export type Signal =
  | "loaded"
  | "failed"
  | "reload"
  | "reverted"
  | "suspend"
  | "resume"
  | "restart"
  | "stop"
  | "stopped";

const moves = {
  creating: { loaded: "running", failed: "failed", stop: "stopping" },
  running: {
    reload: "reloading",
    suspend: "suspended",
    restart: "creating",
    failed: "failed",
    stop: "stopping",
  },
  reloading: {
    loaded: "running",
    reverted: "running",
    restart: "creating",
    failed: "failed",
    stop: "stopping",
  },
  suspended: { resume: "running", restart: "creating", failed: "failed", stop: "stopping" },
  failed: { restart: "creating", stop: "stopping" },
  stopping: { stopped: "stopped" },
  stopped: {},
} as const satisfies Record<Status, Partial<Record<Signal, Status>>>;

export const statuses: readonly Status[] = Object.keys(moves) as Status[];

/** Where a signal leads from a status, or undefined where the table has no such move. */
export function transition(from: Status, signal: Signal): Status | undefined {
  const row: Partial<Record<Signal, Status>> = moves[from];
  return row[signal];
}
