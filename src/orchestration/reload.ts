// Hot reload as a transaction: compile → link → evaluate in the living isolate → verify → keep → switch. Whatever fails
// leaves the sandbox as it was, running the old code with the old state, and the log without a trace.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Artifact } from "../code/artifact.ts";
import { VersionNotFound, type Change, type Step } from "../code/version-log.ts";
import type { Command, DoneItem, ReloadCommand } from "../execution/protocol/messages.ts";
import {
  LoadError,
  SandboxNotRunningError,
  VerifyFailedError,
  VersionNotFoundError,
} from "../model/errors.ts";
import type { GuestFailure } from "../model/outcome.ts";
import type { Bus } from "../observability/bus.ts";
import { span } from "../observability/span.ts";
import type { Clock } from "../std/clock.ts";
import type { Store } from "../store/store.ts";
import { compileModules, linkModules, type Compile } from "./building.ts";
import type { Sentence } from "./death.ts";
import { loadFailure, type Homing } from "./homing.ts";
import { keep } from "./keeping.ts";
import type { Resident } from "./resident.ts";
import type { Runs } from "./runs.ts";
import { ErrandTicket, type ErrandResult } from "./ticket.ts";

/** New code for a module, a version it had before, or null to take it away. */
export type ReloadChange = string | Artifact | { readonly version: number } | null;

export type ReloadChanges = ReadonlyMap<string, ReloadChange>;

export interface ReloadOrder {
  /** Worked out when it is its turn, from what the reloads before it made of the sandbox. */
  readonly changes: () => ReloadChanges;
  readonly mutation: unknown;
  /** Looks at the sandbox while it runs the new revision; false undoes it. */
  readonly verify?: (() => Promise<boolean>) | undefined;
}

export interface ReloadReport {
  readonly status: "reloaded" | "unchanged";
  readonly revision: number;
  /** The version of each module that was asked for; null where it was taken away. */
  readonly modules: Readonly<Record<string, number | null>>;
}

export interface ReloadsParts {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly store: Store;
  readonly compile: Compile;
  readonly homing: Homing;
  readonly runs: Runs;
}

/** A reload that is worked out. */
interface Plan {
  readonly changes: ReloadChanges;
  /** Undefined where nothing would be other than it is. */
  readonly move: Move | undefined;
}

/** What is ready to be evaluated. */
interface Move {
  readonly step: Step;
  /** All modules of the new revision in the order of evaluation. */
  readonly order: readonly string[];
  readonly modules: ReloadCommand["modules"];
  readonly removed: readonly string[];
}

/** A verification that is under way. */
interface Verification {
  readonly resident: Resident;
}

const attemptsMax = 3;

export class Reloads {
  readonly #parts: ReloadsParts;
  readonly #last = new WeakMap<Resident, Promise<unknown>>();
  readonly #verifications = new Set<Verification>();
  /** The verifications from within which something is asked for. */
  readonly #within = new AsyncLocalStorage<readonly Verification[]>();

  constructor(parts: ReloadsParts) {
    this.#parts = parts;
  }

  /** Reloads modules. Those of one sandbox go one after the other; those of several at a time. */
  reload(resident: Resident, order: ReloadOrder): Promise<ReloadReport> {
    if (this.#waitsForItself(resident)) return Promise.reject(new SandboxNotRunningError("reload", resident));
    const before = this.#last.get(resident) ?? Promise.resolve();
    const reloading = before.then(() => this.#observed(resident, order));
    this.#last.set(
      resident,
      reloading.catch(() => {}),
    );
    return reloading;
  }

  /** Works out what a reload would do, as far as that can be told without touching the sandbox. */
  async plan(resident: Resident, order: ReloadOrder): Promise<ReloadReport> {
    return report(resident, await this.#plan(resident, order));
  }

  // Whoever verifies a reload cannot wait for another one: that would begin when the verification is over.
  #waitsForItself(resident: Resident): boolean {
    const within = this.#within.getStore() ?? [];
    return within.some((one) => one.resident === resident && this.#verifications.has(one));
  }

  #observed(resident: Resident, order: ReloadOrder): Promise<ReloadReport> {
    const { bus, clock } = this.#parts;
    return span({ bus, clock, name: "sandbox.hotReload", sandboxId: resident.id }, {}, async () => {
      if (resident.status !== "running") throw new SandboxNotRunningError("reload", resident);
      const plan = await this.#plan(resident, order);
      if (plan.move !== undefined) await this.#carryOut(resident, plan.move, order);
      return report(resident, plan);
    });
  }

  async #plan(resident: Resident, order: ReloadOrder): Promise<Plan> {
    const { clock, compile } = this.#parts;
    const changes = order.changes();
    const sources = new Map([...changes].filter(isCode));
    const compiled = await compileModules(sources, resident.limits, compile);
    const ready = new Map<string, Change>();
    for (const [name, change] of changes) ready.set(name, compiled.get(name) ?? (change as Change));
    const step = found(() => resident.versions.plan(ready, { mutation: order.mutation, now: clock.now() }));
    return { changes, move: step === undefined ? undefined : moveOf(resident, step) };
  }

  async #carryOut(resident: Resident, plan: Move, order: ReloadOrder): Promise<void> {
    // It may have failed or gone while its new code was compiled.
    if (resident.status !== "running") throw new SandboxNotRunningError("reload", resident);
    resident.move("reload");
    try {
      await this.#evaluate(resident, plan);
      await this.#verify(resident, order);
      await this.#switch(resident, plan);
    } catch (error) {
      if (resident.can("reverted")) resident.move("reverted");
      throw error;
    } finally {
      this.#parts.runs.dispatchWaiting(resident);
    }
  }

  // In the isolate, beside the old code. A cell that dies for another's fault is another chance.
  async #evaluate(resident: Resident, plan: Move): Promise<void> {
    const { modules, removed } = plan;
    const budgetMs = resident.limits.loadMs;
    for (let attempt = 1; ; attempt++) {
      const result = await this.#errand(resident, budgetMs, (op) => {
        return { t: "reload", op, key: resident.key, budgetMs, modules, removed };
      });
      const failure = failureOf(resident, result);
      if (failure === undefined) return;
      this.#noteLoss(resident, result);
      if (failure === "again" && attempt < attemptsMax && resident.status === "reloading") continue;
      throw reloadError(resident, failure);
    }
  }

  async #verify(resident: Resident, order: ReloadOrder): Promise<void> {
    if (order.verify === undefined) return;
    const verification = { resident };
    let isGood = false;
    try {
      this.#verifications.add(verification);
      isGood = await this.#within.run([...(this.#within.getStore() ?? []), verification], order.verify);
    } finally {
      this.#verifications.delete(verification);
      if (!isGood) await this.#settle(resident, false);
    }
    if (!isGood) throw new VerifyFailedError(resident.id);
  }

  // Kept first, then current: what a caller was told survives, and what could not be kept was never told.
  async #switch(resident: Resident, plan: Move): Promise<void> {
    if (resident.status !== "reloading") throw new SandboxNotRunningError("reload", resident);
    const undo = resident.versions.snapshot();
    const orderBefore = resident.order;
    resident.adopt(plan.step, plan.order);
    try {
      await keep(this.#parts.store, resident);
    } catch (error) {
      resident.restore(undo, orderBefore);
      await this.#settle(resident, false);
      throw error;
    }
    await this.#settle(resident, true);
    resident.move("loaded");
  }

  // Where the isolate with the new code is gone, or does not let go of it, the sandbox is loaded anew from the revision
  // that is current now.
  async #settle(resident: Resident, isCommitted: boolean): Promise<void> {
    if (resident.home === undefined) return;
    const { homing, runs } = this.#parts;
    const { key } = resident;
    const result = await this.#errand(resident, 0, (op) => ({ t: "settle", op, key, isCommitted }));
    if (result.item === undefined || (result.item.verdict !== "gone" && !result.item.isLost)) return;
    resident.waiting.push(...homing.vacate(resident));
    runs.rebuild(resident, "reload");
  }

  async #errand(
    resident: Resident,
    budgetMs: number,
    commandOf: (op: number) => Command,
  ): Promise<ErrandResult> {
    const queue = await this.#parts.homing.whenHoused(resident);
    return new Promise((settle) => {
      queue.errand(new ErrandTicket(resident, { lane: "async", budgetMs, settle }), commandOf);
    });
  }

  #noteLoss(resident: Resident, result: ErrandResult): void {
    if (result.item?.isLost !== true) return;
    this.#parts.homing.forgetHome(resident);
    this.#parts.runs.rebuild(resident, "reload");
  }
}

function moveOf(resident: Resident, step: Step): Move {
  const artifacts = resident.versions.artifactsAfter(step);
  const order = linkModules(artifacts);
  const changed = new Set(step.changed);
  return {
    step,
    order,
    modules: order.filter((name) => changed.has(name)).map((name) => [name, artifacts.get(name)?.code ?? ""]),
    removed: step.changed.filter((name) => !artifacts.has(name)),
  };
}

function isCode(entry: [string, ReloadChange]): entry is [string, string | Artifact] {
  const [, change] = entry;
  return typeof change === "string" || (change !== null && "code" in change);
}

function report(resident: Resident, { changes, move }: Plan): ReloadReport {
  const { revision, heads } = move?.step.revision ?? resident.versions.head;
  const modules = [...changes.keys()].map((name) => [name, heads.get(name) ?? null] as const);
  return {
    status: move === undefined ? "unchanged" : "reloaded",
    revision,
    modules: Object.fromEntries(modules),
  };
}

function found<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof VersionNotFound) throw new VersionNotFoundError(error.what);
    throw error;
  }
}

// What became of the evaluation: nothing wrong, another try, or the guest's failure.
function failureOf(resident: Resident, result: ErrandResult): GuestFailure | "again" | undefined {
  if (result.item === undefined) return failureOfDeath(resident, result.sentence);
  return result.item.verdict === "gone" ? "again" : loadFailure(resident, result.item satisfies DoneItem);
}

function failureOfDeath(resident: Resident, sentence: Sentence | undefined): GuestFailure | "again" {
  if (sentence === undefined || sentence.do !== "end") return "again";
  const { loadMs } = resident.limits;
  if (sentence.kind === "cell-lost") return "again";
  return {
    kind: sentence.kind,
    message: `Cannot finish within loadMs, ${loadMs}, or its other limits: its cell was killed`,
  };
}

function reloadError(resident: Resident, failure: GuestFailure | "again"): LoadError {
  if (failure === "again") {
    const message = `Cannot reload sandbox "${resident.id}" as its cell was lost each time`;
    return new LoadError(message, { stage: "evaluate", failure: { kind: "cell-lost", message } });
  }
  return new LoadError(`Cannot reload sandbox "${resident.id}": ${failure.message}`, {
    stage: "evaluate",
    failure,
  });
}
