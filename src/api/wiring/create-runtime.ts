// The composition root: starts the parts of a runtime, and ends them.
import { CompileCache } from "../../code/compiler/compile-cache.ts";
import { Compiler } from "../../code/compiler/compiler.ts";
import { compilerIdentity } from "../../code/compiler/compiler-identity.ts";
import {
  compilerPrograms,
  moduleCompilerLaunch,
  toolCompilerLaunch,
} from "../../code/compiler/compiler-launch.ts";
import type { CellLauncher } from "../../execution/cell.ts";
import { Watchdog } from "../../execution/enforcement/watchdog.ts";
import { launchProcessCell, type LaunchOptions } from "../../execution/process-cell.ts";
import { programUrl, requirePrograms } from "../../execution/programs.ts";
import { cellPrograms, jailedCellLaunch } from "../../execution/cell-launch.ts";
import { Jail } from "../../jail/jail.ts";
import { RuntimeClosedError, VivariumError } from "../../model/errors.ts";
import type { SandboxId } from "../../model/ids.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import { Bus } from "../../observability/bus.ts";
import { Metrics } from "../../observability/metrics.ts";
import { AutoReload, type AutoReloadParts } from "../../orchestration/reload/auto-reload.ts";
import { Collector } from "../../orchestration/sandboxes/collection/collector.ts";
import { Packages } from "../../orchestration/code/packages.ts";
import { Gatekeeper } from "../../orchestration/code/gatekeeper.ts";
import { StoredArtifacts } from "../../orchestration/code/stored-artifacts.ts";
import { codeOf } from "../../orchestration/reload/mutation.ts";
import { Registry } from "../../orchestration/sandboxes/registry.ts";
import { Audit } from "../../security/audit.ts";
import { awaited } from "../../std/keep-alive.ts";
import { every, type Timer } from "../../std/clock.ts";
import { isOutOfDescriptors, wordsOf } from "../../std/descriptors.ts";
import { completeConfig, type Config, type RuntimeOptions } from "../options/config.ts";
import { wire } from "./wiring.ts";
import { Engine, type EngineParts } from "./engine.ts";
import { closeAtEnd } from "./natural-end.ts";
import { LocalRuntime } from "../handles/local-runtime.ts";
import { RecoveryReport } from "./recovery-report.ts";
import { openRecords } from "./records.ts";
import { closeStore, openStore, restoreAll } from "./restore.ts";
import type { Runtime } from "../types/runtime.ts";
import { readModulesFrom } from "./module-files.ts";

type Connected = Pick<EngineParts, "bus" | "registry" | "pool" | "autoReload">;

const closeMs = 5_000;
const closedFailure: GuestFailure = {
  kind: "cancelled",
  reason: "closed",
  message: "Cannot finish the run as the runtime was closed",
};

/**
 * Starts a runtime in this process: cells, compiler and watchdog. Close it when done, or hold it with `await using`.
 */
export function createRuntime(options?: RuntimeOptions): Promise<Runtime> {
  return awaited(start(options));
}

async function start(options: RuntimeOptions | undefined): Promise<Runtime> {
  requirePrograms();
  const config = completeConfig(options);
  try {
    const jail = openJail(config);
    const watchdog = new Watchdog();
    const launch = launcherFor(config, { jail, watchdog });
    return await assemble(config, { jail, watchdog, launch, closeAtEnd });
  } catch (error) {
    if (error instanceof VivariumError || !isOutOfDescriptors(error)) throw error;
    throw new VivariumError("CELL_START_FAILED", `Cannot start a runtime as ${wordsOf(error)}`, error);
  }
}

/** What a test may put in the place of the real thing. */
export interface Replaceable extends Guards {
  readonly launch: CellLauncher;
  readonly openCompiler?: (config: Config, jail: Jail) => Compiler;
  /** Closes a runtime at the end of the program. */
  readonly closeAtEnd?: typeof closeAtEnd;
}

/** The jail and the watchdog of the cells. */
export interface Guards {
  readonly jail: Jail;
  readonly watchdog: Watchdog;
}

/** Decides on the jail; fails when a layer is required that this system does not have. */
export function openJail({ jail, clock, compiler }: Config): Jail {
  const programs = [...cellPrograms(), ...compilerPrograms(programUrl("compiler-host"), compiler.backend)];
  return new Jail(jail, { clock, starterUrl: programUrl("starter"), programs });
}

/** Starts cells with the settings of a configuration; a replacement of the cell host and its jail is for tests. */
export function launcherFor(
  config: Config,
  { jail, watchdog }: Guards,
  instead?: Pick<LaunchOptions, "program" | "launch">,
): CellLauncher {
  const { cells, limits, clock } = config;
  const start = {
    t: "start",
    asyncLanes: cells.lanes,
    sliceMs: cells.sliceMs,
    warm: cells.warm,
    warmMemoryBytes: limits.memoryBytes,
  } as const;
  const { startMs, memoryBytesMax } = cells;
  const program = instead ?? { launch: jailedCellLaunch(jail) };
  const common = { clock, watchdog, ...program, start, startMs, rssBytesMax: memoryBytesMax };
  return (number, listener) => launchProcessCell({ ...common, number }, listener);
}

/** Puts a runtime together and starts it. */
export async function assemble(config: Config, instead: Replaceable): Promise<Runtime> {
  const { jail, watchdog, launch } = instead;
  const { clock } = config;
  const bus = new Bus(() => clock.now());
  const metrics = new Metrics(bus, config.telemetry);
  const registry = new Registry(config.collector.tombstonesMax);
  const compiler = (instead.openCompiler ?? openCompiler)(config, jail);
  const { audit, gatekeeper, records } = openGate(config, bus);
  const cache = new CompileCache(compiler, config.compileCacheBytesMax);
  const packages = new Packages(config, { compiler, compile: (request) => cache.compile(request) });
  const artifacts = openArtifacts(config);
  const recovery = new RecoveryReport();
  watchStore(config, bus);
  const code = { cache, gatekeeper, packages, artifacts };
  const wired = wire({ config, bus, metrics, registry, audit, launch, ...code });
  const { pool, assigner, sandboxes, table, deadlines, checkpoints, removals } = wired;
  const collector = openCollector(config, { bus, registry, cache });
  const readTree: AutoReloadParts["readTree"] = (sandbox, path) =>
    readModulesFrom(path, sandbox, { config, cache, packages, gatekeeper });
  const autoReload = new AutoReload({ clock, bus, readTree });
  connect({ bus, registry, pool, autoReload });
  const sampler = sampleResources(config, { bus, pool, registry, collector });
  const keepers = { collector, autoReload, compiler, cache, packages, gatekeeper, audit, records };
  const parts = { config, bus, metrics, registry, pool, sandboxes, table, recovery, ...keepers };
  const engine = new Engine(parts);

  // From the outside in: nothing new is admitted, what waits is rejected, then the processes end.
  async function close(): Promise<void> {
    engine.shut();
    for (const timed of [collector, checkpoints, autoReload, recovery, removals, deadlines]) timed.close();
    sampler.cancel();
    for (const ticket of [...table.underway]) ticket.sandbox.endRun(ticket, closedFailure);
    for (const sandbox of registry.everyone()) sandbox.close();
    assigner.refuseWaiting(new RuntimeClosedError("find a cell", { isUnderWay: true }));
    await Promise.all([compiler.close(), pool.close(closeMs)]);
    await jail.close();
    await watchdog.close();
    await closeStore(config, { records, removals });
  }

  try {
    const startedMs = clock.monotonic();
    const stored = await openStore(config, records);
    await startProcesses(pool, compiler);
    const restored = await restoreAll(stored, { config, sandboxes, registry });
    for (const sandbox of registry.all()) checkpoints.start(sandbox);
    artifacts?.forget();
    void recovery.complete(restored, { clock, bus, registry, startedMs });
  } catch (error) {
    // The first error is the one to report.
    await close().catch(() => {});
    throw error;
  }
  const runtime: LocalRuntime = new LocalRuntime(engine, () => close().finally(forget));
  const forget = instead.closeAtEnd?.(runtime);
  return runtime;
}

// What follows from events of the runtime's own.
function connect({ bus, registry, pool, autoReload }: Connected): void {
  bus.on("sandbox.destroy.start", ({ sandboxId }) => autoReload.stopById(sandboxId));
  bus.on("sandbox.create.stop", ({ sandboxId }) => emitBirth(sandboxId as SandboxId, { bus, registry }));
  bus.on("fitness.adjusted", ({ sandboxId, score }) =>
    adjustFitness(sandboxId as SandboxId, score, registry),
  );
  // A cell that was for one tenant is not left without an owner.
  bus.on("gc.collected", () => pool.endIdle());
}

// Which compiler made stored modules: another one may make others.
function openArtifacts({ store, compiler: { backend } }: Config): StoredArtifacts | undefined {
  if (store.artifacts === undefined) return undefined;
  return new StoredArtifacts(store.artifacts, compilerIdentity(programUrl("compiler-host"), backend));
}

function watchStore({ store }: Config, bus: Bus): void {
  let failure = "";
  store.watch?.(({ state, reason }) => {
    if (state === "degraded") bus.emit("store.degraded", { reason: (failure = reason ?? "") });
    else bus.emit("store.restored", { reason: failure });
  });
}

/** The compiler of a configuration, whose processes start when they are needed. */
export function openCompiler({ clock, compiler, cells: { startMs } }: Config, jail: Jail): Compiler {
  const { backend, processesMax } = compiler;
  const url = programUrl("compiler-host");
  return new Compiler({
    clock,
    programUrl: url,
    startMs,
    backend,
    processesMax,
    launchModules: () => moduleCompilerLaunch(jail, url, backend),
    launchTools: () => toolCompilerLaunch(jail),
  });
}

function openCollector(
  { clock, collector: { intervalMs }, capacity: { memoryBytes } }: Config,
  { bus, registry, cache }: Pick<EngineParts, "bus" | "registry" | "cache">,
): Collector {
  return new Collector({ clock, bus, registry, intervalMs, memoryBytes, shed: () => cache.clear() });
}

function emitBirth(sandboxId: SandboxId, { bus, registry }: Pick<EngineParts, "bus" | "registry">): void {
  const sandbox = bus.hears("lineage.born") ? registry.find(sandboxId) : undefined;
  if (sandbox === undefined) return;
  const { ancestry, createdAt } = sandbox;
  bus.emit("lineage.born", { sandboxId, ...ancestry, ...codeOf(sandbox), createdAt });
}

function adjustFitness(sandboxId: SandboxId, score: number, registry: Registry): void {
  const sandbox = registry.find(sandboxId);
  if (sandbox?.fitness?.result === "ok") void sandbox.noteFitness({ ...sandbox.fitness, score });
}

// The gate that judges code, and the log of its decisions; every entry is an event too. Log and journal are persisted.
function openGate(config: Config, bus: Bus): Pick<EngineParts, "audit" | "gatekeeper" | "records"> {
  const { audit: bounds, clock, blockedImports } = config;
  const audit = new Audit(
    bounds,
    () => clock.now(),
    ({ kind, ...note }, count) => bus.emit(`security.${kind}`, { ...note, count }),
  );
  const records = openRecords(config, { bus, audit });
  return { audit, gatekeeper: new Gatekeeper(audit, blockedImports), records };
}

// Samples regularly what all cells together use, for the collector and for subscribers.
function sampleResources(
  config: Config,
  { bus, pool, registry, collector }: Pick<EngineParts, "bus" | "pool" | "registry" | "collector">,
): Timer {
  return every(config.clock, config.watchIntervalMs, () => {
    const rssBytes = pool.rssBytes();
    collector.onMemoryUsed(rssBytes);
    if (!config.telemetry.resources) return;
    bus.emit("resource.sampled", { cells: pool.queues.length, rssBytes, sandboxes: registry.size });
  });
}

// The cell first, as it takes longer to start.
async function startProcesses(pool: EngineParts["pool"], compiler: Compiler): Promise<void> {
  const starting = pool.start();
  // Where the compiler cannot be started, that is the error to report.
  starting.catch(() => {});
  compiler.warm();
  await starting;
}
