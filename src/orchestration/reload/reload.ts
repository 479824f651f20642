// Hot reload as a transaction: compile → gate → link → evaluate in the living isolate → verify → keep → switch. Whatever fails
// leaves the sandbox as it was, running the old code with the old state, and the log without a trace. What ends the reload
// for good has thrown the isolate away: then there is nothing to undo.
import { AsyncLocalStorage } from "node:async_hooks";
import { LoadError, SandboxNotRunningError, VerifyFailedError, VivariumError } from "../../model/errors.ts";
import type { ControlResult } from "../runs/ticket.ts";
import type { Operation } from "../sandboxes/operation.ts";
import type { Resident } from "../sandboxes/resident.ts";
import type { ResidentState } from "../sandboxes/state.ts";
import { failureOf, isOfLoss, reloadError, stageOf } from "./reload-failure.ts";
import { migrateByHost, stagedStates, statesLost, type Staged } from "./migration.ts";
import {
  planReload,
  toReport,
  type Move,
  type Plan,
  type ReloadOrder,
  type ReloadReport,
} from "./reload-plan.ts";

const attemptsMax = 3;

/** The reloads from within whose verification something is asked for. */
const verifying = new AsyncLocalStorage<readonly Operation[]>();

/** This operation, where it is a reload whose verification asks: it cannot wait for itself. */
export function verifyingNow(current: Operation | undefined): Operation | undefined {
  return verifying.getStore()?.find((operation) => operation === current);
}

/** Works out what a reload would do, as far as that can be told without touching the sandbox. */
export async function dryRun(
  resident: Resident,
  order: ReloadOrder,
  parts: ResidentState["shared"],
): Promise<ReloadReport> {
  return toReport(resident, await plan(resident, order, parts));
}

/** Reloads a sandbox. */
export async function carryOut(
  state: ResidentState,
  order: ReloadOrder,
  operation: Operation,
): Promise<ReloadReport> {
  const { resident, life, runs, shared } = state;
  if (life.status !== "running") throw new SandboxNotRunningError("reload", resident);
  const planned = await operation.until(plan(resident, order, shared));
  if (planned.move === undefined) return toReport(resident, planned);
  // It may have failed or gone while its new code was compiled.
  if (life.status !== "running") throw new SandboxNotRunningError("reload", resident);
  life.move("reload");
  runs.recall();
  const reload = new Reload(state, operation, { order, move: planned.move });
  try {
    const staged = await reload.run();
    const report = toReport(resident, planned);
    return staged === undefined ? report : { ...report, states: tellStates(state, staged) };
  } catch (error) {
    if (!operation.isEnded && life.can("reverted")) life.move("reverted");
    throw error;
  } finally {
    if (!operation.isEnded) runs.dispatchWaiting();
  }
}

async function plan(resident: Resident, order: ReloadOrder, parts: ResidentState["shared"]): Promise<Plan> {
  try {
    return await planReload(resident, order, parts);
  } catch (error) {
    throw error instanceof LoadError ? error.of(resident.id) : error;
  }
}

function tellStates({ resident, shared }: ResidentState, { report }: Staged): Staged["report"] {
  const { revision } = resident.versions.head;
  const servers = report.filter(({ way }) => way !== "kept").length;
  if (servers > 0) shared.bus.emit("state.migrated", { sandboxId: resident.id, revision, servers });
  return report;
}

/** One reload on its way through the isolate. */
class Reload {
  readonly #state: ResidentState;
  readonly #operation: Operation;
  readonly #order: ReloadOrder;
  readonly #move: Move;
  /** How often the sandbox had been rebuilt when its isolate was given something that must be settled. */
  #unsettledAt: number | undefined;

  constructor(
    state: ResidentState,
    operation: Operation,
    { order, move }: { readonly order: ReloadOrder; readonly move: Move },
  ) {
    this.#state = state;
    this.#operation = operation;
    this.#order = order;
    this.#move = move;
  }

  async run(): Promise<Staged | undefined> {
    const staged = await this.#untilWhole();
    await this.#orUndo(() => Promise.resolve());
    await this.#keep(staged);
    try {
      await this.#settle(true);
      this.#state.life.move("loaded");
    } catch (error) {
      // What ended it has thrown the isolate away; the revision holds.
      if (!this.#operation.isEnded) throw error;
    }
    return staged;
  }

  // A cell that dies for another's fault is another chance: what was lost with it is done once more, from the beginning.
  async #untilWhole(): Promise<Staged | undefined> {
    const { resident, account, life } = this.#state;
    // What a caller has migrated once is not asked of him again.
    const isOnce = this.#order.migrate !== undefined;
    for (let attempt = 1; ; attempt++) {
      const { rebuilds } = account;
      const isLost = (): boolean => account.rebuilds !== rebuilds && life.status === "reloading";
      try {
        const staged = await this.#prepare();
        if (this.#order.verify === undefined || this.#unsettledAt === account.rebuilds) return staged;
      } catch (error) {
        if (this.#operation.isEnded || !isLost() || !isOfLoss(error) || isOnce) throw error;
      }
      if (attempt >= attemptsMax || isOnce) throw reloadError(resident, "again", "evaluate");
    }
  }

  // Beside the old code and the old states, until it is settled.
  async #prepare(): Promise<Staged | undefined> {
    await this.#orUndo(async () => this.#evaluate(await this.#migrate()));
    const staged = await this.#orUndo(() => this.#stage());
    await this.#orUndo(() => this.#verify(), "at once");
    return staged;
  }

  // Where a step fails, or the caller gives up, what is in the isolate is taken back: when the step is over, or at once
  // where it is the caller's own.
  async #orUndo<T>(step: () => Promise<T>, when: "after" | "at once" = "after"): Promise<T> {
    const operation = this.#operation;
    let stepping: Promise<unknown> = Promise.resolve();
    try {
      operation.check();
      const stepped = step();
      stepping = stepped;
      return await operation.until(stepped);
    } catch (error) {
      if (operation.isEnded) throw error;
      if (when === "after") await operation.untilEnded(Promise.allSettled([stepping]));
      await this.#settle(false);
      throw error;
    }
  }

  async #migrate(): Promise<string> {
    const { resident, shared } = this.#state;
    const { migrate } = this.#order;
    if (migrate === undefined || resident.processes === null) return "";
    this.#unsettledAt = this.#state.account.rebuilds;
    const { clock } = shared;
    return migrateByHost(resident, { clock, operation: this.#operation }, { move: this.#move, migrate });
  }

  // What the states will be, before anyone sees them: a sandbox that is lost from here on begins with them.
  async #stage(): Promise<Staged | undefined> {
    const { resident } = this.#state;
    return resident.processes === null ? undefined : stagedStates(resident);
  }

  // In the isolate, beside the old code.
  async #evaluate(states: string): Promise<void> {
    const { resident } = this.#state;
    const { modules, removed, versions } = this.#move;
    const budgetMs = resident.limits.loadMs;
    let rebuilds = 0;
    const result = await resident.control(budgetMs, (op, key) => {
      ({ rebuilds } = this.#state.account);
      return { t: "reload", op, key, budgetMs, modules, removed, versions, states };
    });
    const failure = failureOf(resident, result);
    // A cell undoes by itself what failed in it.
    this.#unsettledAt = failure === undefined ? this.#state.account.rebuilds : undefined;
    if (failure === undefined || this.#operation.isEnded) return;
    if (this.#state.account.rebuilds === rebuilds) this.#noteLoss(result);
    if (failure === "again" && states !== "") throw statesLost(resident);
    throw reloadError(resident, failure, stageOf(result));
  }

  async #verify(): Promise<void> {
    const { verify, verifyMs } = this.#order;
    if (verify === undefined) return;
    const { resident, shared } = this.#state;
    const toError = (): Error =>
      new VivariumError(
        "VERIFY_FAILED",
        `Cannot keep the new revision of sandbox "${resident.id}" as verify must answer within verifyMs, ${verifyMs}: it was undone`,
      );
    const around = [...(verifying.getStore() ?? []), this.#operation];
    const verified = verifying.run(around, async () => verify());
    const isGood = await this.#operation.within(shared.clock, { ms: verifyMs, toError }, verified);
    if (!isGood) throw new VerifyFailedError(resident.id);
  }

  // Kept first, then current: what a caller was told survives, and what could not be kept was never told.
  async #keep(staged: Staged | undefined): Promise<void> {
    const { resident, code, checkpoint, persistence, assignment } = this.#state;
    if (this.#operation.isEnded) throw new SandboxNotRunningError("reload", resident);
    const { place } = assignment;
    const unadopt = code.adopt(this.#move.step, this.#move.order);
    const isWritten = checkpoint.isThere && staged !== undefined;
    const putBack = isWritten ? checkpoint.tryOut(staged.capture) : undefined;
    const takeBack = (): void => {
      unadopt();
      putBack?.();
      // A store that was only late may have it after all: it is told what holds.
      persistence.save().catch(() => {});
    };
    this.#operation.onEnd(takeBack);
    try {
      await this.#operation.untilEnded(persistence.save());
      // A caller who gave up meanwhile was told so.
      this.#operation.check();
      this.#operation.commit();
    } catch (error) {
      if (this.#operation.isEnded) throw error;
      takeBack();
      if (assignment.place === place) await this.#settle(false);
      // One that was made meanwhile was made from what is taken back.
      else if (assignment.place !== undefined) resident.cellEvents.replaceIsolate("reload");
      throw error;
    }
  }

  // Where the isolate with the new code is gone, or does not let go of it, the sandbox is loaded anew from the revision
  // that is current now.
  async #settle(isCommitted: boolean): Promise<void> {
    const { resident, assignment, account } = this.#state;
    if (assignment.place === undefined) return;
    if (this.#unsettledAt !== account.rebuilds) {
      // An isolate that was made anew meanwhile knows of no reload: it has nothing to undo, and the old code.
      if (isCommitted) resident.cellEvents.replaceIsolate("reload");
      return;
    }
    this.#unsettledAt = undefined;
    const settled = resident.control(0, (op, key) => ({ t: "settle", op, key, isCommitted }));
    const { item } = await this.#operation.untilEnded(settled);
    if (item !== undefined && (item.verdict === "gone" || item.isLost))
      resident.cellEvents.onIsolateLost("reload");
  }

  // An isolate that went with the evaluation, or of which the cell knows nothing, is made anew.
  #noteLoss({ item }: ControlResult): void {
    if (item !== undefined && (item.isLost || item.verdict === "gone"))
      this.#state.resident.cellEvents.onIsolateLost("reload");
  }
}
