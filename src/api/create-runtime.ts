// The composition root: the only place where the layers are wired to each other.
import { programUrl } from "../execution/programs.ts";
import { CompileCache } from "../code/compile-cache.ts";
import { Compiler } from "../code/compiler.ts";
import type { CellLauncher } from "../execution/cell.ts";
import { Watchdog } from "../execution/enforcement/watchdog.ts";
import { launchProcessCell } from "../execution/process-cell.ts";
import { VivariumError } from "../model/errors.ts";
import { Bus } from "../observability/bus.ts";
import { Metrics } from "../observability/metrics.ts";
import { CellPool, type PoolListener } from "../orchestration/cell-pool.ts";
import { Collector } from "../orchestration/collector.ts";
import { Homing } from "../orchestration/homing.ts";
import { Lifecycle } from "../orchestration/lifecycle.ts";
import { Recovery } from "../orchestration/recovery.ts";
import { Registry } from "../orchestration/registry.ts";
import { isTooOften } from "../orchestration/restart-policy.ts";
import { Runs } from "../orchestration/runs.ts";
import { Sweeper } from "../orchestration/sweeper.ts";
import { every } from "../std/clock.ts";
import { completeConfig, type Config, type RuntimeOptions } from "./config.ts";
import { Engine } from "./engine.ts";
import { LocalRuntime } from "./local-runtime.ts";
import { restoreAll } from "./restore.ts";
import type { Runtime } from "./runtime.ts";

const closeMs = 5_000;
const backgroundRule = { max: 3, windowMs: 60_000 };

/** Starts a runtime in this process: cells, compiler and watchdog. Close it when done, or hold it with `await using`. */
export async function createRuntime(options?: RuntimeOptions): Promise<Runtime> {
  const config = completeConfig(options);
  const watchdog = new Watchdog();
  return assemble(config, { watchdog, launch: launcherFor(config, watchdog) });
}

/** What a test may put in the place of the real thing. */
export interface Replaceable {
  readonly watchdog: Watchdog;
  readonly launch: CellLauncher;
}

export function launcherFor(config: Config, watchdog: Watchdog, program?: string): CellLauncher {
  const { cells, limits, clock } = config;
  const start = {
    t: "start",
    asyncLanes: cells.lanes,
    sliceMs: cells.sliceMs,
    warm: cells.warm,
    warmMemoryBytes: limits.memoryBytes,
  } as const;
  const common = { clock, watchdog, start, startMs: cells.startMs, rssBytesMax: cells.memoryBytes };
  return (number, listener) =>
    launchProcessCell(
      program === undefined ? { ...common, number } : { ...common, number, program },
      listener,
    );
}

export async function assemble(config: Config, { watchdog, launch }: Replaceable): Promise<Runtime> {
  const { clock, cells } = config;
  const bus = new Bus(() => clock.now());
  const metrics = new Metrics(bus);
  const registry = new Registry(config.collector.tombstones);
  const compiler = new Compiler({ clock, programUrl: programUrl("compiler-host"), startMs: cells.startMs });
  const cache = new CompileCache((request) => compiler.compile(request), config.compileCacheBytes);
  const lifecycle = new Lifecycle({
    clock,
    bus,
    registry,
    store: config.store,
    compile: (request) => cache.compile(request),
    isKiller: (resident) => recovery.isKiller(resident),
    admit: () => admit(config, registry, pool),
  });
  const listener: PoolListener = {
    onRunDone: (queue, ticket, item) => runs.onRunDone(queue, ticket, item),
    onLoadDone: (queue, ticket, item) => homing.onLoadDone(queue, ticket, item),
    onHeap: (sample) => registry.findByKey(sample.key)?.noteSample(sample),
    onLog: (key, ticket, report) => runs.onLog(registry.findByKey(key), ticket, report),
    onBackground: (key, verdict) => onBackground(key, verdict),
    onDeath: (queue, death) => recovery.onDeath(queue, death),
    onReady: () => homing.houseWaiting(),
    onUnavailable: (error) => homing.failWaiting(error),
  };
  let lastOp = 0;
  const pool: CellPool = new CellPool(
    {
      clock,
      bus,
      launch,
      nextOp: () => ++lastOp,
      onBusy: () => sweeper.wake(),
      shared: cells.count,
      spare: cells.spare,
      residentsPerCell: cells.sandboxesMax,
      asyncLanes: cells.lanes,
    },
    listener,
  );
  const homing: Homing = new Homing(pool, lifecycle);
  const runs: Runs = new Runs({ clock, bus, homing });
  lifecycle.homing = homing;
  lifecycle.runs = runs;
  const recovery: Recovery = new Recovery({
    bus,
    pool,
    homing,
    runs,
    fail: (resident, failure) => lifecycle.fail(resident, failure),
  });
  const sweeper: Sweeper = new Sweeper({ clock, pool, runs, homing });
  const collector = new Collector({
    clock,
    bus,
    registry,
    intervalMs: config.collector.intervalMs,
    destroy: (resident, reason) => lifecycle.destroy(resident, reason),
  });
  const sampler = every(clock, config.watchIntervalMs, () => {
    if (!config.telemetry.resources) return;
    const rssBytes = pool.queues.reduce((sum, queue) => sum + queue.cell.rssBytes(), 0);
    bus.emit("resource.sampled", { cells: pool.queues.length, rssBytes, sandboxes: registry.size });
  });
  const engine = new Engine({
    config,
    bus,
    metrics,
    registry,
    pool,
    lifecycle,
    runs,
    collector,
    compiler,
    cache,
  });

  // A guest's own doing between runs was cut, or cost it its isolate. Again and again is too often.
  function onBackground(key: number, verdict: string): void {
    const resident = registry.findByKey(key);
    if (resident === undefined || resident.status !== "running") return;
    const nowMs = clock.monotonic();
    bus.emit("sandbox.killed", {
      sandboxId: resident.id,
      reason: verdict === "memory" ? "memory" : "timeout",
    });
    resident.backgroundCutsMs = [...resident.backgroundCutsMs.slice(-backgroundRule.max), nowMs];
    if (isTooOften(resident.backgroundCutsMs, nowMs, backgroundRule)) {
      const message = `Cannot go on as its timers were cut ${backgroundRule.max} times within ${backgroundRule.windowMs} ms, lately for ${verdict}`;
      return lifecycle.fail(resident, { kind: "timeout", limit: "stepMs", message });
    }
    homing.forgetHome(resident);
    runs.rebuild(resident, verdict);
  }

  async function close(): Promise<void> {
    engine.shut();
    collector.close();
    sampler.cancel();
    sweeper.close();
    for (const ticket of [...runs.underway]) runs.cancel(ticket, "closed", "the runtime was closed");
    lifecycle.shut();
    compiler.close();
    await pool.close(closeMs);
    await watchdog.close();
    await config.store.close();
  }

  try {
    compiler.warm();
    await pool.start();
    await restoreAll(config, lifecycle);
  } catch (error) {
    await close();
    throw error;
  }
  return new LocalRuntime(engine, close);
}

function admit(config: Config, registry: Registry, pool: CellPool): void {
  const { sandboxes, memoryBytes } = config.capacity;
  if (registry.size >= sandboxes) {
    throw new VivariumError(
      "CAPACITY_EXCEEDED",
      `Cannot create a sandbox as there may be at most capacity.sandboxes, ${sandboxes}: there are as many`,
    );
  }
  const rssBytes = pool.queues.reduce((sum, queue) => sum + queue.cell.rssBytes(), 0);
  if (rssBytes >= memoryBytes) {
    throw new VivariumError(
      "CAPACITY_EXCEEDED",
      `Cannot create a sandbox as all cells together may use capacity.memoryBytes, ${memoryBytes}: they use ${rssBytes}`,
    );
  }
}
