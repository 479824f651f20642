// Hot reload as a transaction: compile → gate → link → evaluate in the living isolate → verify → keep → switch. Whatever fails
// leaves the sandbox as it was, running the old code with the old state, and the log without a trace.
import { AsyncLocalStorage } from "node:async_hooks";
import { answerLetters } from "../../model/answer-letters.ts";
import type { Command, DoneItem } from "../../execution/protocol/messages.ts";
import { LoadError, SandboxNotRunningError, VerifyFailedError } from "../../model/errors.ts";
import type { GuestFailure } from "../../model/outcome.ts";
import type { Bus } from "../../observability/bus.ts";
import { span } from "../../observability/span.ts";
import type { Clock } from "../../std/clock.ts";
import type { Store } from "../../store/store.ts";
import type { Door } from "../code/building.ts";
import type { Sentence } from "../cells/death.ts";
import { loadFailure, type Homing } from "../cells/assignment.ts";
import { keep } from "../sandboxes/persistence.ts";
import { migrateByHost, stagedStates, type Staged } from "./migration.ts";
import {
  planReload,
  toReport,
  type Move,
  type Plan,
  type ReloadOrder,
  type ReloadReport,
} from "./reload-plan.ts";
import type { Resident } from "../sandboxes/resident.ts";
import type { Runs } from "../runs/runs.ts";
import { ErrandTicket, type ErrandResult } from "../runs/ticket.ts";

export interface ReloadsParts extends Door {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly store: Store;
  readonly homing: Homing;
  readonly runs: Runs;
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
    return toReport(resident, await this.#plan(resident, order));
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
      if (plan.move === undefined) return toReport(resident, plan);
      const staged = await this.#carryOut(resident, plan.move, order);
      const report = toReport(resident, plan);
      return staged === undefined ? report : { ...report, states: this.#told(resident, staged) };
    });
  }

  #told({ id, versions }: Resident, { report }: Staged): Staged["report"] {
    const { revision } = versions.head;
    const changed = report.filter(({ way }) => way !== "kept").length;
    if (changed > 0) this.#parts.bus.emit("state.migrated", { sandboxId: id, revision, servers: changed });
    return report;
  }

  async #plan(resident: Resident, order: ReloadOrder): Promise<Plan> {
    try {
      return await planReload(resident, order, this.#parts);
    } catch (error) {
      throw error instanceof LoadError ? error.of(resident.id) : error;
    }
  }

  async #carryOut(resident: Resident, move: Move, order: ReloadOrder): Promise<Staged | undefined> {
    // It may have failed or gone while its new code was compiled.
    if (resident.status !== "running") throw new SandboxNotRunningError("reload", resident);
    resident.move("reload");
    try {
      await this.#evaluate(resident, move, await this.#migrate(resident, move, order));
      const staged = await this.#stage(resident);
      await this.#verify(resident, order);
      await this.#switch(resident, move, staged);
      return staged;
    } catch (error) {
      if (resident.can("reverted")) resident.move("reverted");
      throw error;
    } finally {
      this.#parts.runs.dispatchWaiting(resident);
    }
  }

  // Where that fails, what was held back goes on.
  async #migrate(resident: Resident, move: Move, { migrate }: ReloadOrder): Promise<string> {
    if (migrate === undefined || resident.processes === null) return "";
    try {
      return await migrateByHost(resident, this.#parts, { move, migrate });
    } catch (error) {
      await this.#settle(resident, false);
      throw error;
    }
  }

  // What the states will be, before anyone sees them: a sandbox that is lost from here on begins with them.
  async #stage(resident: Resident): Promise<Staged | undefined> {
    if (resident.processes === null) return undefined;
    try {
      return await stagedStates(resident, this.#parts.homing);
    } catch (error) {
      await this.#settle(resident, false);
      throw error;
    }
  }

  // In the isolate, beside the old code. A cell that dies for another's fault is another chance.
  async #evaluate(resident: Resident, move: Move, states: string): Promise<void> {
    const { modules, removed, versions } = move;
    const { key } = resident;
    const budgetMs = resident.limits.loadMs;
    for (let attempt = 1; ; attempt++) {
      const result = await this.#errand(resident, budgetMs, (op) => {
        return { t: "reload", op, key, budgetMs, modules, removed, versions, states };
      });
      const failure = failureOf(resident, result);
      if (failure === undefined) return;
      this.#noteLoss(resident, result);
      if (failure === "again" && attempt < attemptsMax && resident.status === "reloading") continue;
      throw reloadError(resident, failure, stageOf(result));
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
  async #switch(resident: Resident, move: Move, staged: Staged | undefined): Promise<void> {
    if (resident.status !== "reloading") throw new SandboxNotRunningError("reload", resident);
    const undo = resident.versions.snapshot();
    const orderBefore = resident.order;
    const states = resident.checkpoint.toText();
    resident.adopt(move.step, move.order);
    if (states !== "" && staged !== undefined) resident.checkpoint.take(staged.capture);
    try {
      await keep(this.#parts.store, resident);
    } catch (error) {
      resident.restore(undo, orderBefore);
      if (states !== "") resident.checkpoint.take(states);
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

function stageOf({ item }: ErrandResult): "migrate" | "evaluate" {
  return String(item?.answer ?? "").startsWith(answerLetters.unmigrated) ? "migrate" : "evaluate";
}

function reloadError(
  resident: Resident,
  failure: GuestFailure | "again",
  stage: "migrate" | "evaluate",
): LoadError {
  const at = { stage, sandboxId: resident.id } as const;
  if (failure === "again") {
    const message = `Cannot reload sandbox "${resident.id}" as its cell was lost each time`;
    return new LoadError(message, { ...at, failure: { kind: "cell-lost", message } });
  }
  return new LoadError(`Cannot reload sandbox "${resident.id}": ${failure.message}`, { ...at, failure });
}
