// How isolates end in a simulated cell.
import type { CellVerdict } from "../../src/execution/protocol/messages.ts";
import type { FakeBox } from "./fake-box.ts";
import type { FakeHost } from "./fake-host.ts";

/** Ends an isolate under whoever is inside. */
export function dispose(host: FakeHost, box: FakeBox, verdict: CellVerdict): void {
  box.isLost = true;
  const { running } = box;
  if (running === undefined) return;
  running.timer.cancel();
  box.running = undefined;
  box.isBusy = false;
  host.slate.leave(running.slot);
  host.completions.finish(box, running.activity, { verdict, answer: "" });
  if (running.slot > 0) host.thread.giveLane(running.slot);
}

/** Dense boxes of a cell are all in one isolate: they are lost with it. */
export function loseNeighbours(host: FakeHost, { isDense, key }: FakeBox): void {
  if (!isDense) return;
  for (const other of host.boxes.values()) {
    if (!other.isDense || other.isLost || other.key === key) continue;
    const isIdle = other.isLoaded && !other.isBusy && other.pending.size === 0;
    dispose(host, other, "neighbour");
    host.completions.loseRest(other, "neighbour");
    if (isIdle) host.parts.send({ t: "background", key: other.key, verdict: "neighbour", isLost: true });
  }
}
