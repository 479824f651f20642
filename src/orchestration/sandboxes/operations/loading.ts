// The operations that load a sandbox: its creation, its return from the store, and its restart.
import { CancelledError, LoadError, SandboxNotRunningError } from "../../../model/errors.ts";
import type { StateCapture } from "../../../model/sandboxes/process.ts";
import type { Compile } from "../../code/build.ts";
import { fail, failWith } from "./failure.ts";
import { build } from "./first-revision.ts";
import type { Operation } from "./operation.ts";
import type { SandboxPlan } from "../sandbox-plan.ts";
import type { SandboxState } from "../state.ts";

/** Builds and loads the first revision. Code that fails leaves it failed and rejects with a `LoadError`. */
export async function open(
  state: SandboxState,
  { code, loadError }: Pick<SandboxPlan, "code" | "loadError">,
  operation: Operation,
): Promise<void> {
  const { sandbox, shared, faults, persistence } = state;
  try {
    if (loadError !== undefined) throw loadError;
    const first = await operation.until(build(sandbox, code, shared));
    first(state.code);
  } catch (error) {
    if (operation.isEnded || !(error instanceof LoadError)) throw error;
    throw fail(state, error, { failure: { kind: "load", message: error.message }, by: operation });
  }
  if (shared.isKiller(sandbox)) faults.noteSuspicion();
  // Processes have states once they are loaded. Anything else is complete, and is stored while it is loaded.
  const saving = sandbox.processes === null ? persistence.save("creating") : undefined;
  saving?.catch(() => {});
  await load(state, operation);
  // It may have been destroyed at the same moment: then nothing of it is stored.
  operation.check();
  await operation.until(saving ?? persistence.save());
  if (saving !== undefined) persistence.noteRecord();
}

/**
 * Brings a sandbox back from the store as it was. Where it has processes or sets timers when it is loaded, it is loaded now;
 * otherwise its first use loads it. `onKnown` is called when its code is there and its load, if any, begins.
 */
export async function restore(
  state: SandboxState,
  { code, record, onKnown }: Pick<SandboxPlan, "code" | "record"> & { readonly onKnown: () => void },
  operation: Operation,
): Promise<void> {
  const { sandbox, life, shared } = state;
  const status = record?.status ?? "running";
  // It never had code that is a program.
  if (status === "failed" && !("versions" in code)) return life.move("failed");
  const { artifacts } = shared;
  const compile: Compile = async (request) => (await artifacts?.find(request)) ?? shared.compile(request);
  try {
    const first = await operation.until(build(sandbox, code, { ...shared, compile }));
    first(state.code);
  } catch (error) {
    if (operation.isEnded) throw error;
    // Of one that failed before, the first reason is the one to know.
    if (status === "failed") return life.move("failed");
    if (!(error instanceof LoadError)) throw error;
    throw fail(state, error, { failure: { kind: "load", message: error.message }, by: operation });
  }
  if (status === "failed") return life.move("failed");
  onKnown();
  if (status === "creating" || (status === "running" && startsByItself(sandbox)))
    return load(state, operation);
  life.move("loaded");
  if (status === "suspended") life.move("suspend");
}

/** How a module names what lets it go on by itself after it was loaded. */
const timers = /\bset(?:Timeout|Interval|Immediate)\b/;

function startsByItself({ processes, modules }: SandboxState["sandbox"]): boolean {
  return processes !== null || [...modules.values()].some(({ source }) => timers.test(source));
}

/** Loads it anew at the current revision; where a capture is given, with its states. */
export async function restart(
  state: SandboxState,
  operation: Operation,
  capture: StateCapture | undefined,
): Promise<void> {
  const { sandbox, life, account, assignment, runs, faults, checkpoint, persistence } = state;
  // Without a revision there is nothing to load.
  if (!life.can("restart") || sandbox.versions.head.revision === 0)
    throw new SandboxNotRunningError("restart", sandbox);
  const statesBefore = checkpoint.toText();
  if (capture !== undefined) {
    checkpoint.take(JSON.stringify(capture));
    operation.onEnd(() => putBack(state, statesBefore));
  }
  const message = "Cannot finish the run as the sandbox was restarted";
  runs.endAll({ kind: "cancelled", reason: "restarted", message });
  assignment.giveUp();
  const wasRunning = life.status === "running" || life.status === "reloading";
  life.move("restart");
  account.noteRestart();
  faults.noteRestart();
  try {
    await load(state, operation);
    operation.check();
    if (capture !== undefined || !persistence.isStored) await operation.until(persistence.save());
    // It runs as before, also where the store fails.
    else if (wasRunning) await operation.until(persistence.saveRecord().catch(() => {}));
    else await operation.until(persistence.saveRecord());
    operation.commit();
  } catch (error) {
    if (operation.isEnded) throw error;
    if (capture !== undefined) takeBack(state, statesBefore);
    // Where no cell could be had, or the caller gave up, it can be restarted later.
    if (!(error instanceof LoadError) && life.status === "creating")
      failWith(state, { kind: "load", message: String(error) }, { by: operation, isBlameless: true });
    throw error;
  }
}

// States that could not be stored are taken back: where it runs with them, it is loaded again with the former ones.
function takeBack(state: SandboxState, states: string): void {
  putBack(state, states);
  if (state.life.status === "running") state.sandbox.cellEvents.replaceIsolate("restore");
}

function putBack({ checkpoint, persistence }: SandboxState, states: string): void {
  checkpoint.replace(states);
  // A store that was only late may have the others after all: it gets those that apply.
  if (persistence.isStored) persistence.save().catch(() => {});
}

async function load({ sandbox, life, assignment, runs }: SandboxState, operation: Operation): Promise<void> {
  await operation.until(assignment.load());
  if (!life.can("loaded"))
    throw new CancelledError(`loading of sandbox "${sandbox.id}"`, `it is ${life.status}`);
  life.move("loaded");
  // Its cell may have died at the same moment.
  assignment.assign();
  runs.dispatchWaiting();
}
