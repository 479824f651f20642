// The tracker of documents that somebody else wrote, or writes: read once, and nothing is written back.
import type { Runtime } from "../../api/types/runtime.ts";
import { Tracker, type TrackerOptions } from "../tracker.ts";
import { StoredTracker } from "./stored-tracker.ts";

/** What an earlier tracker wrote there; empty where none did. */
export async function readTracker(
  { read }: Pick<Runtime["documents"], "read">,
  options?: TrackerOptions,
): Promise<Tracker> {
  const tracker = new Tracker(options);
  // It is never begun, so that nothing is ever written.
  await new StoredTracker(tracker, { read, write: () => Promise.resolve() }).load();
  return tracker;
}
