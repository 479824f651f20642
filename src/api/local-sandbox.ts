// The handle of a sandbox in this process's runtime. It means one sandbox for good: when that is gone, a new one of the
// same id is not reached through it.
import { seal } from "../code/individual.ts";
import { SandboxNotFoundError, SandboxNotRunningError } from "../model/errors.ts";
import { parseModuleName } from "../model/ids.ts";
import type { Individual } from "../model/individual.ts";
import type { Limits } from "../model/limits.ts";
import type { LogLine } from "../model/log-line.ts";
import type { Outcome } from "../model/outcome.ts";
import type { ProcessView, StateCapture } from "../model/process.ts";
import type { Recording } from "../model/recording.ts";
import type { SandboxInfo, TotalUsage } from "../model/sandbox-info.ts";
import { traced } from "../observability/tracing.ts";
import { toBody } from "../orchestration/sandboxes/persistence.ts";
import type { ReloadChanges, ReloadReport } from "../orchestration/reload/reload-plan.ts";
import type { Resident } from "../orchestration/sandboxes/resident.ts";
import { targetOf } from "../orchestration/runs/run-table.ts";
import { infoOf } from "../orchestration/sandboxes/resident-info.ts";
import type { RunTerms } from "../orchestration/runs/ticket.ts";
import type { Engine } from "./engine.ts";
import { readCancel } from "./cancelling.ts";
import { readSignal, type Fields } from "./options.ts";
import {
  captureStates,
  checkpointNow,
  describeProcesses,
  restoreStates,
  sampleUsage,
  stateOf,
  tellProcess,
} from "./local-processes.ts";
import { rehearse } from "./rehearsal.ts";
import { proxyOf } from "./module-proxy.ts";
import { recordRun, replayRun } from "./recorder.ts";
import { failed } from "./outcomes.ts";
import { limitsReader } from "./security-options.ts";
import { aimAt, readCallFields, readRunFields, toTerms, toWireArgs, type Aim } from "./run-request.ts";
import {
  changesTo,
  currentVersion,
  diffOf,
  findVersion,
  historyOf,
  readReload,
  setAutoReload,
} from "./local-versions.ts";
import type {
  AnswerOf,
  CallOptions,
  CancelOptions,
  HotReloadOptions,
  MessageTo,
  ModuleProxy,
  RecordedOutcome,
  ReloadModules,
  Replay,
  RunOptions,
  Sandbox,
  VersionInfo,
} from "./sandbox.ts";

export class LocalSandbox implements Sandbox {
  readonly #engine: Engine;
  readonly #resident: Resident;
  readonly #isPrivileged: boolean;

  /** A privileged handle may call while a reload is under way. */
  constructor(engine: Engine, resident: Resident, isPrivileged = false) {
    this.#engine = engine;
    this.#resident = resident;
    this.#isPrivileged = isPrivileged;
  }

  get id(): string {
    return this.#resident.id;
  }

  call<T = unknown>(
    target: `${string}.${string}`,
    options?: CallOptions & { readonly record?: boolean },
  ): Promise<RecordedOutcome<T>> {
    try {
      const fields = readCallFields(options);
      const aim = aimAt(target);
      const outcome =
        fields["record"] === true
          ? recordRun(this.#engine, this.#living("record a run of"), { aim, fields })
          : this.#start(aim, fields);
      return outcome as Promise<RecordedOutcome<T>>;
    } catch (error) {
      return this.#engine.refuseRun(this.id, target, error);
    }
  }

  async replay(recording: Recording): Promise<Replay> {
    return replayRun(this.#engine, this.#living("replay a run of"), recording);
  }

  async run<R, A extends readonly unknown[], M extends object>(
    fn: (modules: M, ...args: A) => R,
    options?: CallOptions<A>,
  ): Promise<Outcome<Awaited<R>>> {
    try {
      const fields = readRunFields(options);
      this.#engine.checkOpen(`call sandbox "${this.id}"`);
      const shipped = await this.#engine.ship(fn, this.#resident.limits);
      if ("failed" in shipped) {
        const { message, diagnostics } = shipped.failed;
        return failed({ kind: "compile", message, diagnostics }) as Outcome<Awaited<R>>;
      }
      return (await this.#start(shipped.aim, fields)) as Outcome<Awaited<R>>;
    } catch (error) {
      return this.#engine.refuseRun(this.id, "(function)", error);
    }
  }

  module<T extends object>(name: string, options?: RunOptions): ModuleProxy<T> {
    const module = parseModuleName(name);
    const fields = readRunFields(options);
    return proxyOf((name, args) => this.call(`${module}.${name}`, { ...fields, args }));
  }

  async hotReload(modules: ReloadModules, options?: HotReloadOptions): Promise<ReloadReport> {
    const resident = this.#living("reload");
    const order = readReload(modules, options, new LocalSandbox(this.#engine, resident, true));
    const { signal } = order;
    return order.isDry ? rehearse(this.#engine, resident, order) : resident.reload(order, { signal });
  }

  async rollback(module: string, version: number, options?: CancelOptions): Promise<ReloadReport> {
    const resident = this.#living("roll back");
    return this.#rollBack(resident, options, () => {
      currentVersion(resident, module);
      findVersion(resident, module, version);
      return new Map([[module, { version }]]);
    });
  }

  async rollbackTo(revision: number, options?: CancelOptions): Promise<ReloadReport> {
    const resident = this.#living("roll back");
    return this.#rollBack(resident, options, () => changesTo(resident, revision));
  }

  async version(module: string): Promise<number> {
    return currentVersion(this.#resident, module).version;
  }

  async versions(module: string): Promise<readonly number[]> {
    return historyOf(this.#resident, module).map(({ version }) => version);
  }

  async history(module: string): Promise<readonly VersionInfo[]> {
    return historyOf(this.#resident, module);
  }

  async source(module: string, version?: number): Promise<string> {
    const found =
      version === undefined
        ? currentVersion(this.#resident, module)
        : findVersion(this.#resident, module, version);
    return found.artifact.source;
  }

  async diff(module: string, from: number, to: number): Promise<string> {
    return diffOf(findVersion(this.#resident, module, from), findVersion(this.#resident, module, to));
  }

  async processes(): Promise<readonly ProcessView[]> {
    return describeProcesses(this.#living("describe the processes of"));
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
    return checkpointNow(this.#living("checkpoint"), readCancel(options));
  }

  async captureState(options?: CancelOptions): Promise<StateCapture> {
    return captureStates(this.#living("capture"), readCancel(options));
  }

  async restoreState(capture: StateCapture, options?: CancelOptions): Promise<void> {
    await restoreStates(this.#living("restore"), capture, readCancel(options));
  }

  async suspend(): Promise<void> {
    await this.#living("suspend").suspend();
  }

  async resume(): Promise<void> {
    await this.#living("resume").resume();
  }

  async autoReload(isOn: boolean): Promise<void> {
    setAutoReload(this.#engine, this.#living("follow the files of"), isOn);
  }

  async export(): Promise<Individual> {
    const resident = this.#living("export");
    return seal(toBody(resident, await stateOf(resident)));
  }

  async usage(): Promise<TotalUsage> {
    return sampleUsage(this.#living("measure"));
  }

  async updateLimits(
    limits: Partial<Limits>,
  ): Promise<{ readonly limits: Limits; readonly isRebuilt: boolean }> {
    const resident = this.#living("change the limits of");
    const isRebuilt = await resident.updateLimits(limitsReader(resident, limits));
    return { limits: resident.limits, isRebuilt };
  }

  async info(): Promise<SandboxInfo> {
    return infoOf(this.#resident, this.#engine.parts.config.clock.monotonic());
  }

  async logs(): Promise<readonly LogLine[]> {
    return this.#resident.logs.toArray();
  }

  async restart(options?: CancelOptions): Promise<void> {
    await this.#living("restart").restart(readCancel(options));
  }

  async destroy(): Promise<void> {
    await this.#living("destroy").destroy("destroyed by its owner");
  }

  /** As `destroy`; a sandbox that is gone already, or whose runtime is, is no mistake here. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#engine.isClosed) await this.#resident.destroy("its handle was disposed");
  }

  #start(aim: Aim, fields: Fields): Promise<Outcome> {
    const terms = this.#termsOf(aim, fields);
    const signal = readSignal(fields["signal"], "signal");
    const args = toWireArgs(fields["args"], this.#resident.limits.argsBytes);
    const isPrivileged = this.#isPrivileged;
    const start = (): Promise<Outcome> =>
      new Promise((settle) => {
        this.#engine.submit(this.#resident, { terms, args, settle, isPrivileged }, signal);
      });
    return traced("sandbox.run", () => ({ sandboxId: this.id, target: targetOf(terms) }), start);
  }

  #termsOf(aim: Aim, fields: Fields): RunTerms {
    this.#engine.checkOpen(`call sandbox "${this.id}"`);
    const { waitMs } = this.#engine.parts.config.cells;
    return toTerms(aim, fields, { limits: this.#resident.limits, waitMs });
  }

  #tell(
    kind: "ask" | "send",
    name: string,
    told: { readonly message: unknown; readonly options: unknown },
  ): Promise<Outcome> {
    try {
      this.#engine.checkOpen(`reach processes of sandbox "${this.id}"`);
      // Those whose code changes are held back, so that whoever verifies would wait for himself.
      if (this.#isPrivileged) throw new SandboxNotRunningError("reach processes of", this.#resident);
      const fields = readRunFields(told.options);
      return tellProcess(this.#engine, this.#resident, { kind, name, message: told.message, fields });
    } catch (error) {
      return this.#engine.refuseRun(this.id, `${kind} ${name}`, error);
    }
  }

  async #rollBack(resident: Resident, options: unknown, changes: () => ReloadChanges): Promise<ReloadReport> {
    const { bus } = this.#engine.parts;
    const order = { changes, mutation: null, verifyMs: 0 };
    const report = await resident.reload(order, readCancel(options));
    if (report.status === "reloaded")
      bus.emit("version.rolledBack", { sandboxId: this.id, revision: report.revision });
    return report;
  }

  #living(what: string): Resident {
    this.#engine.checkOpen(`${what} sandbox "${this.id}"`);
    if (this.#resident.status === "stopped") throw new SandboxNotFoundError(this.id);
    return this.#resident;
  }
}
