// Which sandboxes take runs.
import type { Status } from "../../model/sandboxes/status.ts";

/** What becomes of a run, by the status of its sandbox. A run that belongs to the reload under way is always sent. */
export const admission: Readonly<Record<Status, "send" | "wait" | "refuse">> = {
  creating: "wait",
  running: "send",
  reloading: "wait",
  suspended: "wait",
  failed: "refuse",
  stopping: "refuse",
  stopped: "refuse",
};
