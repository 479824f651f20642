// The operations that change a sandbox, but not its code: limits, suspend, resume, destroy.
import { CancelledError, InvalidLimitsError, SandboxNotRunningError } from "../../../model/errors.ts";
import type { Limits } from "../../../model/limits.ts";
import type { GuestFailure } from "../../../model/runs/outcome.ts";
import { tombstoneOf } from "../tombstone.ts";
import { rebuild } from "./failure.ts";
import type { Operation } from "./operation.ts";
import type { SandboxState } from "../state.ts";

/** Changes limits. More memory needs a new isolate; true when one was made, with the sandbox at its head revision. */
export async function updateLimits(
  state: SandboxState,
  resolve: (current: Limits) => Limits,
  operation: Operation,
): Promise<boolean> {
  const { sandbox, life, assignment, persistence } = state;
  if (life.status !== "running") throw new SandboxNotRunningError("change the limits of", sandbox);
  const before = state.limits;
  const limits = resolve(before);
  if ((limits.fuel === null) !== (before.fuel === null)) {
    const rule = "it must be inserted into the code at creation: the sandbox lives";
    throw new InvalidLimitsError(`Cannot switch fuel on or off as ${rule}`, "fuel");
  }
  // Limits that could not be stored are taken back.
  const takeBack = (): void => {
    applyLimits(state, before);
    // A store that was only late may have them after all: it gets the limits that apply.
    persistence.save().catch(() => {});
  };
  operation.onEnd(takeBack);
  const needsIsolate = limits.memoryBytes > (assignment.place?.memoryBytes ?? Infinity);
  if (needsIsolate) await makeIsolateFor(state, limits, operation);
  else applyLimits(state, limits);
  try {
    operation.check();
    await operation.until(persistence.save());
    operation.commit();
  } catch (error) {
    if (!operation.isEnded) takeBack();
    throw error;
  }
  return needsIsolate;
}

function applyLimits(state: SandboxState, limits: Limits): void {
  state.limits = state.shared.limitSets.of(limits);
  state.account.logs.resize(limits.logBytes);
  const { place } = state.assignment;
  place?.queue.changeLimits(place.key, limits);
}

async function makeIsolateFor(state: SandboxState, limits: Limits, operation: Operation): Promise<void> {
  const { life, assignment, runs } = state;
  life.move("reload");
  runs.recall();
  try {
    await operation.until(runs.drain());
  } catch (error) {
    if (!operation.isEnded) {
      life.move("reverted");
      runs.dispatchWaiting();
    }
    throw error;
  }
  runs.hold(assignment.release());
  applyLimits(state, limits);
  life.move("reverted");
  rebuild(state, "limits");
  runs.dispatchWaiting();
}

/** Pauses timers and processes; runs wait until the sandbox is resumed. */
export async function suspend(state: SandboxState, operation: Operation): Promise<void> {
  const { assignment, runs } = state;
  await storeMove(state, operation, "suspend");
  runs.recall();
  const { place } = assignment;
  place?.queue.hold(place.key, true);
}

/** Lets it go on; where its cell is gone meanwhile, it gets another one. */
export async function resume(state: SandboxState, operation: Operation): Promise<void> {
  const { assignment, runs } = state;
  await storeMove(state, operation, "resume");
  const { place } = assignment;
  if (place === undefined) assignment.assign();
  else place.queue.hold(place.key, false);
  runs.dispatchWaiting();
}

// What a caller learns of survives; where it cannot be stored, nothing has changed.
async function storeMove(
  { sandbox, life, persistence }: SandboxState,
  operation: Operation,
  move: "suspend" | "resume",
): Promise<void> {
  const check = (): void => {
    if (!life.can(move)) throw new SandboxNotRunningError(move, sandbox);
  };
  check();
  try {
    await operation.until(persistence.saveMove(move === "suspend" ? "suspended" : "running"));
    check();
    life.move(move);
    operation.commit();
    persistence.moved();
  } catch (error) {
    persistence.moved();
    // A store that was only late may have the move after all: it gets what is.
    if (!operation.isEnded) persistence.noteRecord();
    throw error;
  }
}

/** Ends a sandbox and settles all its runs. Nothing of it is left but a tombstone. */
export async function destroy(state: SandboxState, reason: string): Promise<void> {
  const { sandbox, life, account, assignment, runs, persistence, shared } = state;
  const { clock, registry } = shared;
  const message = "Cannot finish the run as the sandbox was destroyed";
  const failure: GuestFailure = { kind: "cancelled", reason: "destroyed", message };
  runs.endAll(failure);
  if (assignment.isLoading)
    assignment.failLoad(new CancelledError(`loading of sandbox "${sandbox.id}"`, `it was ended: ${reason}`));
  assignment.giveUp();
  account.reason ??= reason;
  const tombstone = tombstoneOf(sandbox, clock.monotonic());
  await persistence.remove(tombstone).finally(() => {
    life.move("stopped");
    registry.archive(sandbox, tombstone);
  });
}
