// Loads modules into a new isolate and reloads them in a running one, with the processes that use them.
import { at, each, stringify } from "../model/wire/intrinsics.ts";
import {
  beginReload,
  commitReload,
  define,
  evaluate,
  reloadNumber,
  remove,
  revertReload,
  type Factory,
} from "./modules.ts";
import { manage, processes } from "./processes.ts";
import { answerOf, type Answer } from "./runs.ts";

/** A sandbox that is loaded. */
export interface Load {
  /** Comes before any code of the modules. */
  readonly prepare: () => void;
  /** The order of evaluation, and the code of each module in it. */
  readonly order: readonly string[];
  readonly factories: readonly Factory[];
  readonly tree: TreePlan | null;
}

/** Evaluates the modules, and starts the tree of processes where there is one; returns as a call without a value. */
export function load(op: number, { prepare, order, factories, tree }: Load): Answer {
  return answerOf(op, () => {
    prepare();
    for (let i = 0; i < order.length; i++) define(at(order, i), at(factories, i));
    const waiting = evaluate(order);
    if (tree === null) return waiting;
    return startAfter(waiting, tree);
  });
}

/** The tree of processes that a sandbox starts. */
export interface TreePlan {
  readonly supervisor: string;
  readonly capture: string;
}

async function startAfter(waiting: Promise<unknown> | undefined, tree: TreePlan): Promise<undefined> {
  await waiting;
  await (manage("start", tree.supervisor, tree.capture) as Promise<void>);
}

/** What a reload changes. */
export interface ReloadPlan {
  readonly order: readonly string[];
  readonly removed: readonly string[];
  /** The version of each changed module before and after, as JSON. */
  readonly versions: string;
  /** States that the host migrated itself. */
  readonly states: string;
}

/**
 * Evaluates modules beside the present ones, which they then replace, and migrates the states of servers whose code they are.
 * A failure undoes everything; otherwise the reload waits to be settled. Answers as `load`.
 */
export function reload(op: number, plan: ReloadPlan, factories: readonly Factory[]): Answer {
  return answerOf(op, () => {
    try {
      stageModules(plan, factories);
      if (processes() !== undefined) return undoOnFailure(reloadProcesses(plan));
      const waiting = evaluate(plan.order);
      return waiting === undefined ? undefined : undoOnFailure(waiting);
    } catch (error) {
      settleReload(false);
      throw error;
    }
  });
}

// What an earlier reload left unsettled is undone first.
function stageModules({ order, removed }: ReloadPlan, factories: readonly Factory[]): void {
  revertReload();
  beginReload();
  each(removed, remove);
  for (let i = 0; i < order.length; i++) define(at(order, i), at(factories, i));
}

async function reloadProcesses({ order, removed, versions, states }: ReloadPlan): Promise<void> {
  const changed = stringify([...order, ...removed]);
  const begun = reloadNumber();
  await (manage("suspend", changed, "") as Promise<void>);
  // It may have been undone while processes were being suspended: the old code must not be evaluated again.
  if (reloadNumber() !== begun) throw new ReferenceError("Cannot go on as the reload was undone");
  await evaluate(order);
  await (manage("migrate", versions, states) as Promise<void>);
}

/** Commits or undoes a reload. False where there was none to commit, or it could not be undone. */
export function settleReload(isCommitted: boolean): boolean {
  const isSettled = isCommitted ? commitReload() : revertReload();
  if (processes() !== undefined) manage("resume", isCommitted ? "commit" : "revert", "");
  return isSettled;
}

async function undoOnFailure(waiting: Promise<unknown>): Promise<undefined> {
  try {
    await waiting;
  } catch (error) {
    settleReload(false);
    throw error;
  }
}
