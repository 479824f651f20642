// Events on Node's diagnostics channels, for tools that listen there: `vivarium:sandbox.run.stop` and so on.
import { channel, type Channel } from "node:diagnostics_channel";
import type { Events } from "./bus.ts";
import { eventNames } from "./catalogue.ts";

/** Publishes every event of a runtime on the channel `vivarium:` and its name; answers a function that ends it. */
export function publishDiagnostics(events: Events): () => void {
  const channels = new Map<string, Channel>(eventNames.map((name) => [name, channel(`vivarium:${name}`)]));
  return events.onAny(({ name, at, event }) => {
    const to = channels.get(name);
    if (to?.hasSubscribers === true) to.publish({ name, at, event });
  });
}
