// The runtime in this process: one line per method where there is not more to say.
import type { Artifact } from "../code/artifact.ts";
import { LoadError, SandboxNotFoundError } from "../model/errors.ts";
import { parseSandboxId } from "../model/ids.ts";
import type { LogLine } from "../model/log-line.ts";
import type { GuestFailure, Outcome } from "../model/outcome.ts";
import type { SandboxInfo } from "../model/sandbox-info.ts";
import { statuses } from "../model/status.ts";
import { unusedAfter } from "../model/usage.ts";
import type { Events } from "../observability/bus.ts";
import type { SweepReport } from "../orchestration/collector.ts";
import type { ListFilter } from "../orchestration/registry.ts";
import type { Resident } from "../orchestration/resident.ts";
import type { Engine } from "./engine.ts";
import { LocalBatches } from "./local-batches.ts";
import { LocalSandbox } from "./local-sandbox.ts";
import { LocalCompile } from "./local-compile.ts";
import { readFields, readFunction, readInteger, readSignal, readTexts, readWords } from "./options.ts";
import { runNames } from "./run-request.ts";
import type {
  Compile,
  ForkOptions,
  Health,
  OnceOptions,
  OnceOutcome,
  Runtime,
  RuntimeMetrics,
  SandboxSpec,
} from "./runtime.ts";
import type { Sandbox } from "./sandbox.ts";
import { completeSpec, readModule, readModules, readMutation } from "./spec.ts";

const onceModule = "main";
const onceNames = [...runNames, "limits", "deterministic", "onOutput"];

export class LocalRuntime implements Runtime {
  readonly #engine: Engine;
  readonly #close: () => Promise<void>;
  #closing: Promise<void> | undefined;
  readonly batch: LocalBatches;
  readonly compile: Compile;

  constructor(engine: Engine, close: () => Promise<void>) {
    this.#engine = engine;
    this.#close = close;
    this.batch = new LocalBatches(engine, {
      create: (id, spec) => this.#create(id, spec),
      destroy: (id) => this.destroy(id),
    });
    this.compile = new LocalCompile(engine);
  }

  get events(): Events {
    return this.#engine.parts.bus;
  }

  async create(...given: [SandboxSpec] | [string, SandboxSpec]): Promise<Sandbox> {
    return given.length === 1 ? this.#create(undefined, given[0]) : this.#create(given[0], given[1]);
  }

  async fork(parentId: string, options?: ForkOptions): Promise<Sandbox> {
    this.#engine.checkOpen("fork a sandbox");
    const given = readFields(options, "options", ["id", "modules", "mutation", "signal"]);
    const parent = this.#require(parentId);
    const changed = given["modules"] === undefined ? [] : readModules(given["modules"]);
    const modules = Object.fromEntries<string | Artifact>([...parent.modules, ...changed]);
    const { seed, now } = parent.character.deterministic ?? {};
    const signal = readSignal(given["signal"], "signal");
    const plan = completeSpec(given["id"], { modules }, this.#specContext());
    const resident = await this.#engine.parts.lifecycle.create({
      ...plan,
      limits: parent.limits,
      labels: parent.labels,
      character: { deterministic: seed === undefined || now === undefined ? null : { seed, now } },
      ancestry: {
        parentIds: [parent.id],
        generation: parent.ancestry.generation + 1,
        mutation: readMutation(given["mutation"]),
        depth: parent.ancestry.depth + 1,
      },
      signal,
    });
    return new LocalSandbox(this.#engine, resident);
  }

  async once<T = unknown>(source: string | Artifact, options?: OnceOptions): Promise<OnceOutcome<T>> {
    const given = readFields(options, "options", onceNames) as OnceOptions;
    const { limits, deterministic, onOutput, ...rest } = given;
    readFunction(onOutput, "options.onOutput");
    const module = readModule(source, "source");
    const spec = {
      modules: { [onceModule]: module },
      ...defined({ limits, deterministic, signal: rest.signal }),
    };
    const plan = completeSpec(undefined, spec, this.#specContext());
    this.#engine.checkOpen("run code once");
    let resident: Resident | undefined;
    const stopListening =
      onOutput === undefined
        ? undefined
        : this.#engine.parts.runs.onLine((from, line) => {
            if (from.id === plan.id) onOutput(line);
          });
    try {
      resident = await this.#engine.parts.lifecycle.create(plan);
      const hasDefault = resident.modules.get(onceModule)?.exports.includes("default") === true;
      const sandbox = new LocalSandbox(this.#engine, resident);
      const outcome = hasDefault
        ? await sandbox.call<T>(`${onceModule}.default`, rest)
        : nothing<T>(resident);
      return { ...outcome, output: resident.logs.toArray() };
    } catch (error) {
      const stillborn = this.#engine.parts.registry.find(plan.id);
      if (!(error instanceof LoadError)) throw error;
      return {
        ok: false,
        error: failureOf(error),
        usage: unusedAfter(0),
        logs: [],
        output: stillborn?.logs.toArray() ?? [],
      };
    } finally {
      stopListening?.();
      const left = resident ?? this.#engine.parts.registry.find(plan.id);
      if (left !== undefined) await this.#engine.parts.lifecycle.destroy(left, "it ran once");
    }
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
    const info = registry.find(name)?.toInfo(config.clock.monotonic()) ?? registry.tombstone(name)?.info;
    if (info === undefined) throw new SandboxNotFoundError(id);
    return info;
  }

  async list(filter?: ListFilter): Promise<readonly SandboxInfo[]> {
    const given = readFields(filter, "filter", ["status", "labels", "limit"]);
    readWords(given["status"], "filter.status", statuses);
    readTexts(given["labels"], "filter.labels");
    readInteger(given, { path: "filter", name: "limit" }, { min: 1, max: 1_000_000, default: 1_000_000 });
    const nowMs = this.#engine.parts.config.clock.monotonic();
    return this.#engine.parts.registry.list(filter ?? {}).map((resident) => resident.toInfo(nowMs));
  }

  async logs(id: string): Promise<readonly LogLine[]> {
    const { registry } = this.#engine.parts;
    const name = parseSandboxId(id);
    const lines = registry.find(name)?.logs.toArray() ?? registry.tombstone(name)?.logs;
    if (lines === undefined) throw new SandboxNotFoundError(id);
    return lines;
  }

  async restart(id: string): Promise<void> {
    this.#engine.checkOpen("restart a sandbox");
    await this.#engine.parts.lifecycle.restart(this.#require(id));
  }

  async destroy(id: string): Promise<void> {
    this.#engine.checkOpen("destroy a sandbox");
    await this.#engine.parts.lifecycle.destroy(this.#require(id), "destroyed by its owner");
  }

  async metrics(): Promise<RuntimeMetrics> {
    const { metrics, registry, runs, cache, compiler, bus } = this.#engine.parts;
    return {
      ...metrics.counters(),
      sandboxes: registry.countByStatus(),
      tombstones: registry.tombstones,
      runsUnderway: runs.underway.size,
      cells: this.#cells(),
      compile: { ...cache.statistics(), restarts: compiler.restarts },
      subscriberFailures: bus.subscriberFailures,
    };
  }

  async health(): Promise<Health> {
    const { pool, config } = this.#engine.parts;
    const ready = pool.queues.length;
    const wanted = config.cells.count + config.cells.spare;
    const facts = pool.queues[0]?.cell.facts;
    const status = this.#engine.isClosed
      ? "closed"
      : ready === 0
        ? "down"
        : ready < config.cells.count
          ? "degraded"
          : "ok";
    const layers = [
      "isolate",
      "process",
      "watchdog",
      ...(facts === undefined ? [] : [`slate:${facts.slate}`, `tether:${facts.tether}`]),
    ];
    return {
      status,
      cells: { ready, wanted, starting: pool.isStarting },
      unavailable: pool.unavailable?.message ?? null,
      layers,
    };
  }

  async collect(): Promise<SweepReport> {
    this.#engine.checkOpen("collect");
    return this.#engine.parts.collector.sweep();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #create(id: unknown, spec: SandboxSpec): Promise<Sandbox> {
    this.#engine.checkOpen("create a sandbox");
    const plan = completeSpec(id, spec, this.#specContext());
    return new LocalSandbox(this.#engine, await this.#engine.parts.lifecycle.create(plan));
  }

  #cells(): RuntimeMetrics["cells"] {
    return this.#engine.parts.pool.queues.map((queue) => ({
      number: queue.number,
      pid: queue.cell.facts.pid,
      node: queue.cell.facts.node,
      rssBytes: queue.cell.rssBytes(),
      sandboxes: queue.residents.size,
      inFlight: queue.inFlight,
      isReserved: queue.isReserved,
      isBlocked: queue.isBlocked,
    }));
  }

  #require(id: string): Resident {
    return this.#engine.parts.registry.require(parseSandboxId(id));
  }

  #specContext(): Parameters<typeof completeSpec>[2] {
    const { config, registry } = this.#engine.parts;
    return {
      limits: config.limits,
      now: () => config.clock.now(),
      depthOf: (parentId) => {
        const id = parseSandboxId(parentId);
        return (registry.find(id)?.ancestry ?? registry.tombstone(id)?.info.ancestry)?.depth ?? 0;
      },
    };
  }
}

// A module without a default export has done its work when it was loaded.
function nothing<T>(resident: Resident): Outcome<T> {
  return { ok: true, value: undefined as T, usage: unusedAfter(0), logs: resident.logs.toArray() };
}

function failureOf(error: LoadError): GuestFailure {
  if (error.failure !== undefined) return error.failure;
  const kind = error.stage === "parse" || error.stage === "compile" ? "compile" : "load";
  return { kind, message: error.message, diagnostics: error.diagnostics };
}

function defined<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
