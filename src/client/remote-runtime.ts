// A runtime on a server, as its callers hold it.
import type {
  Artifact,
  CancelOptions,
  ForkOptions,
  Health,
  ImportOptions,
  Individual,
  ListFilter,
  LogLine,
  OnceOptions,
  OnceOutcome,
  RetentionPolicy,
  RuntimeMetrics,
  Sandbox,
  SandboxInfo,
  SandboxSpec,
  Session,
  SessionSpec,
  SweepReport,
} from "../index.ts";
import type { About } from "../contract/bodies.ts";
import type { IndividualReport, IndividualsPage, RunEntry } from "../contract/evolution-bodies.ts";
import type { OnceAnswer } from "../contract/run-bodies.ts";
import type { LineageReport, PopulationReport } from "../evolution/reports.ts";
import { SandboxNotFoundError } from "../model/errors.ts";
import { parseSandboxId } from "../model/ids.ts";
import { func, isRecord } from "../model/schema.ts";
import { uniqueText } from "../std/portable.ts";
import { waits } from "../model/sandboxes/waits.ts";
import { RemoteBatches } from "./batches/batches.ts";
import { RemoteCompile } from "./handles/compile.ts";
import { RemoteEventStream, type EventListeners } from "./handles/events.ts";
import { RemoteEvolution } from "./handles/evolution.ts";
import { RemoteAudit, RemoteData, RemoteDocuments, RemoteJournal } from "./handles/records.ts";
import { outcomeOf } from "./handles/runs.ts";
import { RemoteSandbox } from "./handles/sandbox.ts";
import { linedOutcome, RemoteSession } from "./handles/session.ts";
import type { Ask, Transport } from "./transport/transport.ts";
import type {
  IndividualsOptions,
  LineageOptions,
  PopulationOptions,
  RemoteEvents,
  RemoteRuntime,
} from "./types.ts";
import { onceSource, toSources, toWireSpec } from "./wire/modules.ts";
import { checkOptions, listFilter } from "./wire/names.ts";
import { notRemote } from "./wire/not-remote.ts";
import { boundsIn, readCancel, sent, signalOption, toArgs } from "./wire/options.ts";

/** After how long a sandbox is destroyed that was not there when its creation was given up. */
const forgetMs = 250;
const outputOption = func<(line: LogLine) => void>();

export class ConnectedRuntime implements RemoteRuntime {
  readonly about: About;
  readonly batch: RemoteBatches;
  readonly compile: RemoteCompile;
  readonly events: RemoteEvents;
  readonly audit: RemoteAudit;
  readonly journal: RemoteJournal;
  readonly documents: RemoteDocuments;
  readonly data: RemoteData | null;
  readonly #transport: Transport;
  readonly #events: RemoteEventStream;
  readonly #evolution: RemoteEvolution;

  constructor(transport: Transport, about: About, listeners: EventListeners) {
    this.#transport = transport;
    this.about = about;
    this.batch = new RemoteBatches(transport, about.tenant);
    this.compile = new RemoteCompile(transport);
    this.events = this.#events = new RemoteEventStream(transport, listeners);
    this.#evolution = new RemoteEvolution(transport);
    this.audit = new RemoteAudit(transport);
    this.journal = new RemoteJournal(transport);
    this.documents = new RemoteDocuments(transport);
    this.data = about.stored ? new RemoteData(transport) : null;
  }

  async create(...given: [SandboxSpec] | [string, SandboxSpec]): Promise<Sandbox> {
    const [id, spec] = given.length === 1 ? [undefined, given[0]] : given;
    const what = "create a sandbox";
    this.#transport.checkOpen(what);
    const bounds = boundsIn(spec);
    const wire = await toWireSpec(spec, { signal: bounds.signal });
    const named = id === undefined ? this.#named() : { id: parseSandboxId(id), undo: undefined };
    const body = { ...wire, id: named.id };
    return this.#made({ id: "createSandbox", what, noun: creationOf(id), body, bounds, undo: named.undo });
  }

  async fork(parentId: string | readonly string[], options?: ForkOptions): Promise<Sandbox> {
    checkOptions(options, "fork");
    const given: readonly string[] = typeof parentId === "string" ? [parentId] : parentId;
    const parentIds = Array.isArray(given)
      ? given.map((id: unknown) => parseSandboxId(id))
      : [parseSandboxId(given)];
    const modules = options?.modules === undefined ? {} : { modules: toSources(options.modules) };
    const { undo, ...named } = options?.id === undefined ? this.#named() : { undo: undefined };
    const body = { ...sent(options), ...named, ...modules, parentIds };
    const noun = creationOf(options?.id);
    const bounds = boundsIn(options);
    return this.#made({ id: "forkSandbox", what: "fork a sandbox", noun, body, bounds, undo });
  }

  async once<T = unknown>(source: string | Artifact, options?: OnceOptions): Promise<OnceOutcome<T>> {
    const what = "run code once";
    this.#transport.checkOpen(what);
    checkOptions(options, "once");
    const onOutput = outputOption.read(options?.onOutput, "options.onOutput");
    const signal = signalOption.read(options?.signal, "signal");
    const body = {
      ...sent(options, "args", "onOutput"),
      ...toArgs(options?.args),
      source: onceSource(source),
    };
    const ask = { id: "once", what, noun: "the run", body, bounds: { signal } } as const;
    const output: LogLine[] = [];
    const outcome = await outcomeOf(this.#transport, { signal, what }, () =>
      onOutput === undefined
        ? this.#transport.json(ask)
        : linedOutcome<"once", OnceAnswer>(this.#transport, ask, (line) => {
            output.push(line);
            return onOutput(line);
          }),
    );
    // One that was given up here has no more than came until then.
    return { output, ...outcome } as OnceOutcome<T>;
  }

  async session(spec: SessionSpec = {}): Promise<Session> {
    const what = "begin a session";
    this.#transport.checkOpen(what);
    const onOutput = outputOption.read(isRecord(spec) ? spec.onOutput : undefined, "spec.onOutput");
    const bounds = boundsIn(spec);
    const wire = await toWireSpec(spec, { signal: bounds.signal, isSession: true });
    const { undo, ...named } = spec.id === undefined ? this.#named() : { undo: undefined };
    const body = { ...wire, ...named };
    const ids = await this.#transport.json({
      id: "openSession",
      what,
      noun: creationOf(spec.id),
      body,
      bounds,
      undo,
    });
    return new RemoteSession(this.#transport, ids, onOutput);
  }

  async import(individual: Individual, options?: ImportOptions): Promise<Sandbox> {
    checkOptions(options, "import");
    const body = { ...sent(options), individual };
    const what = "import an individual";
    const noun = creationOf(options?.id);
    return this.#made({ id: "importSandbox", what, noun, body, bounds: boundsIn(options) });
  }

  async get(id: string): Promise<Sandbox> {
    const known = parseSandboxId(id);
    await this.#info(known, { living: true });
    return new RemoteSandbox(this.#transport, known);
  }

  async has(id: string): Promise<boolean> {
    try {
      await this.#info(parseSandboxId(id), { living: true });
      return true;
    } catch (error) {
      if (error instanceof SandboxNotFoundError) return false;
      throw error;
    }
  }

  async info(id: string): Promise<SandboxInfo> {
    return this.#info(parseSandboxId(id), {});
  }

  async list(filter?: ListFilter): Promise<readonly SandboxInfo[]> {
    const { labels, ...rest } = listFilter.read(filter, "filter");
    const label =
      labels === undefined ? [] : Object.entries(labels).map(([name, value]) => `${name}=${value}`);
    const query = { ...rest, label };
    const { sandboxes } = await this.#transport.json({ id: "listSandboxes", what: "list sandboxes", query });
    return sandboxes;
  }

  async logs(id: string): Promise<readonly LogLine[]> {
    return new RemoteSandbox(this.#transport, parseSandboxId(id)).logs();
  }

  async restart(id: string, options?: CancelOptions): Promise<void> {
    this.#transport.checkOpen("restart a sandbox");
    await new RemoteSandbox(this.#transport, parseSandboxId(id)).restart(options);
  }

  async destroy(id: string, options?: CancelOptions): Promise<void> {
    this.#transport.checkOpen("destroy a sandbox");
    const known = parseSandboxId(id);
    const bounds = readCancel(options);
    const noun = `${waits.destroy.noun} of sandbox "${known}"`;
    const params = { id: known };
    const query = sent(bounds);
    await this.#transport.json({
      id: "destroySandbox",
      what: "destroy a sandbox",
      noun,
      params,
      query,
      bounds,
    });
  }

  async metrics(): Promise<RuntimeMetrics> {
    return this.#transport.json({ id: "getMetrics", what: "read the metrics" });
  }

  async health(): Promise<Health> {
    return this.#transport.json({ id: "getHealth", what: "read the health" });
  }

  async collect(options?: CancelOptions): Promise<SweepReport> {
    const bounds = readCancel(options);
    return this.#transport.json({
      id: "collect",
      what: "collect",
      noun: "the sweep",
      body: sent(bounds),
      bounds,
    });
  }

  lineage(id: string, options?: LineageOptions): Promise<LineageReport> {
    return this.#evolution.lineage(id, options);
  }

  population(options?: PopulationOptions): Promise<PopulationReport> {
    return this.#evolution.population(options);
  }

  individuals(options?: IndividualsOptions): Promise<IndividualsPage> {
    return this.#evolution.individuals(options);
  }

  individual(id: string, options?: CancelOptions): Promise<IndividualReport> {
    return this.#evolution.individual(id, options);
  }

  runs(options?: CancelOptions): Promise<readonly RunEntry[]> {
    return this.#evolution.runs(options);
  }

  retention(_policy: RetentionPolicy): never {
    const rule =
      "be asked at each sweep of the server: it cannot travel; destroy sandboxes by what list() says";
    throw notRemote("add a policy of retention", rule);
  }

  async close(_options?: CancelOptions): Promise<void> {
    readCancel(_options);
    this.#events.close();
    this.#transport.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #info(id: string, query: { readonly living?: boolean }): Promise<SandboxInfo> {
    return this.#transport.json({ id: "getSandbox", what: `find sandbox "${id}"`, params: { id }, query });
  }

  // The id of a sandbox that its caller gave none: nobody else has it, so that it can be destroyed unseen where the creation is
  // given up while its answer is on the way.
  #named(): { readonly id: string; readonly undo: () => void } {
    const { tenant } = this.about;
    const id = `${tenant === null ? "" : `${tenant}:`}sandbox-${uniqueText()}`;
    return { id, undo: () => void this.#forget(id).catch(() => {}) };
  }

  // Once more where the server may have had the creation only after the first time.
  async #forget(id: string): Promise<void> {
    try {
      await this.destroy(id);
    } catch (error) {
      if (!(error instanceof SandboxNotFoundError)) throw error;
      this.#transport.clock.after(forgetMs, () => void this.destroy(id).catch(() => {}));
    }
  }

  async #made(ask: Ask<"createSandbox" | "forkSandbox" | "importSandbox">): Promise<Sandbox> {
    const { id } = await this.#transport.json(ask);
    return new RemoteSandbox(this.#transport, id);
  }
}

function creationOf(id: unknown): string {
  return typeof id === "string" ? `the creation of sandbox "${id}"` : "the creation of the sandbox";
}
