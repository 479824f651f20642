// A sandbox that can no longer be called, and one that lost its isolate and stands again.
import { LoadError, SandboxNotRunningError } from "../../model/errors.ts";
import type { GuestFailure } from "../../model/outcome.ts";
import type { Operation } from "./operation.ts";
import { verbOf } from "./operations.ts";
import { mayRestart } from "./self-restart.ts";
import type { SandboxState } from "./state.ts";

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
  state: SandboxState,
  error: LoadError,
  { failure, by, isBlameless = false }: FailHow & { readonly failure: GuestFailure },
): LoadError {
  const { sandbox, life, account, assignment, runs, operations, shared } = state;
  const told = error.of(sandbox.id);
  if (!life.can("failed")) return told;
  const wasLoading = assignment.isLoading;
  // What the store had and cannot live now may do so with the next start.
  const isUnrestored = sandbox.isRestored && life.status === "creating";
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
    current.end(new SandboxNotRunningError(verbOf(current.name), sandbox));
  runs.endAll(failure);
  assignment.giveUp();
  shared.bus.emit("sandbox.failed", { sandboxId: sandbox.id, reason: message });
  restartByItself(state);
  return told;
}

/** As `fail`, for what is not about its code as such. */
export function failWith(state: SandboxState, failure: GuestFailure, how: FailHow = {}): LoadError {
  const error = new LoadError(failure.message, { phase: "evaluate", failure });
  return fail(state, error, { failure, ...how });
}

/** Its modules could not be loaded. */
export function failToLoad(state: SandboxState, failure: GuestFailure): void {
  const message = `Cannot load sandbox "${state.sandbox.id}": ${failure.message}`;
  const error = new LoadError(message, { phase: "evaluate", failure });
  fail(state, error, { failure: { ...failure, kind: "load", message } });
}

/** It lost its isolate: it stands again at its head revision; one that must be alone, when it is needed next. */
export function rebuild(state: SandboxState, reason: string): void {
  const { sandbox, life, account, assignment, runs, shared } = state;
  if (life.status === "creating" || !life.mayBeAssigned) return;
  account.rebuilds++;
  shared.bus.emit("sandbox.rebuilt", { sandboxId: sandbox.id, rebuilds: account.rebuilds, reason });
  if (!sandbox.isQuarantined || runs.size > 0) assignment.assign();
}

// After whoever told of the failure is done with it. A failure of the restart is told as any other.
function restartByItself({ sandbox, life, account, shared }: SandboxState): void {
  const nowMs = shared.clock.monotonic();
  const { restartRule } = sandbox;
  const { restartsMs, restarts, lastError } = account;
  const facts = { restartRule, restartsMs, restarts, lastError, statusBefore: life.statusBefore };
  if (!mayRestart(facts, nowMs)) return;
  account.restartsMs = [...restartsMs, nowMs].slice(-(restartRule?.max ?? 0));
  queueMicrotask(() => {
    if (life.status === "failed") sandbox.restart().catch(() => {});
  });
}
