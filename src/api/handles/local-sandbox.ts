// The handle of a sandbox in this process's runtime. It means one sandbox for good, and not a later one of the same id.
import { SandboxNotFoundError } from "../../model/errors.ts";
import { parseModuleName } from "../../model/ids.ts";
import type { Individual } from "../../model/sandboxes/individual.ts";
import type { Limits } from "../../model/limits.ts";
import type { LogLine } from "../../model/runs/log-line.ts";
import type { Outcome } from "../../model/runs/outcome.ts";
import type { ProcessView, StateCapture } from "../../model/sandboxes/process.ts";
import type { Recording } from "../../model/sandboxes/recording.ts";
import type { SandboxInfo, TotalUsage } from "../../model/sandboxes/sandbox-info.ts";
import type { ReloadChanges, ReloadReport } from "../../orchestration/reload/reload-plan.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import type { Cancellable } from "../../orchestration/sandboxes/operations/operations.ts";
import { infoOf } from "../../orchestration/sandboxes/info.ts";
import type { Engine } from "../wiring/engine.ts";
import { readCancel } from "../options/cancellation.ts";
import { signal } from "../options/options.ts";
import { awaited, awaitMethods } from "../../std/keep-alive.ts";
import { startCall } from "./call.ts";
import {
  captureStates,
  checkpointNow,
  describeProcesses,
  restoreStates,
  sampleUsage,
  tellProcess,
} from "./local-processes.ts";
import { shipAny } from "../scripts/ship.ts";
import { dryRun } from "./dry-run.ts";
import { streamOf } from "./local-stream.ts";
import { proxyOf } from "../../model/runs/module-proxy.ts";
import { recordRun, replayRun } from "./recorder.ts";
import { failed } from "../../model/runs/unbegun.ts";
import {
  calleeOf,
  readCallFields,
  readRecordedFields,
  readRunFields,
  type Callee,
  type RunFields,
} from "../options/run-options.ts";
import {
  changesTo,
  currentVersion,
  diffOf,
  findVersion,
  historyOf,
  readReload,
  setAutoReload,
  sourceOf,
} from "./local-versions.ts";
import type { CancelOptions } from "../types/cancel.ts";
import { changeLimits, exportOf, rollBack } from "./sandbox-changes.ts";
import { waits } from "../../model/sandboxes/waits.ts";
import { waitFor } from "./sandbox-waits.ts";
import type {
  AnswerOf,
  CallOptions,
  HotReloadOptions,
  MessageTo,
  ModuleProxy,
  RecordedOutcome,
  ReloadModules,
  Replay,
  RunOptions,
  Sandbox,
  SandboxStream,
  StreamOptions,
  VersionInfo,
} from "../types/sandbox.ts";

export class LocalSandbox implements Sandbox {
  readonly #engine: Engine;
  readonly #sandbox: ManagedSandbox;
  readonly #isPrivileged: boolean;

  /** A privileged handle may call while a reload is under way. */
  constructor(engine: Engine, sandbox: ManagedSandbox, isPrivileged = false) {
    this.#engine = engine;
    this.#sandbox = sandbox;
    this.#isPrivileged = isPrivileged;
  }

  get id(): string {
    return this.#sandbox.id;
  }

  call<T = unknown>(
    target: `${string}.${string}`,
    options?: CallOptions & { readonly record?: boolean },
  ): Promise<RecordedOutcome<T>> {
    try {
      const fields = readRecordedFields(options);
      const callee = calleeOf(target);
      const outcome =
        fields.record === true
          ? awaited(recordRun(this.#engine, this.#living("record a run of"), { callee, fields }))
          : this.#start(callee, fields);
      return outcome as Promise<RecordedOutcome<T>>;
    } catch (error) {
      return this.#engine.refuseRun(this.id, target, error);
    }
  }

  async replay(recording: Recording, options?: CancelOptions): Promise<Replay> {
    return this.#within("replay", options, (sandbox, { signal }) =>
      replayRun(this.#engine, sandbox, { recording, signal }),
    );
  }

  async run<T>(what: unknown, options?: CallOptions): Promise<Outcome<T>> {
    try {
      const fields = readCallFields(options);
      this.#engine.checkOpen(`call sandbox "${this.id}"`);
      const isPrivileged = this.#isPrivileged;
      const ended = signal.read(fields.signal, "signal");
      const callee = await shipAny(this.#engine, this.#sandbox, { what, isPrivileged, ended });
      if ("kind" in callee) return failed(callee);
      return (await this.#start(callee, fields)) as Outcome<T>;
    } catch (error) {
      return this.#engine.refuseRun(this.id, typeof what === "string" ? "(script)" : "(function)", error);
    }
  }

  stream<T = unknown>(target: `${string}.${string}`, options?: StreamOptions): SandboxStream<T> {
    return streamOf(this.#engine, this.#sandbox, { target, options, isPrivileged: this.#isPrivileged });
  }

  module<T extends object>(name: string, options?: RunOptions): ModuleProxy<T> {
    const module = parseModuleName(name);
    readRunFields(options);
    return proxyOf((name, args) => this.call(`${module}.${name}`, { ...options, args }));
  }

  async hotReload(modules: ReloadModules, options?: HotReloadOptions): Promise<ReloadReport> {
    const sandbox = this.#living("reload");
    const input = readReload(modules, options, new LocalSandbox(this.#engine, sandbox, true));
    return waitFor(this.#engine, { sandbox, wait: waits.reload, bounds: input }, (signal) =>
      input.dryRun ? dryRun(this.#engine, sandbox, { ...input, signal }) : sandbox.reload(input, { signal }),
    );
  }

  async rollback(module: string, version: number, options?: CancelOptions): Promise<ReloadReport> {
    return this.#rollBack(options, (sandbox) => {
      parseModuleName(module, "the first argument of rollback()");
      currentVersion(sandbox, module);
      findVersion(sandbox, module, version);
      return new Map([[module, { version }]]);
    });
  }

  async rollbackTo(revision: number, options?: CancelOptions): Promise<ReloadReport> {
    return this.#rollBack(options, (sandbox) => changesTo(sandbox, revision));
  }

  async version(module: string): Promise<number> {
    return currentVersion(this.#sandbox, module).version;
  }

  async versions(module: string): Promise<readonly number[]> {
    return historyOf(this.#sandbox, module).map(({ version }) => version);
  }

  async history(module: string): Promise<readonly VersionInfo[]> {
    return historyOf(this.#sandbox, module);
  }

  async source(module: string, version?: number): Promise<string> {
    return sourceOf(this.#sandbox, module, version);
  }

  async diff(module: string, from: number, to: number): Promise<string> {
    const before = findVersion(this.#sandbox, module, from);
    return diffOf(before, findVersion(this.#sandbox, module, to), this.#sandbox.placement.tenant);
  }

  async processes(options?: CancelOptions): Promise<readonly ProcessView[]> {
    return this.#within("processes", options, describeProcesses);
  }

  ask<S = unknown>(
    name: string,
    message: MessageTo<S, "call">,
    options?: RunOptions,
  ): Promise<Outcome<AnswerOf<S>>> {
    return this.#tell("ask", name, { message, options }) as Promise<Outcome<AnswerOf<S>>>;
  }

  send<S = unknown>(
    name: string,
    message: MessageTo<S, "cast">,
    options?: RunOptions,
  ): Promise<Outcome<void>> {
    return this.#tell("send", name, { message, options }) as Promise<Outcome<void>>;
  }

  async checkpoint(options?: CancelOptions): Promise<StateCapture> {
    return this.#within("checkpoint", options, checkpointNow);
  }

  async captureState(options?: CancelOptions): Promise<StateCapture> {
    return this.#within("capture", options, captureStates);
  }

  async restoreState(capture: StateCapture, options?: CancelOptions): Promise<void> {
    return this.#within("restore", options, (sandbox, ended) => restoreStates(sandbox, capture, ended));
  }

  async suspend(options?: CancelOptions): Promise<void> {
    return this.#within("suspend", options, (sandbox, ended) => sandbox.suspend(ended));
  }

  async resume(options?: CancelOptions): Promise<void> {
    return this.#within("resume", options, (sandbox, ended) => sandbox.resume(ended));
  }

  async autoReload(isOn: boolean): Promise<void> {
    setAutoReload(this.#engine, this.#living("follow the files of"), isOn);
  }

  async export(options?: CancelOptions): Promise<Individual> {
    return this.#within("export", options, (sandbox) => exportOf(this.#engine, sandbox));
  }

  async usage(options?: CancelOptions): Promise<TotalUsage> {
    return this.#within("usage", options, sampleUsage);
  }

  async updateLimits(
    limits: Partial<Limits>,
    options?: CancelOptions,
  ): Promise<{ readonly limits: Limits; readonly rebuilt: boolean }> {
    return this.#within("limits", options, (sandbox, ended) => changeLimits(sandbox, limits, ended));
  }

  async info(): Promise<SandboxInfo> {
    return infoOf(this.#sandbox, this.#engine.parts.config.clock.monotonic());
  }

  async logs(): Promise<readonly LogLine[]> {
    return this.#sandbox.logs.toArray();
  }

  async restart(options?: CancelOptions): Promise<void> {
    return this.#within("restart", options, (sandbox, ended) => sandbox.restart(ended));
  }

  async destroy(options?: CancelOptions): Promise<void> {
    return this.#within("destroy", options, (sandbox) => sandbox.destroy("destroyed by its owner"));
  }

  /** As `destroy`; a sandbox that is gone already, or whose runtime is, is no mistake here. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#engine.isClosed) await this.#sandbox.destroy("its handle was disposed");
  }

  #start(callee: Callee, fields: RunFields): Promise<Outcome> {
    return startCall(this.#engine, this.#sandbox, { callee, fields, isPrivileged: this.#isPrivileged });
  }

  #tell(
    kind: "ask" | "send",
    name: string,
    sent: { readonly message: unknown; readonly options: unknown },
  ): Promise<Outcome> {
    try {
      const { message, options } = sent;
      const isPrivileged = this.#isPrivileged;
      return tellProcess(this.#engine, this.#sandbox, { kind, name, message, options, isPrivileged });
    } catch (error) {
      return this.#engine.refuseRun(this.id, `${kind} ${name}`, error);
    }
  }

  #rollBack(options: unknown, changesOf: (sandbox: ManagedSandbox) => ReloadChanges): Promise<ReloadReport> {
    return this.#within("rollback", options, (sandbox, { signal }) =>
      rollBack(this.#engine, sandbox, { changes: () => changesOf(sandbox), signal }),
    );
  }

  async #within<T>(
    what: keyof typeof waits,
    options: unknown,
    act: (sandbox: ManagedSandbox, ended: Cancellable) => Promise<T>,
  ): Promise<T> {
    const wait = waits[what];
    const sandbox = this.#living(wait.verb);
    const bounds = readCancel(options);
    return waitFor(this.#engine, { sandbox, wait, bounds }, (signal) => act(sandbox, { signal }));
  }

  #living(what: string): ManagedSandbox {
    this.#engine.checkOpen(`${what} sandbox "${this.id}"`);
    if (this.#sandbox.status === "stopped") throw new SandboxNotFoundError(this.id);
    return this.#sandbox;
  }
}

// Runs are counted where they are accepted, which costs them less.
awaitMethods(LocalSandbox.prototype, ["call", "ask", "send"]);
