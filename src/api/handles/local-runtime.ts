// The runtime in this process: one line per method where there is not more to say.
import type { Artifact } from "../../code/modules/artifact.ts";
import { SandboxNotFoundError } from "../../model/errors.ts";
import { parseSandboxId, type SandboxId } from "../../model/ids.ts";
import type { Individual } from "../../model/sandboxes/individual.ts";
import type { Limits } from "../../model/limits.ts";
import type { LogLine } from "../../model/runs/log-line.ts";
import type { SandboxInfo } from "../../model/sandboxes/sandbox-info.ts";
import { labelsOption } from "../../model/sandboxes/labels.ts";
import { fields, integer, someOf, type Shape } from "../../model/schema.ts";
import { statuses } from "../../model/sandboxes/status.ts";
import type { SweepReport } from "../../orchestration/sandboxes/collection/collector.ts";
import type { ListFilter } from "../../orchestration/sandboxes/registry.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import type { RetentionPolicy } from "../../orchestration/sandboxes/collection/retention.ts";
import { infoOf } from "../../orchestration/sandboxes/info.ts";
import { auditFilter } from "../../security/audit.ts";
import { limitsUnder } from "../../security/profiles.ts";
import { DataFolder } from "../../store/folder/data-folder.ts";
import { bounded, readCancel } from "../options/cancellation.ts";
import type { Engine } from "../wiring/engine.ts";
import { awaited, awaitMethods } from "../../std/keep-alive.ts";
import { LocalEvents } from "./local-events.ts";
import { healthOf } from "./health.ts";
import { planImport } from "./import-plan.ts";
import { LocalBatches } from "./local-batches.ts";
import { LocalCompile } from "./local-compile.ts";
import { LocalData } from "./local-data.ts";
import { LocalDocuments } from "./local-documents.ts";
import { LocalSandbox } from "./local-sandbox.ts";
import { planOnce, runOnce } from "./once.ts";
import { openSession } from "../scripts/open-session.ts";
import type {
  AuditLog,
  Compile,
  EventJournal,
  Health,
  JournalFilter,
  OnceOptions,
  OnceOutcome,
  Runtime,
  RuntimeMetrics,
} from "../types/runtime.ts";
import type { CancelOptions } from "../types/cancel.ts";
import type { Sandbox } from "../types/sandbox.ts";
import type { Session, SessionSpec } from "../types/session.ts";
import type { ForkOptions, ImportOptions, SandboxSpec } from "../types/spec.ts";
import { completePathSpec } from "../options/spec.ts";
import { specContextOf } from "../options/spec-context.ts";
import { fork } from "./fork.ts";
import { creating, openSpec } from "./opening.ts";
import { orStoreFailed } from "../wiring/store-failed.ts";

const listFilter = fields(
  {
    status: someOf(statuses),
    labels: labelsOption,
    limit: integer({ min: 1, max: 1_000_000, default: 1_000_000 }),
  } satisfies Shape<ListFilter>,
  "list()",
);

const journalFilter = fields({
  after: integer({ min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 }),
  limit: integer({ min: 1, max: 100_000, default: 1_000 }),
} satisfies Shape<JournalFilter>);

export class LocalRuntime implements Runtime {
  readonly #engine: Engine;
  readonly #close: () => Promise<void>;
  #closing: Promise<void> | undefined;
  readonly batch: LocalBatches;
  readonly compile: Compile;
  readonly audit: AuditLog;
  readonly journal: EventJournal;
  readonly documents: LocalDocuments;
  readonly data: LocalData | null;
  readonly events: LocalEvents;

  constructor(engine: Engine, close: () => Promise<void>) {
    this.#engine = engine;
    this.#close = close;
    this.batch = new LocalBatches(engine, {
      create: (id, spec) => this.#create(id, spec),
      fork: (parents, options) => fork(engine, parents, options),
      destroy: (id) => this.destroy(id),
      get: (id) => this.get(id),
    });
    this.compile = new LocalCompile(engine);
    this.events = new LocalEvents(engine.parts.bus);
    this.documents = new LocalDocuments(engine);
    const { store } = engine.parts.config;
    this.data = store instanceof DataFolder ? new LocalData(engine, store) : null;
    this.journal = { entries: (filter, options) => awaited(this.#journalled(filter, options)) };
    this.audit = { query: async (filter) => engine.parts.audit.query(auditFilter.read(filter, "filter")) };
  }

  /** The limits of sandboxes that set none, under a profile; undefined for a runtime that is not of this process. */
  static usualLimits(runtime: object, profile?: string): Limits | undefined {
    if (!(#engine in runtime)) return undefined;
    const { profiles, ownLimits } = runtime.#engine.parts.config;
    return limitsUnder(profile === undefined ? profiles.usual : profiles.find(profile), ownLimits);
  }

  async create(...given: [SandboxSpec] | [string, SandboxSpec]): Promise<Sandbox> {
    return given.length === 1 ? this.#create(undefined, given[0]) : this.#create(given[0], given[1]);
  }

  async fork(parentId: string | readonly string[], options?: ForkOptions): Promise<Sandbox> {
    return fork(this.#engine, parentId, options);
  }

  async once<T = unknown>(source: string | Artifact, options: OnceOptions = {}): Promise<OnceOutcome<T>> {
    this.#engine.checkOpen("run code once");
    const plan = planOnce(source, options, specContextOf(this.#engine));
    return runOnce(this.#engine, { source, plan }, options);
  }

  async session(spec?: SessionSpec): Promise<Session> {
    this.#engine.checkOpen("begin a session");
    return openSession(this.#engine, spec);
  }

  async import(individual: Individual, options?: ImportOptions): Promise<Sandbox> {
    this.#engine.checkOpen("import an individual");
    const { config, sandboxes, bus } = this.#engine.parts;
    const { plan, bounds, lowered } = planImport(individual, options, config);
    const sandbox = await creating(this.#engine, { id: plan.id, bounds }, (signal) =>
      sandboxes.create({ ...plan, signal }),
    );
    if (Object.keys(lowered).length > 0) bus.emit("sandbox.limited", { sandboxId: sandbox.id, lowered });
    return new LocalSandbox(this.#engine, sandbox);
  }

  async get(id: string): Promise<Sandbox> {
    return new LocalSandbox(this.#engine, this.#require(id));
  }

  async has(id: string): Promise<boolean> {
    return this.#engine.parts.registry.has(parseSandboxId(id));
  }

  async info(id: string): Promise<SandboxInfo> {
    const { registry, config } = this.#engine.parts;
    const name = parseSandboxId(id);
    const sandbox = registry.find(name);
    if (sandbox !== undefined) return infoOf(sandbox, config.clock.monotonic());
    const tombstone = registry.tombstone(name);
    if (tombstone === undefined) throw new SandboxNotFoundError(id);
    return tombstone.info;
  }

  async list(filter?: ListFilter): Promise<readonly SandboxInfo[]> {
    listFilter.read(filter, "filter");
    const nowMs = this.#engine.parts.config.clock.monotonic();
    return this.#engine.parts.registry.list(filter ?? {}).map((sandbox) => infoOf(sandbox, nowMs));
  }

  async logs(id: string): Promise<readonly LogLine[]> {
    const { registry } = this.#engine.parts;
    const name = parseSandboxId(id);
    const lines = registry.find(name)?.logs.toArray() ?? registry.tombstone(name)?.logs;
    if (lines === undefined) throw new SandboxNotFoundError(id);
    return lines;
  }

  async restart(id: string, options?: CancelOptions): Promise<void> {
    this.#engine.checkOpen("restart a sandbox");
    return new LocalSandbox(this.#engine, this.#require(id)).restart(options);
  }

  async destroy(id: string, options?: CancelOptions): Promise<void> {
    this.#engine.checkOpen("destroy a sandbox");
    const known = parseSandboxId(id);
    return this.#within(options, `the destroy of sandbox "${known}"`, () => this.#destroy(known));
  }

  async #destroy(known: SandboxId): Promise<void> {
    const { removals } = this.#engine.parts.sandboxes.shared;
    // It is gone, but for the store. Another one of its id may live that is not stored.
    const isGone = !this.#engine.parts.registry.has(known);
    if (isGone && removals.has(known))
      return orStoreFailed(`remove sandbox "${known}"`, () => removals.retry(known));
    await this.#engine.parts.registry.require(known).destroy("destroyed by its owner");
  }

  async metrics(): Promise<RuntimeMetrics> {
    const { metrics, registry, table, cache, compiler, audit, bus } = this.#engine.parts;
    return {
      ...metrics.counters(),
      sandboxes: registry.countByStatus(),
      tombstones: registry.tombstones,
      runsUnderway: table.underway.size,
      cells: this.#cells(),
      compile: { ...cache.statistics(), restarts: compiler.restarts },
      audit: audit.statistics(),
      subscriberFailures: bus.subscriberFailures,
    };
  }

  async health(): Promise<Health> {
    return healthOf(this.#engine);
  }

  async collect(options?: CancelOptions): Promise<SweepReport> {
    this.#engine.checkOpen("collect");
    return this.#within(options, "the sweep", () => this.#engine.parts.collector.sweep("call"));
  }

  retention(policy: RetentionPolicy): () => void {
    this.#engine.checkOpen("add a policy");
    return this.#engine.parts.collector.retention.add(policy);
  }

  close(options?: CancelOptions): Promise<void> {
    if (options !== undefined) return this.#within(options, "the close of the runtime", () => this.close());
    this.#closing ??= awaited(this.#close().finally(() => this.events.release()));
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #create(id: unknown, spec: unknown): Promise<Sandbox> {
    this.#engine.checkOpen("create a sandbox");
    const plan = completePathSpec(id, spec, specContextOf(this.#engine));
    return new LocalSandbox(this.#engine, await openSpec(this.#engine, plan));
  }

  async #journalled(filter: unknown, options: unknown): ReturnType<EventJournal["entries"]> {
    this.#engine.checkOpen("read the journal");
    const { after, limit } = journalFilter.read(filter, "filter");
    const { journal } = this.#engine.parts.records;
    return this.#within(options, "the reading of the journal", async () => {
      return (await journal?.entries(after, limit)) ?? [];
    });
  }

  // Does something that goes on where its caller gives up.
  async #within<T>(options: unknown, what: string, act: () => Promise<T>): Promise<T> {
    const { clock } = this.#engine.parts.config;
    return bounded(readCancel(options), { clock, what }, act);
  }

  #cells(): RuntimeMetrics["cells"] {
    return this.#engine.parts.pool.queues.map((queue) => ({
      number: queue.number,
      pid: queue.cell.facts.pid,
      node: queue.cell.facts.node,
      rssBytes: queue.cell.rssBytes(),
      sandboxes: queue.sandboxes.size,
      inFlight: queue.inFlight,
      reserved: queue.isReserved,
      owner: queue.owner ?? null,
      blocked: queue.isBlocked,
    }));
  }

  #require(id: string): ManagedSandbox {
    return this.#engine.parts.registry.require(parseSandboxId(id));
  }
}

awaitMethods(LocalRuntime.prototype, ["close"]);
