// Hot reload as a transaction, its steps in their order: plan, compile, link, hold, migrate, evaluate, verify, persist, switch,
// resume. A step that fails leaves the sandbox as it was: the old code with the old states, and a log without the revision.
// An operation that ended the reload has thrown the isolate away, so that there is nothing to undo.
import { isOfOthers, type ReloadCommand } from "../../execution/protocol/messages.ts";
import { LoadError, SandboxNotRunningError, VerifyFailedError, VivariumError } from "../../model/errors.ts";
import { lightMs } from "../../std/fair-turns.ts";
import { slicing } from "../../std/slicing.ts";
import { chooseReloadLane } from "../runs/lane.ts";
import type { ControlResult } from "../runs/ticket.ts";
import type { SandboxView } from "../sandbox-view.ts";
import type { Operation } from "../sandboxes/operations/operation.ts";
import type { SandboxState } from "../sandboxes/state.ts";
import { failureOf, isOfLoss, reloadError, phaseOf } from "./reload-failure.ts";
import { holdServers, migrateStates, preparedStates, statesLost, type PreparedStates } from "./migration.ts";
import { emitMutated } from "./mutation.ts";
import {
  compileChanges,
  linkRevision,
  numberVersions,
  toReport,
  type Migrate,
  type Move,
  type Plan,
  type ReloadInput,
  type ReloadReport,
} from "./reload-plan.ts";
import { verifyWithin } from "./verification.ts";

/** How often the new code is evaluated where isolates are lost. */
const attemptsMax = 3;

/** Reloads a sandbox. */
export async function reload(
  state: SandboxState,
  input: ReloadInput,
  operation: Operation,
): Promise<ReloadReport> {
  const { sandbox, life, runs, shared } = state;
  if (life.status !== "running") throw new SandboxNotRunningError("reload", sandbox);
  const planned = await operation.until(plan(sandbox, input, shared));
  if (planned.move === undefined) return toReport(sandbox, planned);
  // It may have failed or been destroyed while its new code was compiled.
  if (life.status !== "running") throw new SandboxNotRunningError("reload", sandbox);
  life.move("reload");
  runs.recall();
  try {
    const states = await new Transaction(state, operation, { input, move: planned.move }).run();
    const report = toReport(sandbox, planned);
    emitMutated(shared.bus, sandbox, input.mutation);
    return states === undefined ? report : { ...report, states: emitMigrated(state, states) };
  } catch (error) {
    if (!operation.isEnded && life.can("reverted")) life.move("reverted");
    throw error;
  } finally {
    // Resume: runs that waited meanwhile are sent.
    if (!operation.isEnded) runs.dispatchWaiting();
  }
}

/** What a reload would do, as far as that can be known without touching the sandbox. */
export async function planOnly(
  sandbox: SandboxView,
  input: ReloadInput,
  parts: SandboxState["shared"],
): Promise<ReloadReport> {
  return toReport(sandbox, await plan(sandbox, input, parts));
}

async function plan(sandbox: SandboxView, input: ReloadInput, parts: SandboxState["shared"]): Promise<Plan> {
  try {
    const changes = input.changes();
    const compiled = await compileChanges(sandbox, changes, parts);
    const next = numberVersions(sandbox, compiled, { mutation: input.mutation, now: parts.clock.now() });
    return { changes, move: next === undefined ? undefined : linkRevision(sandbox, next, parts) };
  } catch (error) {
    throw error instanceof LoadError ? error.of(sandbox.id) : error;
  }
}

/** The part of a reload that touches the isolate: from holding servers back to the switch. */
class Transaction {
  readonly #state: SandboxState;
  readonly #operation: Operation;
  readonly #input: ReloadInput;
  readonly #move: Move;
  /** While the isolate has something to commit or to undo: how often the sandbox had been rebuilt when it got that. */
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

  /** Returns the new states of processes, where the sandbox has processes. */
  async run(): Promise<PreparedStates | undefined> {
    const states = await this.#prepareWhole();
    // The last moment at which the caller can give up before the revision is stored.
    await this.#orUndo(async () => slicing.turn(this.#state.sandbox.placement.tenant));
    await this.#persist(states);
    this.#switch();
    return states;
  }

  // Where the isolate was lost and the new code is not to blame, all that was lost with it is done once more.
  async #prepareWhole(): Promise<PreparedStates | undefined> {
    const { sandbox, account, life } = this.#state;
    // A caller's migration is not called twice.
    const isOnce = this.#input.migrate !== undefined;
    for (let attempt = 1; ; attempt++) {
      const { rebuilds } = account;
      const isLost = (): boolean => account.rebuilds !== rebuilds && life.status === "reloading";
      try {
        const states = await this.#prepare();
        if (this.#input.verify === undefined || this.#unsettledAt === account.rebuilds) return states;
      } catch (error) {
        if (this.#operation.isEnded || !isLost() || !isOfLoss(error) || isOnce) throw error;
      }
      if (attempt >= attemptsMax || isOnce) throw reloadError(sandbox, "again", "evaluate");
    }
  }

  // The new code and the new states stand beside the old ones until the switch.
  async #prepare(): Promise<PreparedStates | undefined> {
    const { migrate, verify } = this.#input;
    const { sandbox } = this.#state;
    const hasProcesses = sandbox.processes !== null;
    const isMigrated = hasProcesses && migrate !== undefined;
    const migrated = isMigrated ? await this.#orUndo(() => this.#holdAndMigrate(migrate)) : "";
    await this.#orUndo(() => this.#evaluate(migrated));
    // A sandbox that loses its isolate after the switch begins with these states.
    const states = hasProcesses ? await this.#orUndo(() => preparedStates(sandbox)) : undefined;
    if (verify !== undefined) await this.#orUndo(() => this.#verify(verify), "at once");
    return states;
  }

  // Where the caller migrates states, the servers whose code changes are held back and their states handed to the caller.
  // Otherwise the new code migrates them itself when it is evaluated.
  async #holdAndMigrate(migrate: Migrate): Promise<string> {
    const { sandbox, account, shared } = this.#state;
    this.#unsettledAt = account.rebuilds;
    const held = await holdServers(sandbox, this.#move.next);
    const { versions } = this.#move;
    const { clock } = shared;
    return migrateStates(sandbox, held, { migrate, versions, clock, operation: this.#operation });
  }

  async #evaluate(states: string): Promise<void> {
    const { sandbox, account, code } = this.#state;
    const { modules, removed, codeKey } = this.#move;
    const versions = JSON.stringify(Object.fromEntries(this.#move.versions));
    const budgetMs = sandbox.limits.loadMs;
    let rebuilds = 0;
    const result = await sandbox.control(budgetMs, (op, key) => {
      ({ rebuilds } = account);
      return { t: "reload", op, key, lane: this.#lane, budgetMs, modules, removed, versions, states };
    });
    const { item } = result;
    if (item !== undefined && !isOfOthers(item.verdict)) code.reloadPaces.note(codeKey, item.wallUs / 1_000);
    const failure = failureOf(sandbox, result);
    // A cell undoes by itself what failed in it.
    this.#unsettledAt = failure === undefined ? account.rebuilds : undefined;
    if (failure === undefined || this.#operation.isEnded) return;
    if (account.rebuilds === rebuilds) this.#noteLoss(result);
    if (failure === "again" && states !== "") throw statesLost(sandbox);
    throw reloadError(sandbox, failure, phaseOf(result));
  }

  get #lane(): ReloadCommand["lane"] {
    const { sandbox, account, code, shared } = this.#state;
    return chooseReloadLane({
      isKnown: code.reloadPaces.isQuick(this.#move.codeKey),
      hasProcesses: sandbox.processes !== null,
      isCpuBound: sandbox.limits.cpuPercent !== null,
      isHeavy: account.service.at(shared.clock.monotonic()) > lightMs,
    });
  }

  async #verify(verify: NonNullable<ReloadInput["verify"]>): Promise<void> {
    const { verifyMs } = this.#input;
    const { sandbox, shared } = this.#state;
    const toError = (): Error =>
      new VivariumError(
        "VERIFY_FAILED",
        `Cannot keep the new revision of sandbox "${sandbox.id}" as verify must answer within verifyMs, ${verifyMs}: it was undone`,
      );
    const verified = verifyWithin(this.#operation, verify);
    const isGood = await this.#operation.within(shared.clock, { ms: verifyMs, toError }, verified);
    if (!isGood) throw new VerifyFailedError(sandbox.id);
  }

  // The revision is stored before it is in effect: what a caller learns of survives, and what could not be stored does not
  // become current.
  async #persist(states: PreparedStates | undefined): Promise<void> {
    const { sandbox, code, checkpoint, persistence, assignment } = this.#state;
    if (this.#operation.isEnded) throw new SandboxNotRunningError("reload", sandbox);
    const { place } = assignment;
    const unadopt = code.adopt(this.#move.next, this.#move.order);
    const isCheckpointed = checkpoint.isThere && states !== undefined;
    const restoreCheckpoint = isCheckpointed ? checkpoint.tryOut(states.capture) : undefined;
    const takeBack = (): void => {
      unadopt();
      restoreCheckpoint?.();
      // A store that was only late may have the revision after all: it gets what is current.
      persistence.save().catch(() => {});
    };
    this.#operation.onEnd(takeBack);
    try {
      await this.#operation.untilEnded(persistence.save());
      // A caller that gave up meanwhile has its error already.
      this.#operation.check();
      this.#operation.commit();
    } catch (error) {
      if (this.#operation.isEnded) throw error;
      takeBack();
      if (assignment.place === place) await this.#undo();
      // An isolate that was made meanwhile has the revision that is taken back.
      else if (assignment.place !== undefined) sandbox.cellEvents.replaceIsolate("reload");
      throw error;
    }
  }

  // The revision is stored and stays. The isolate has the new code in effect already and need only release the old one: what
  // follows is sent behind the command, without waiting for its answer.
  #switch(): void {
    // What ended the reload has thrown the isolate away.
    if (this.#operation.isEnded) return;
    const { assignment, life } = this.#state;
    const { place } = assignment;
    const settling = this.#startSettling(true);
    life.move("loaded");
    settling?.then(
      (result) => {
        if (assignment.place === place) this.#noteLoss(result);
      },
      // No isolate is left that could have uncommitted code.
      () => {},
    );
  }

  // Where a step fails, or the caller gives up, what is in the isolate is taken back: when the step is over, or at once
  // where the step is the caller's own.
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
      await this.#undo();
      throw error;
    }
  }

  // Has the isolate commit the new code, or undo it. Where that isolate is gone, or cannot do it, the sandbox is loaded anew
  // from the revision that is current now.
  #startSettling(isCommitted: boolean): Promise<ControlResult> | undefined {
    const { sandbox, assignment, account } = this.#state;
    if (assignment.place === undefined) return undefined;
    if (this.#unsettledAt !== account.rebuilds) {
      // An isolate that was made meanwhile has the old code and nothing to undo.
      if (isCommitted) sandbox.cellEvents.replaceIsolate("reload");
      return undefined;
    }
    this.#unsettledAt = undefined;
    return sandbox.control(0, (op, key) => ({ t: "settle", op, key, isCommitted }));
  }

  async #undo(): Promise<void> {
    const settling = this.#startSettling(false);
    if (settling !== undefined) this.#noteLoss(await this.#operation.untilEnded(settling));
  }

  // An isolate that was lost with the step, or of which the cell knows nothing, is made anew.
  #noteLoss({ item }: ControlResult): void {
    if (item !== undefined && (item.isLost || isOfOthers(item.verdict)))
      this.#state.sandbox.cellEvents.onIsolateLost("reload");
  }
}

function emitMigrated(
  { sandbox, shared }: SandboxState,
  { report }: PreparedStates,
): PreparedStates["report"] {
  const { revision } = sandbox.versions.head;
  const servers = report.filter(({ way }) => way !== "kept").length;
  if (servers > 0 && sandbox.kind !== "helper")
    shared.bus.emit("state.migrated", { sandboxId: sandbox.id, revision, servers });
  return report;
}
