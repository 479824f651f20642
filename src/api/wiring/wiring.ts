// The orchestration of one runtime, its parts connected: commands go down from sandboxes to cells, and what cells report comes
// up through the one listener here.
import type { CompileCache } from "../../code/compiler/compile-cache.ts";
import type { CellLauncher } from "../../execution/cell.ts";
import { VivariumError } from "../../model/errors.ts";
import type { SandboxId } from "../../model/ids.ts";
import type { Bus } from "../../observability/bus.ts";
import { printable } from "../../model/printable.ts";
import { show } from "../../model/show.ts";
import { beginWait, endWait } from "../../std/keep-alive.ts";
import type { Metrics } from "../../observability/metrics.ts";
import { Assigner } from "../../orchestration/cells/assigner.ts";
import { CellPool } from "../../orchestration/cells/cell-pool.ts";
import type { PoolListener } from "../../orchestration/cells/queue-listener.ts";
import type { CellQueue } from "../../orchestration/cells/cell-queue.ts";
import type { SandboxInCell } from "../../orchestration/cells/sandbox-in-cell.ts";
import { Recovery } from "../../orchestration/cells/recovery.ts";
import { LimitSets } from "../../orchestration/sandboxes/limit-sets.ts";
import { LoadPaces } from "../../orchestration/cells/load-paces.ts";
import type { StoredArtifacts } from "../../orchestration/code/stored-artifacts.ts";
import type { Packages } from "../../orchestration/code/packages.ts";
import type { Gatekeeper } from "../../orchestration/code/gatekeeper.ts";
import { Checkpoints } from "../../orchestration/processes/checkpoints.ts";
import { onProcessReport } from "../../orchestration/processes/reports.ts";
import { Deadlines } from "../../orchestration/runs/deadlines.ts";
import { Requests } from "../../orchestration/runs/requests.ts";
import { RunTable } from "../../orchestration/runs/run-table.ts";
import type { Registry } from "../../orchestration/sandboxes/registry.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import { OwedRemovals } from "../../orchestration/sandboxes/owed-removals.ts";
import { Sandboxes } from "../../orchestration/sandboxes/sandboxes.ts";
import type { Audit } from "../../security/audit.ts";
import { Broker } from "../../security/broker.ts";
import { MemoryStore } from "../../store/memory.ts";
import type { Config } from "../options/config.ts";

export interface WiringParts {
  readonly config: Config;
  readonly bus: Bus;
  readonly metrics: Pick<Metrics, "noteRuns">;
  readonly registry: Registry;
  readonly cache: CompileCache;
  readonly gatekeeper: Gatekeeper;
  readonly packages: Packages;
  readonly audit: Audit;
  readonly launch: CellLauncher;
  readonly artifacts: StoredArtifacts | undefined;
}

export interface Orchestration {
  readonly pool: CellPool;
  readonly assigner: Assigner;
  readonly sandboxes: Sandboxes;
  readonly table: RunTable;
  readonly deadlines: Deadlines;
  readonly checkpoints: Checkpoints;
  readonly removals: OwedRemovals;
}

export function wire(parts: WiringParts): Orchestration {
  const { config, bus, registry, cache, gatekeeper, packages, audit, launch, artifacts } = parts;
  const { clock, cells, store, versionsMax } = config;
  const table = new RunTable({
    clock,
    bus,
    runsMax: config.capacity.runs,
    onRun: () => deadlines.wake(),
    onBusy: (isBusy) => (isBusy ? beginWait() : endWait()),
    onEnd: (result, durationMs, count) => parts.metrics.noteRuns(result, durationMs, count),
  });
  const { capabilities } = config;
  const requests = new Requests(new Broker({ clock, bus, capabilities, warn: warnOfCapability }), audit);
  let lastOp = 0;
  const pool: CellPool = new CellPool(
    {
      clock,
      bus,
      launch,
      nextOp: () => ++lastOp,
      onBusy: () => deadlines.wake(),
      asyncLanes: cells.lanes,
      shared: cells.count,
      spare: cells.spare,
      sandboxesPerCell: cells.sandboxesMax,
      ownedMax: cells.ownedMax,
    },
    listen({ bus, table, requests }, () => ({ assigner, recovery })),
  );
  const deadlines: Deadlines = new Deadlines({ clock, pool, table });
  const assigner: Assigner = new Assigner(pool);
  const recovery: Recovery = new Recovery({ bus, pool, assigner, table, sliceMs: cells.sliceMs });
  const removals = new OwedRemovals({ clock, store });
  const sandboxes = new Sandboxes(
    {
      clock,
      bus,
      registry,
      store,
      // The usual store, which no other runtime will ever open.
      isStoreUnread: store instanceof MemoryStore,
      artifacts,
      removals,
      compile: (request) => cache.compile(request),
      gatekeeper,
      packages,
      assigner,
      table,
      loadPaces: new LoadPaces(),
      limitSets: new LimitSets(),
      versionsMax,
      fetchNames: fetchNamesOf(config.capabilities),
      waitMs: cells.waitMs,
      isKiller: (code) => recovery.isKiller(code),
    },
    () => admit(config, registry, pool),
  );
  const checkpoints = new Checkpoints(clock);
  attend({ bus, registry }, checkpoints);
  return { pool, assigner, sandboxes, table, deadlines, checkpoints, removals };
}

// A cell is believed only about the isolates that are in it.
function listen(
  { bus, table, requests }: { readonly bus: Bus; readonly table: RunTable; readonly requests: Requests },
  later: () => { readonly assigner: Assigner; readonly recovery: Recovery },
): PoolListener<CellQueue> {
  const about = (queue: CellQueue, { key }: { key: number }, act: (sandbox: SandboxInCell) => void): void => {
    const sandbox = queue.sandboxes.get(key);
    if (sandbox !== undefined) act(sandbox);
  };
  return {
    onRunDone: (ticket, item) => ticket.sandbox.cellEvents.onRunDone(ticket, item),
    onLoadDone: (ticket, item) => ticket.sandbox.cellEvents.onLoadDone(ticket, item),
    onHeap: (queue, sample) => about(queue, sample, ({ cellEvents }) => cellEvents.onSample(sample)),
    onLog: (queue, ticket, report) => {
      const sandbox = queue.sandboxes.get(report.key);
      const run = ticket?.kind === "run" ? ticket : undefined;
      sandbox?.cellEvents.onLines(table.lines(sandbox, run, report), run);
    },
    onStates: async (queue, states) => {
      await Promise.all(
        states.map(async ({ key, capture }) => queue.sandboxes.get(key)?.cellEvents.onStates(capture)),
      );
    },
    onRequest: (queue, ticket, report) =>
      about(queue, report, (sandbox) => requests.onRequest(sandbox, ticket, report)),
    onProcess: (queue, report) => about(queue, report, (sandbox) => onProcessReport(bus, sandbox, report)),
    onBackground: (queue, report) =>
      about(queue, report, ({ cellEvents }) => cellEvents.onBackgroundCut(report.verdict, report.isLost)),
    onDeath: (queue, death) => later().recovery.onDeath(queue, death),
    onReady: () => later().assigner.assignWaiting(),
    onUnavailable: (error) => later().assigner.refuseWaiting(error),
  };
}

// The states of sandboxes that asked for it are persisted regularly until they are destroyed.
function attend({ bus, registry }: Pick<WiringParts, "bus" | "registry">, checkpoints: Checkpoints): void {
  const on = (
    name: "sandbox.create.stop" | "sandbox.restart.stop" | "sandbox.destroy.start",
    act: (sandbox: ManagedSandbox) => void,
  ): void => {
    bus.on(name, ({ sandboxId }) => {
      const sandbox = registry.find(sandboxId as SandboxId);
      if (sandbox !== undefined) act(sandbox);
    });
  };
  on("sandbox.create.stop", (sandbox) => checkpoints.start(sandbox));
  // Its first load may have failed.
  on("sandbox.restart.stop", (sandbox) => checkpoints.start(sandbox));
  on("sandbox.destroy.start", (sandbox) => checkpoints.stop(sandbox));
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

// To standard error, unless the program has its own way with warnings.
function warnOfCapability(capability: string, error: unknown): void {
  const start = `Capability "${capability}" failed, and nothing listens to the event capability.called`;
  const text = error instanceof Error ? (error.stack ?? String(error)) : show(error);
  // What was thrown may quote what the guest gave, and this may be shown by a terminal.
  const detail = printable(text);
  process.emitWarning(`${start} (warned of once for each capability)`, {
    type: "VivariumWarning",
    code: "CAPABILITY_FAILED",
    detail,
  });
}

/** The capabilities that serve the `fetch` of guests. */
function fetchNamesOf(capabilities: Config["capabilities"]): ReadonlySet<string> {
  return new Set([...capabilities].filter(([, { servesFetch }]) => servesFetch).map(([name]) => name));
}
