// The owner of one sandbox: all that happens to it goes through here, operations one at a time (operations.ts), runs as admitted.
import type { LoadOrder } from "../../code/modules/load-order.ts";
import type { TimeInside } from "../../execution/cell.ts";
import type { Artifact } from "../../code/modules/artifact.ts";
import type { SourceTree } from "../../code/files/source-tree.ts";
import type { VersionLog } from "../../code/modules/version-log.ts";
import type { Character, Command, Lane } from "../../execution/protocol/messages.ts";
import type { Ancestry } from "../../model/sandboxes/ancestry.ts";
import { RuntimeClosedError } from "../../model/errors.ts";
import type { LatestFitness } from "../../model/fitness.ts";
import type { SandboxId } from "../../model/ids.ts";
import type { Limits } from "../../model/limits.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import type { Placement } from "../../model/sandboxes/placement.ts";
import type { ProcessSettings, RestartRule, StateCapture } from "../../model/sandboxes/process.ts";
import type { LastError, TotalUsage } from "../../model/sandboxes/sandbox-info.ts";
import type { Status } from "../../model/sandboxes/status.ts";
import { span } from "../../observability/span.ts";
import { GrantUsage } from "../../security/capability.ts";
import type { Profile } from "../../security/profile.ts";
import type { ServiceMeter } from "../../std/service-meter.ts";
import type { LogStore } from "./log-store.ts";
import type { CheckpointView } from "../processes/checkpoint.ts";
import { reload } from "../reload/reload.ts";
import type { ReloadInput, ReloadReport } from "../reload/reload-plan.ts";
import { verifyingNow } from "../reload/verification.ts";
import type { ControlResult, Place, RunSubmission, RunTicket } from "../runs/ticket.ts";
import { CellEvents } from "./cell-events.ts";
import { destroy, resume, suspend, updateLimits } from "./operations/changes.ts";
import { failWith, type FailHow } from "./operations/failure.ts";
import { open, restart, restore } from "./operations/loading.ts";
import type { Operation, OperationName } from "./operations/operation.ts";
import type { Cancellable } from "./operations/operations.ts";
import { openState } from "./open-state.ts";
import type { ManagedSandboxPlan, SandboxPlan } from "./sandbox-plan.ts";
import type { OwnSandbox, SandboxState, SharedParts } from "./state.ts";

export class ManagedSandbox implements OwnSandbox {
  readonly key: number;
  readonly id: SandboxId;
  readonly kind: ManagedSandboxPlan["kind"];
  readonly isRestored: boolean;
  readonly profile: Profile;
  readonly placement: Placement;
  readonly character: Character;
  readonly ancestry: Ancestry;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: number;
  readonly createdMs: number;
  readonly restartRule: RestartRule | null;
  readonly grants: GrantUsage;
  readonly cellEvents: CellEvents;
  readonly #state: SandboxState;
  #destroying: Promise<void> | undefined;

  constructor(plan: ManagedSandboxPlan, shared: SharedParts) {
    this.key = plan.key;
    this.id = plan.id;
    this.kind = plan.kind;
    this.isRestored = plan.isRestored === true;
    this.profile = plan.profile;
    this.placement = plan.placement;
    this.character = plan.character;
    this.ancestry = plan.ancestry;
    this.labels = plan.labels;
    this.createdAt = plan.createdAt;
    this.createdMs = plan.createdMs;
    this.restartRule = plan.restart ?? null;
    this.grants = new GrantUsage(plan.capabilities, shared.fetchNames);
    this.#state = openState(this, plan, shared);
    this.cellEvents = new CellEvents(this.#state);
  }

  get status(): Status {
    return this.#state.life.status;
  }

  get mayBeAssigned(): boolean {
    return this.#state.life.mayBeAssigned;
  }

  get limits(): Limits {
    return this.#state.limits;
  }

  get versions(): VersionLog {
    return this.#state.code.versions;
  }

  get modules(): ReadonlyMap<string, Artifact> {
    return this.#state.code.modules;
  }

  get order(): LoadOrder {
    return this.#state.code.order;
  }

  get codeKey(): string {
    return this.#state.code.codeKey;
  }

  get loadLane(): Lane {
    return this.#state.code.loadLane;
  }

  get tree(): SourceTree | undefined {
    return this.#state.code.tree;
  }

  get processes(): ProcessSettings | null {
    return this.#state.code.processes;
  }

  get checkpoint(): CheckpointView {
    return this.#state.checkpoint;
  }

  get place(): Place | undefined {
    return this.#state.assignment.place;
  }

  get isQuarantined(): boolean {
    return this.#state.faults.isQuarantined;
  }

  get runsUnderway(): number {
    return this.#state.runs.size;
  }

  get isBusy(): boolean {
    const { runs, operations, assignment } = this.#state;
    const isChanging = operations.current !== undefined || assignment.controls > 0;
    return runs.size > 0 || isChanging || assignment.place?.isLoaded === false;
  }

  get service(): ServiceMeter {
    return this.#state.account.service;
  }

  get usage(): TotalUsage {
    return this.#state.account.usage;
  }

  get logs(): Pick<LogStore, "toArray" | "last"> {
    return this.#state.account.logs;
  }

  get restarts(): number {
    return this.#state.account.restarts;
  }

  get rebuilds(): number {
    return this.#state.account.rebuilds;
  }

  get lastUsedMs(): number {
    return this.#state.account.lastUsedMs;
  }

  get failed(): SandboxState["account"]["failed"] {
    return this.#state.account.failed;
  }
  get reason(): string | null {
    return this.#state.account.reason;
  }

  get lastError(): LastError | null {
    return this.#state.account.lastError;
  }

  get fitness(): LatestFitness | null {
    return this.#state.account.fitness;
  }

  /** Builds and loads its first revision. Code that fails leaves it failed and rejects with a `LoadError`. */
  open(plan: Pick<SandboxPlan, "code" | "loadError" | "signal">): Promise<void> {
    return this.#run("load", plan, (operation) => open(this.#state, plan, operation));
  }

  /** Brings it back from the store, as it was; it is loaded where it has work of its own, and otherwise when it is used. */
  restore(plan: Parameters<typeof restore>[1]): Promise<void> {
    return this.#run("load", {}, (operation) => restore(this.#state, plan, operation));
  }

  /** Loads it anew at the current revision; where a capture is given, with its states. */
  restart(options: Cancellable & { readonly capture?: StateCapture } = {}): Promise<void> {
    return this.#run("restart", options, (operation) =>
      this.#span("sandbox.restart", {}, () => restart(this.#state, operation, options.capture)),
    );
  }

  /** Reloads modules: all or nothing. */
  reload(input: ReloadInput, options: Cancellable = {}): Promise<ReloadReport> {
    return this.#run("reload", options, (operation) =>
      this.#span("sandbox.hotReload", {}, () => reload(this.#state, input, operation)),
    );
  }

  /** Changes limits; true when that needed a new isolate. */
  updateLimits(resolve: (current: Limits) => Limits, options: Cancellable = {}): Promise<boolean> {
    return this.#run("limits", options, (operation) => updateLimits(this.#state, resolve, operation));
  }

  suspend(options: Cancellable = {}): Promise<void> {
    return this.#run("suspend", options, (operation) => suspend(this.#state, operation));
  }

  resume(options: Cancellable = {}): Promise<void> {
    return this.#run("resume", options, (operation) => resume(this.#state, operation));
  }

  /** Ends it. Further calls wait for the same end. */
  destroy(reason: string): Promise<void> {
    this.#destroying ??= this.#run("destroy", {}, () => {
      this.#state.life.move("stop");
      return this.#span("sandbox.destroy", { reason }, () => destroy(this.#state, reason));
    });
    return this.#destroying;
  }

  /** The runtime closes: operations under way end, and none begins. */
  close(): void {
    const error = new RuntimeClosedError(`go on with sandbox "${this.id}"`, { isUnderWay: true });
    this.#state.operations.endAll(() => error);
    this.#state.assignment.close(error);
    this.#state.persistence.close();
  }

  fail(failure: GuestFailure, how?: FailHow): void {
    failWith(this.#state, failure, how);
  }

  /** Accepts a run; its `settle` is called exactly once. */
  submit(submission: RunSubmission): RunTicket {
    return this.#state.runs.submit(submission);
  }

  endRun(ticket: RunTicket, failure: GuestFailure, inside?: TimeInside): void {
    this.#state.runs.end(ticket, failure, inside);
  }

  control(budgetMs: number, commandOf: (op: number, key: number) => Command): Promise<ControlResult> {
    return this.#state.assignment.control(budgetMs, commandOf).finally(() => this.#state.onIdle());
  }

  /** Stores states that were captured after so many changes: its processes begin with them when it is loaded again. */
  async storeStates(capture: string, changes: number): Promise<void> {
    if (!this.mayBeAssigned) return;
    this.#state.checkpoint.refresh(capture, changes);
    await this.#state.persistence.saveState();
  }

  /** A temporary one lives on, and is stored; false where it is gone, or could not be stored and was destroyed. */
  async keep(): Promise<boolean> {
    const giveUp = (): Promise<void> => this.destroy("it could not be stored").catch(() => {});
    if (this.#destroying === undefined) await this.#state.persistence.keep().catch(giveUp);
    return this.#destroying === undefined;
  }

  /** Stores it as failed, with its reason. Where that fails, the store tells so itself. */
  async storeFailure(): Promise<void> {
    if (this.status === "failed") await this.#state.persistence.saveUnlessOver();
  }

  /** Resolves when it is stored, or could not be. */
  async noteFitness(fitness: LatestFitness): Promise<void> {
    this.#state.account.fitness = fitness;
    await this.#state.persistence.saveRecord().catch(() => {});
  }

  /** What went wrong with following its files or storing its states; null when that succeeds again. */
  noteError(error: LastError | null): void {
    if (error === null && this.lastError === null) return;
    this.#state.account.lastError = error;
    this.#state.persistence.noteRecord();
  }

  noteTree(tree: SourceTree): void {
    this.#state.code.tree = tree;
  }

  #run<T>(
    name: OperationName,
    { signal }: Cancellable,
    act: (operation: Operation) => Promise<T>,
  ): Promise<T> {
    const { operations } = this.#state;
    return operations.run(name, act, { signal, within: verifyingNow(operations.current) });
  }

  // Helpers have no events.
  #span<S extends "sandbox.restart" | "sandbox.hotReload" | "sandbox.destroy", T>(
    name: S,
    extra: Parameters<typeof span<S, T>>[1],
    act: () => Promise<T>,
  ): Promise<T> {
    const { bus, clock } = this.#state.shared;
    return this.kind === "helper" ? act() : span({ bus, clock, name, sandboxId: this.id }, extra, act);
  }
}
