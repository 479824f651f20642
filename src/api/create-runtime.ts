// The composition root: starts the parts of a runtime, and ends them.
import { CompileCache } from "../code/compile-cache.ts";
import { Compiler } from "../code/compiler.ts";
import type { CellLauncher } from "../execution/cell.ts";
import { Watchdog } from "../execution/enforcement/watchdog.ts";
import { launchProcessCell } from "../execution/process-cell.ts";
import { programUrl } from "../execution/programs.ts";
import { Bus } from "../observability/bus.ts";
import { Metrics } from "../observability/metrics.ts";
import { Collector } from "../orchestration/collector.ts";
import { Registry } from "../orchestration/registry.ts";
import { every } from "../std/clock.ts";
import { completeConfig, type Config, type RuntimeOptions } from "./config.ts";
import { assembleCrew } from "./crew.ts";
import { Engine } from "./engine.ts";
import { LocalRuntime } from "./local-runtime.ts";
import { restoreAll } from "./restore.ts";
import type { Runtime } from "./runtime.ts";

const closeMs = 5_000;

/**
 * Starts a runtime in this process: cells, compiler and watchdog. Close it when done, or hold it with `await using`.
 */
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

/** Starts cells with the settings of a configuration; another program than the cell host is for tests. */
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
  return (number, listener) => {
    return launchProcessCell(
      program === undefined ? { ...common, number } : { ...common, number, program },
      listener,
    );
  };
}

/** Puts a runtime together and starts it. */
export async function assemble(config: Config, { watchdog, launch }: Replaceable): Promise<Runtime> {
  const { clock, cells, store, telemetry } = config;
  const bus = new Bus(() => clock.now());
  const metrics = new Metrics(bus);
  const registry = new Registry(config.collector.tombstones);
  const compiler = new Compiler({ clock, programUrl: programUrl("compiler-host"), startMs: cells.startMs });
  const cache = new CompileCache((request) => compiler.compile(request), config.compileCacheBytes);
  const { pool, lifecycle, runs, sweeper } = assembleCrew({ config, bus, registry, cache, launch });
  const collector = new Collector({
    clock,
    bus,
    registry,
    intervalMs: config.collector.intervalMs,
    destroy: (resident, reason) => lifecycle.destroy(resident, reason),
  });
  const sampler = every(clock, config.watchIntervalMs, () => {
    if (!telemetry.resources) return;
    const { size } = registry;
    bus.emit("resource.sampled", { cells: pool.queues.length, rssBytes: pool.rssBytes(), sandboxes: size });
  });
  const parts = { config, bus, metrics, registry, pool, lifecycle, runs, collector, compiler, cache };
  const engine = new Engine(parts);

  // From the outside in: nobody may come in, whoever waits is told, then the processes go.
  async function close(): Promise<void> {
    engine.shut();
    collector.close();
    sampler.cancel();
    sweeper.close();
    runs.endEverything("closed", "the runtime was closed");
    lifecycle.shut();
    await Promise.all([compiler.close(), pool.close(closeMs)]);
    await watchdog.close();
    await store.close();
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
