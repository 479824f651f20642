// The handle of a sandbox on a server: each method is one request.
import type {
  AnswerOf,
  CallOptions,
  CallTarget,
  CancelOptions,
  HotReloadOptions,
  Individual,
  Limits,
  LogLine,
  MessageTo,
  ModuleProxy,
  Outcome,
  ProcessView,
  RecordedOutcome,
  Recording,
  ReloadModules,
  ReloadReport,
  Replay,
  RunOptions,
  Sandbox,
  SandboxInfo,
  SandboxStream,
  StateCapture,
  StreamOptions,
  TotalUsage,
  VersionInfo,
} from "../../index.ts";
import type { OperationId } from "../../contract/operations.ts";
import { RuntimeClosedError, SandboxNotFoundError, VersionNotFoundError } from "../../model/errors.ts";
import { parseModuleName, parseTarget } from "../../model/ids.ts";
import { functionText } from "../../model/runs/function-source.ts";
import { readGiven } from "../../model/schema.ts";
import { proxyOf } from "../../model/runs/module-proxy.ts";
import { waits } from "../../model/sandboxes/waits.ts";
import { show } from "../../model/show.ts";
import type { AnswerTo, Transport } from "../transport/transport.ts";
import { toChanges } from "../wire/modules.ts";
import { checkCallLimits, checkLimits, checkOptions } from "../wire/names.ts";
import { notRemote, refuseOptions, reloadAdvice } from "../wire/not-remote.ts";
import {
  boundsIn,
  callNames,
  readCancel,
  readRun,
  recordNames,
  sent,
  signalOption,
  toArgs,
  toMessage,
} from "../wire/options.ts";
import { toOutcome } from "../wire/outcomes.ts";
import { orGone, outcomeOf } from "./runs.ts";
import { RemoteStream } from "./stream.ts";

type RunOperation = "call" | "run" | "ask" | "send";

export class RemoteSandbox implements Sandbox {
  readonly id: string;
  readonly #transport: Transport;

  constructor(transport: Transport, id: string) {
    this.#transport = transport;
    this.id = id;
  }

  async call<T = unknown>(
    target: CallTarget,
    options?: CallOptions & { readonly record?: boolean },
  ): Promise<RecordedOutcome<T>> {
    const given = readGiven(options, "options", recordNames);
    parseTarget(target);
    checkCallLimits(given);
    const body = { ...sent(given, "args"), ...toArgs(given.args), target };
    return (await this.#run("call", given.signal, body)) as RecordedOutcome<T>;
  }

  async run<T>(what: unknown, options?: CallOptions): Promise<Outcome<T>> {
    const given = readGiven(options, "options", callNames);
    const code = typeof what === "string" ? { source: what } : { function: functionText(what) };
    const body = { ...sent(given, "args"), ...toArgs(given.args), ...code };
    return (await this.#run("run", given.signal, body)) as Outcome<T>;
  }

  stream<T = unknown>(target: CallTarget, options?: StreamOptions): SandboxStream<T> {
    return new RemoteStream<T>(this.#transport, this.id, { target, options });
  }

  module<T extends object>(name: string, options?: RunOptions): ModuleProxy<T> {
    const module = parseModuleName(name);
    readRun(options);
    return proxyOf((exported, args) => this.call(`${module}.${exported}`, { ...options, args }));
  }

  async hotReload(modules: ReloadModules, options?: HotReloadOptions): Promise<ReloadReport> {
    checkOptions(options, "reload");
    refuseOptions(options, reloadAdvice);
    const body = { ...sent(options), modules: toChanges(modules) };
    return this.#ask("reload", "reload", { options: boundsIn(options), body });
  }

  async rollback(module: string, version: number, options?: CancelOptions): Promise<ReloadReport> {
    parseModuleName(module, "the first argument of rollback()");
    const bounds = readCancel(options);
    return this.#ask("rollback", "rollback", { options: bounds, body: { ...sent(bounds), module, version } });
  }

  async rollbackTo(revision: number, options?: CancelOptions): Promise<ReloadReport> {
    const bounds = readCancel(options);
    return this.#ask("rollback", "rollback", { options: bounds, body: { ...sent(bounds), revision } });
  }

  async version(module: string): Promise<number> {
    const current = (await this.history(module)).find((version) => version.current);
    if (current === undefined)
      throw new VersionNotFoundError(`module ${show(module)} in sandbox "${this.id}"`);
    return current.version;
  }

  async versions(module: string): Promise<readonly number[]> {
    return (await this.history(module)).map(({ version }) => version);
  }

  async history(module: string): Promise<readonly VersionInfo[]> {
    const query = { module: parseModuleName(module) };
    const { versions } = await this.#read("listVersions", query);
    return versions;
  }

  async source(module: string, version?: number): Promise<string> {
    const { source } = await this.#read("getSource", { module: parseModuleName(module), version });
    return source;
  }

  async diff(module: string, from: number, to: number): Promise<string> {
    const { diff } = await this.#read("getDiff", { module: parseModuleName(module), from, to });
    return diff;
  }

  async replay(recording: Recording, options?: CancelOptions): Promise<Replay> {
    const bounds = readCancel(options);
    const replayed = await this.#ask("replay", "replay", {
      options: bounds,
      body: { ...sent(bounds), recording },
    });
    return { ...replayed, outcome: toOutcome(replayed.outcome) };
  }

  async processes(options?: CancelOptions): Promise<readonly ProcessView[]> {
    const { processes } = await this.#ask("listProcesses", "processes", { options });
    return processes;
  }

  ask<S = unknown>(
    name: string,
    message: MessageTo<S, "call">,
    options?: RunOptions,
  ): Promise<Outcome<AnswerOf<S>>> {
    return this.#tell("ask", { name, message, options }) as Promise<Outcome<AnswerOf<S>>>;
  }

  send<S = unknown>(
    name: string,
    message: MessageTo<S, "cast">,
    options?: RunOptions,
  ): Promise<Outcome<void>> {
    return this.#tell("send", { name, message, options }) as Promise<Outcome<void>>;
  }

  async checkpoint(options?: CancelOptions): Promise<StateCapture> {
    return this.#ask("checkpoint", "checkpoint", { options });
  }

  async captureState(options?: CancelOptions): Promise<StateCapture> {
    return this.#ask("captureState", "capture", { options });
  }

  async restoreState(capture: StateCapture, options?: CancelOptions): Promise<void> {
    const bounds = readCancel(options);
    await this.#ask("restoreState", "restore", {
      options: bounds,
      body: { ...sent(bounds), state: capture },
    });
  }

  async suspend(options?: CancelOptions): Promise<void> {
    await this.#ask("suspendSandbox", "suspend", { options });
  }

  async resume(options?: CancelOptions): Promise<void> {
    await this.#ask("resumeSandbox", "resume", { options });
  }

  async autoReload(_isOn: boolean): Promise<void> {
    const rule = "be done beside the files: the server follows none; call hotReload() when they change";
    throw notRemote(`follow the files of sandbox "${this.id}"`, rule);
  }

  async export(options?: CancelOptions): Promise<Individual> {
    return this.#ask("exportSandbox", "export", { options });
  }

  async usage(options?: CancelOptions): Promise<TotalUsage> {
    return this.#ask("getUsage", "usage", { options });
  }

  async updateLimits(
    limits: Partial<Limits>,
    options?: CancelOptions,
  ): Promise<{ readonly limits: Limits; readonly rebuilt: boolean }> {
    const bounds = readCancel(options);
    checkLimits(limits);
    return this.#ask("updateLimits", "limits", { options: bounds, body: { ...sent(bounds), limits } });
  }

  async info(): Promise<SandboxInfo> {
    return this.#read("getSandbox", {});
  }

  async logs(): Promise<readonly LogLine[]> {
    const { logs } = await this.#read("getLogs", {});
    return logs;
  }

  async restart(options?: CancelOptions): Promise<void> {
    await this.#ask("restartSandbox", "restart", { options });
  }

  async destroy(options?: CancelOptions): Promise<void> {
    await this.#ask("destroySandbox", "destroy", { options });
  }

  /** As `destroy`; a sandbox that is gone already, or whose runtime is, is no mistake here. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#transport.isClosed) return;
    try {
      await this.destroy();
    } catch (error) {
      if (!(error instanceof SandboxNotFoundError || error instanceof RuntimeClosedError)) throw error;
    }
  }

  async #tell(
    kind: "ask" | "send",
    { options, ...told }: { readonly name: string; readonly message: unknown; readonly options: unknown },
  ): Promise<Outcome> {
    const given = readRun(options);
    return this.#run(kind, given.signal, { ...sent(given), name: told.name, ...toMessage(told.message) });
  }

  #run(id: RunOperation, given: unknown, body: object): Promise<Outcome> {
    const signal = signalOption.read(given, "signal");
    const what = `call sandbox "${this.id}"`;
    const transport = this.#transport;
    const ask = { id, what, noun: "the run", params: { id: this.id }, body, bounds: { signal } } as const;
    return orGone(transport, this.id, () =>
      outcomeOf(transport, { signal, what }, () => transport.json(ask)),
    );
  }

  // What only looks; it waits for nothing that its caller would bound.
  #read<Id extends OperationId>(id: Id, query: Readonly<Record<string, unknown>>): Promise<AnswerTo<Id>> {
    return this.#transport.json({
      id,
      what: `describe sandbox "${this.id}"`,
      params: { id: this.id },
      query,
    });
  }

  // What callers may bound; without a body its bounds are all that there is to say.
  async #ask<Id extends OperationId>(
    id: Id,
    wait: keyof typeof waits,
    { options, body }: { readonly options: unknown; readonly body?: object },
  ): Promise<AnswerTo<Id>> {
    const { verb, noun } = waits[wait];
    const bounds = readCancel(options);
    const hasQuery = queried.has(id);
    return this.#transport.json({
      id,
      what: `${verb} sandbox "${this.id}"`,
      noun: `${noun} of sandbox "${this.id}"`,
      params: { id: this.id },
      ...(hasQuery ? { query: sent(bounds) } : { body: body ?? sent(bounds) }),
      bounds,
    });
  }
}

/** Operations whose deadline stands in the address. */
const queried: ReadonlySet<OperationId> = new Set([
  "destroySandbox",
  "exportSandbox",
  "getUsage",
  "listProcesses",
  "captureState",
] as const);
