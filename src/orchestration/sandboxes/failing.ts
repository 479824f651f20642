// A sandbox that can no longer be called, and one that lost its isolate and stands again.
import { LoadError, SandboxNotRunningError } from "../../model/errors.ts";
import type { GuestFailure } from "../../model/outcome.ts";
import type { Operation } from "./operation.ts";
import { verbOf } from "./operations.ts";
import { mayRestart } from "./self-restart.ts";
import type { ResidentState } from "./state.ts";

export interface FailHow {
  /** The operation that found out. */
  readonly by?: Operation;
  /** Not its code failed, but something around it: it is not collected for that. */
  readonly isBlameless?: boolean;
}

/**
 * The sandbox can no longer be called. It stays, to be inspected, restarted or collected; whatever was under way ends, but
 * for the operation that found out, which tells its caller itself. Answers the error as it is told of this sandbox.
 */
export function fail(
  state: ResidentState,
  error: LoadError,
  { failure, by, isBlameless = false }: FailHow & { readonly failure: GuestFailure },
): LoadError {
  const { resident, life, account, assignment, runs, operations, shared } = state;
  const told = error.of(resident.id);
  if (!life.can("failed")) return told;
  const wasLoading = assignment.isLoading;
  // What the store had and cannot live now may do so with the next start.
  const isUnrestored = resident.isRestored && life.status === "creating";
  life.move("failed");
  account.reason = told.message;
  account.failed = { atMs: shared.clock.monotonic(), isBlameless: isBlameless || isUnrestored };
  const { code, message, diagnostics } = told;
  const lastError = { code, message, diagnostics };
  account.lastError = told.failure === undefined ? lastError : { ...lastError, failure: told.failure };
  // Whoever waits for its load hears why that failed; any other operation only that it cannot go on.
  assignment.failLoad(told);
  const { current } = operations;
  if (!wasLoading && current !== undefined && current !== by)
    current.end(new SandboxNotRunningError(verbOf(current.name), resident));
  runs.endAll(failure);
  assignment.giveUp();
  shared.bus.emit("sandbox.failed", { sandboxId: resident.id, reason: message });
  restartByItself(state);
  return told;
}

/** As `fail`, for what is not about its code as such. */
export function failWith(state: ResidentState, failure: GuestFailure, how: FailHow = {}): LoadError {
  const error = new LoadError(failure.message, { stage: "evaluate", failure });
  return fail(state, error, { failure, ...how });
}

/** Its modules could not be loaded. */
export function failToLoad(state: ResidentState, failure: GuestFailure): void {
  const message = `Cannot load sandbox "${state.resident.id}": ${failure.message}`;
  const error = new LoadError(message, { stage: "evaluate", failure });
  fail(state, error, { failure: { ...failure, kind: "load", message } });
}

/** It lost its isolate: it stands again at its head revision; one that must be alone, when it is needed next. */
export function rebuild(state: ResidentState, reason: string): void {
  const { resident, life, account, assignment, runs, shared } = state;
  if (life.status === "creating" || !life.mayBeAssigned) return;
  account.rebuilds++;
  shared.bus.emit("sandbox.rebuilt", { sandboxId: resident.id, rebuilds: account.rebuilds, reason });
  if (!resident.isQuarantined || runs.size > 0) assignment.assign();
}

// After whoever told of the failure is done with it. A failure of the restart is told as any other.
function restartByItself({ resident, life, account, shared }: ResidentState): void {
  const nowMs = shared.clock.monotonic();
  const { restartRule } = resident;
  const { restartsMs, restarts, lastError } = account;
  const facts = { restartRule, restartsMs, restarts, lastError, statusBefore: life.statusBefore };
  if (!mayRestart(facts, nowMs)) return;
  account.restartsMs = [...restartsMs, nowMs].slice(-(restartRule?.max ?? 0));
  queueMicrotask(() => {
    if (life.status === "failed") resident.restart().catch(() => {});
  });
}
