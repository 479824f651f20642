// The orchestration of one runtime, its members introduced to each other.
import type { CompileCache } from "../code/compile-cache.ts";
import type { CellLauncher } from "../execution/cell.ts";
import { VivariumError } from "../model/errors.ts";
import type { SandboxId } from "../model/ids.ts";
import type { Bus } from "../observability/bus.ts";
import { Background } from "../orchestration/runs/background.ts";
import type { Door } from "../orchestration/code/building.ts";
import { CellPool, type PoolListener } from "../orchestration/cells/cell-pool.ts";
import type { Gatekeeper } from "../orchestration/code/gatekeeper.ts";
import { Checkpoints } from "../orchestration/processes/checkpoints.ts";
import { Homing } from "../orchestration/cells/assignment.ts";
import { Lifecycle } from "../orchestration/sandboxes/lifecycle.ts";
import { ProcessNews } from "../orchestration/processes/processes.ts";
import { Requests } from "../orchestration/runs/requests.ts";
import { Recovery } from "../orchestration/cells/recovery.ts";
import type { CellQueue } from "../orchestration/cells/cell-queue.ts";
import type { Registry } from "../orchestration/sandboxes/registry.ts";
import { Reloads } from "../orchestration/reload/reload.ts";
import type { Resident } from "../orchestration/sandboxes/resident.ts";
import { Runs } from "../orchestration/runs/runs.ts";
import { SelfRestart } from "../orchestration/sandboxes/self-restart.ts";
import { Sweeper } from "../orchestration/runs/deadlines.ts";
import type { Audit } from "../security/audit.ts";
import { Broker } from "../security/broker.ts";
import type { Config } from "./config.ts";

export interface CrewParts {
  readonly config: Config;
  readonly bus: Bus;
  readonly registry: Registry;
  readonly cache: CompileCache;
  readonly gatekeeper: Gatekeeper;
  readonly audit: Audit;
  readonly launch: CellLauncher;
}

export interface Crew {
  readonly pool: CellPool;
  readonly lifecycle: Lifecycle;
  readonly homing: Homing;
  readonly runs: Runs;
  readonly reloads: Reloads;
  readonly sweeper: Sweeper;
  readonly checkpoints: Checkpoints;
}

/** Commands go down from the life cycle to the cells; what cells report comes up through the one listener here. */
export function assembleCrew(parts: CrewParts): Crew {
  const { config, bus, registry, cache, gatekeeper, audit, launch } = parts;
  const { clock, cells, store } = config;
  // A cell is believed only about the sandboxes that live in it.
  const residentOf = (queue: CellQueue, key: number): Resident | undefined => {
    const resident = registry.findByKey(key);
    return resident?.home?.queue === queue ? resident : undefined;
  };
  const about = (queue: CellQueue, { key }: { key: number }, act: (resident: Resident) => void): void => {
    const resident = residentOf(queue, key);
    if (resident !== undefined) act(resident);
  };
  const listener: PoolListener = {
    onRunDone: (ticket, item) => runs.onRunDone(ticket, item),
    onLoadDone: (ticket, item) => homing.onLoadDone(ticket, item),
    onHeap: (queue, sample) => residentOf(queue, sample.key)?.noteSample(sample),
    onLog: (queue, ticket, report) => runs.onLog(residentOf(queue, report.key), ticket, report),
    onStates: (queue, states) => news.onStates(states, (key) => residentOf(queue, key)),
    onRequest: (queue, ticket, report) =>
      about(queue, report, (resident) => requests.onRequest(resident, ticket, report)),
    onProcess: (queue, report) => about(queue, report, (resident) => news.onProcess(resident, report)),
    onBackground: (queue, report) => about(queue, report, (resident) => background.onCut(resident, report)),
    onDeath: (queue, death) => recovery.onDeath(queue, death),
    onReady: () => homing.houseWaiting(),
    onUnavailable: (error) => homing.failWaiting(error),
  };
  let lastOp = 0;
  const queueParts = { clock, nextOp: () => ++lastOp, onBusy: () => sweeper.wake(), asyncLanes: cells.lanes };
  const { count: shared, spare, sandboxesMax: residentsPerCell, ownedMax } = cells;
  const sizes = { shared, spare, residentsPerCell, ownedMax };
  const pool = new CellPool({ ...queueParts, ...sizes, bus, launch }, listener);
  const door: Door = { compile: (request) => cache.compile(request), gatekeeper };
  const lifecycle: Lifecycle = new Lifecycle({
    clock,
    bus,
    registry,
    store,
    ...door,
    versionsMax: config.versionsMax,
    isKiller: (resident) => recovery.isKiller(resident),
    admit: () => admit(config, registry, pool),
    waitMs: cells.waitMs,
  });
  const homing: Homing = new Homing(pool, lifecycle, { clock, waitMs: cells.waitMs });
  const runs: Runs = new Runs({ clock, bus, homing });
  lifecycle.meet({ homing, runs });
  const reloads = new Reloads({ clock, bus, store, ...door, homing, runs });
  const fail: Lifecycle["fail"] = (resident, failure) => lifecycle.fail(resident, failure);
  const requests = new Requests(new Broker({ clock, bus, capabilities: config.capabilities }), audit);
  const recovery: Recovery = new Recovery({ bus, pool, homing, runs, sliceMs: cells.sliceMs, fail });
  const news = new ProcessNews({ bus, store, fail });
  const background: Background = new Background({ clock, bus, homing, runs, fail });
  const selfRestart = new SelfRestart({ clock, restart: (resident) => lifecycle.restart(resident) });
  const checkpoints = new Checkpoints({ clock, store, homing });
  attend({ bus, registry }, { selfRestart, checkpoints });
  const sweeper: Sweeper = new Sweeper({ clock, pool, runs, homing });
  return { pool, lifecycle, homing, runs, reloads, sweeper, checkpoints };
}

// What follows from how sandboxes fare, for those that asked for it.
function attend(
  { bus, registry }: Pick<CrewParts, "bus" | "registry">,
  { selfRestart, checkpoints }: { readonly selfRestart: SelfRestart; readonly checkpoints: Checkpoints },
): void {
  const on = (
    name: "sandbox.failed" | "sandbox.create.stop" | "sandbox.destroy.start",
    act: (resident: Resident) => void,
  ): void => {
    bus.on(name, ({ sandboxId }) => {
      const resident = registry.find(sandboxId as SandboxId);
      if (resident !== undefined) act(resident);
    });
  };
  on("sandbox.failed", (resident) => selfRestart.onFailed(resident));
  on("sandbox.create.stop", (resident) => checkpoints.start(resident));
  on("sandbox.destroy.start", (resident) => checkpoints.stop(resident));
}

function admit(config: Config, registry: Registry, pool: CellPool): void {
  const { sandboxes, memoryBytes } = config.capacity;
  if (registry.size >= sandboxes) {
    const message = `Cannot create a sandbox as there may be at most capacity.sandboxes, ${sandboxes}: there are as many`;
    throw new VivariumError("CAPACITY_EXCEEDED", message);
  }
  const rssBytes = pool.rssBytes();
  if (rssBytes >= memoryBytes) {
    const message = `Cannot create a sandbox as all cells together may use capacity.memoryBytes, ${memoryBytes}: they use ${rssBytes}`;
    throw new VivariumError("CAPACITY_EXCEEDED", message);
  }
}
