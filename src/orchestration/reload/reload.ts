// Hot reload as a transaction: compile → gate → link → evaluate in the living isolate → verify → keep → switch. Whatever fails
// leaves the sandbox as it was, running the old code with the old state, and the log without a trace. What ends the reload
// for good has thrown the isolate away: then there is nothing to undo.
import { AsyncLocalStorage } from "node:async_hooks";
import { LoadError, SandboxNotRunningError, VerifyFailedError, VivariumError } from "../../model/errors.ts";
import type { ControlResult } from "../runs/ticket.ts";
import type { SandboxView } from "../sandbox-view.ts";
import type { Operation } from "../sandboxes/operation.ts";
import type { SandboxState } from "../sandboxes/state.ts";
import { failureOf, isOfLoss, reloadError, stageOf } from "./reload-failure.ts";
import { migrateByHost, preparedStates, statesLost, type PreparedStates } from "./migration.ts";
import {
  planReload,
  toReport,
  type Move,
  type Plan,
  type ReloadInput,
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
export async function planOnly(
  sandbox: SandboxView,
  input: ReloadInput,
  parts: SandboxState["shared"],
): Promise<ReloadReport> {
  return toReport(sandbox, await plan(sandbox, input, parts));
}

/** Reloads a sandbox. */
export async function carryOut(
  state: SandboxState,
  input: ReloadInput,
  operation: Operation,
): Promise<ReloadReport> {
  const { sandbox, life, runs, shared } = state;
  if (life.status !== "running") throw new SandboxNotRunningError("reload", sandbox);
  const planned = await operation.until(plan(sandbox, input, shared));
  if (planned.move === undefined) return toReport(sandbox, planned);
  // It may have failed or gone while its new code was compiled.
  if (life.status !== "running") throw new SandboxNotRunningError("reload", sandbox);
  life.move("reload");
  runs.recall();
  const reload = new Reload(state, operation, { input, move: planned.move });
  try {
    const prepared = await reload.run();
    const report = toReport(sandbox, planned);
    return prepared === undefined ? report : { ...report, states: tellStates(state, prepared) };
  } catch (error) {
    if (!operation.isEnded && life.can("reverted")) life.move("reverted");
    throw error;
  } finally {
    if (!operation.isEnded) runs.dispatchWaiting();
  }
}

async function plan(sandbox: SandboxView, input: ReloadInput, parts: SandboxState["shared"]): Promise<Plan> {
  try {
    return await planReload(sandbox, input, parts);
  } catch (error) {
    throw error instanceof LoadError ? error.of(sandbox.id) : error;
  }
}

function tellStates({ sandbox, shared }: SandboxState, { report }: PreparedStates): PreparedStates["report"] {
  const { revision } = sandbox.versions.head;
  const servers = report.filter(({ way }) => way !== "kept").length;
  if (servers > 0) shared.bus.emit("state.migrated", { sandboxId: sandbox.id, revision, servers });
  return report;
}

/** One reload on its way through the isolate. */
class Reload {
  readonly #state: SandboxState;
  readonly #operation: Operation;
  readonly #input: ReloadInput;
  readonly #move: Move;
  /** How often the sandbox had been rebuilt when its isolate was given something that must be settled. */
  #unsettledAt: number | undefined;

  constructor(
    state: SandboxState,
    operation: Operation,
    { input, move }: { readonly input: ReloadInput; readonly move: Move },
  ) {
    this.#state = state;
    this.#operation = operation;
    this.#input = input;
    this.#move = move;
  }

  async run(): Promise<PreparedStates | undefined> {
    const prepared = await this.#untilWhole();
    await this.#orUndo(() => Promise.resolve());
    await this.#keep(prepared);
    try {
      await this.#settle(true);
      this.#state.life.move("loaded");
    } catch (error) {
      // What ended it has thrown the isolate away; the revision holds.
      if (!this.#operation.isEnded) throw error;
    }
    return prepared;
  }

  // A cell that dies for another's fault is another chance: what was lost with it is done once more, from the beginning.
  async #untilWhole(): Promise<PreparedStates | undefined> {
    const { sandbox, account, life } = this.#state;
    // What a caller has migrated once is not asked of him again.
    const isOnce = this.#input.migrate !== undefined;
    for (let attempt = 1; ; attempt++) {
      const { rebuilds } = account;
      const isLost = (): boolean => account.rebuilds !== rebuilds && life.status === "reloading";
      try {
        const prepared = await this.#prepare();
        if (this.#input.verify === undefined || this.#unsettledAt === account.rebuilds) return prepared;
      } catch (error) {
        if (this.#operation.isEnded || !isLost() || !isOfLoss(error) || isOnce) throw error;
      }
      if (attempt >= attemptsMax || isOnce) throw reloadError(sandbox, "again", "evaluate");
    }
  }

  // Beside the old code and the old states, until it is settled.
  async #prepare(): Promise<PreparedStates | undefined> {
    await this.#orUndo(async () => this.#evaluate(await this.#migrate()));
    const prepared = await this.#orUndo(() => this.#collectStates());
    await this.#orUndo(() => this.#verify(), "at once");
    return prepared;
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
    const { sandbox, shared } = this.#state;
    const { migrate } = this.#input;
    if (migrate === undefined || sandbox.processes === null) return "";
    this.#unsettledAt = this.#state.account.rebuilds;
    const { clock } = shared;
    return migrateByHost(sandbox, { clock, operation: this.#operation }, { move: this.#move, migrate });
  }

  // What the states will be, before anyone sees them: a sandbox that is lost from here on begins with them.
  async #collectStates(): Promise<PreparedStates | undefined> {
    const { sandbox } = this.#state;
    return sandbox.processes === null ? undefined : preparedStates(sandbox);
  }

  // In the isolate, beside the old code.
  async #evaluate(states: string): Promise<void> {
    const { sandbox } = this.#state;
    const { modules, removed } = this.#move;
    const versions = JSON.stringify(Object.fromEntries(this.#move.versions));
    const budgetMs = sandbox.limits.loadMs;
    let rebuilds = 0;
    const result = await sandbox.control(budgetMs, (op, key) => {
      ({ rebuilds } = this.#state.account);
      return { t: "reload", op, key, budgetMs, modules, removed, versions, states };
    });
    const failure = failureOf(sandbox, result);
    // A cell undoes by itself what failed in it.
    this.#unsettledAt = failure === undefined ? this.#state.account.rebuilds : undefined;
    if (failure === undefined || this.#operation.isEnded) return;
    if (this.#state.account.rebuilds === rebuilds) this.#noteLoss(result);
    if (failure === "again" && states !== "") throw statesLost(sandbox);
    throw reloadError(sandbox, failure, stageOf(result));
  }

  async #verify(): Promise<void> {
    const { verify, verifyMs } = this.#input;
    if (verify === undefined) return;
    const { sandbox, shared } = this.#state;
    const toError = (): Error =>
      new VivariumError(
        "VERIFY_FAILED",
        `Cannot keep the new revision of sandbox "${sandbox.id}" as verify must answer within verifyMs, ${verifyMs}: it was undone`,
      );
    const around = [...(verifying.getStore() ?? []), this.#operation];
    const verified = verifying.run(around, async () => verify());
    const isGood = await this.#operation.within(shared.clock, { ms: verifyMs, toError }, verified);
    if (!isGood) throw new VerifyFailedError(sandbox.id);
  }

  // Kept first, then current: what a caller was told survives, and what could not be kept was never told.
  async #keep(prepared: PreparedStates | undefined): Promise<void> {
    const { sandbox, code, checkpoint, persistence, assignment } = this.#state;
    if (this.#operation.isEnded) throw new SandboxNotRunningError("reload", sandbox);
    const { place } = assignment;
    const unadopt = code.adopt(this.#move.next, this.#move.order);
    const isWritten = checkpoint.isThere && prepared !== undefined;
    const putBack = isWritten ? checkpoint.tryOut(prepared.capture) : undefined;
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
      else if (assignment.place !== undefined) sandbox.cellEvents.replaceIsolate("reload");
      throw error;
    }
  }

  // Where the isolate with the new code is gone, or does not let go of it, the sandbox is loaded anew from the revision
  // that is current now.
  async #settle(isCommitted: boolean): Promise<void> {
    const { sandbox, assignment, account } = this.#state;
    if (assignment.place === undefined) return;
    if (this.#unsettledAt !== account.rebuilds) {
      // An isolate that was made anew meanwhile knows of no reload: it has nothing to undo, and the old code.
      if (isCommitted) sandbox.cellEvents.replaceIsolate("reload");
      return;
    }
    this.#unsettledAt = undefined;
    const settled = sandbox.control(0, (op, key) => ({ t: "settle", op, key, isCommitted }));
    const { item } = await this.#operation.untilEnded(settled);
    if (item !== undefined && (item.verdict === "gone" || item.isLost))
      sandbox.cellEvents.onIsolateLost("reload");
  }

  // An isolate that went with the evaluation, or of which the cell knows nothing, is made anew.
  #noteLoss({ item }: ControlResult): void {
    if (item !== undefined && (item.isLost || item.verdict === "gone"))
      this.#state.sandbox.cellEvents.onIsolateLost("reload");
  }
}
