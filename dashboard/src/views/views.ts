// The views by their names in the address. Those that only a server has, and that are not looked at first, are loaded when they are
// needed.
import type { Component } from "svelte";
import type { ViewName } from "../route.ts";
import Best from "./best/Best.svelte";
import Events from "./events/Events.svelte";
import Lineage from "./lineage/Lineage.svelte";
import Overview from "./overview/Overview.svelte";
import Runs from "./runs/Runs.svelte";

/** A view in a file of its own. */
export interface LaterView {
  readonly load: () => Promise<{ readonly default: Component }>;
}

export const views: Readonly<Record<ViewName, Component | LaterView>> = {
  overview: Overview,
  lineage: Lineage,
  best: Best,
  sandboxes: { load: () => import("./sandboxes/Sandboxes.svelte") },
  events: Events,
  machine: { load: () => import("./machine/Machine.svelte") },
  runs: Runs,
};
