// What happens to a sandbox that fails, and to one that lost its isolate.
import { LoadError, SandboxNotRunningError } from "../../../model/errors.ts";
import type { GuestFailure } from "../../../model/runs/outcome.ts";
import type { Operation, OperationName } from "./operation.ts";
import { verbs } from "./operations.ts";
import { mayRestart } from "./self-restart.ts";
import type { SandboxState } from "../state.ts";

const loads: ReadonlySet<OperationName> = new Set(["load", "restart"]);

export interface FailHow {
  /** The operation in which it failed. */
  readonly by?: Operation;
  /** The failure is not its own fault: it is not collected for it. */
  readonly isBlameless?: boolean;
}

/**
 * The sandbox can no longer be called. It stays, to be inspected, restarted or collected; whatever was under way ends, but
 * for the operation in which it failed, which throws the error that is returned.
 */
export function fail(
  state: SandboxState,
  error: LoadError,
  { failure, by, isBlameless = false }: FailHow & { readonly failure: GuestFailure },
): LoadError {
  const { sandbox, life, account, assignment, runs, operations, persistence, shared } = state;
  const own = error.of(sandbox.id);
  if (!life.can("failed")) return own;
  const wasLoading = assignment.isLoading;
  // A sandbox from the store that cannot be loaded now may be loaded at the next start.
  const isUnrestored = sandbox.isRestored && !assignment.hasLoaded;
  persistence.isUnrestored = isUnrestored;
  life.move("failed");
  account.reason = own.message;
  account.failed = { atMs: shared.clock.monotonic(), isBlameless: isBlameless || isUnrestored };
  const { code, message, diagnostics } = own;
  const lastError = { code, message, diagnostics };
  account.lastError = own.failure === undefined ? lastError : { ...lastError, failure: own.failure };
  // What loads it rejects with the reason; any other operation only with the fact that the sandbox does not run.
  assignment.failLoad(own);
  const { current } = operations;
  if (!wasLoading && current !== undefined && current !== by)
    current.end(loads.has(current.name) ? own : new SandboxNotRunningError(verbs[current.name], sandbox));
  runs.endAll(failure);
  assignment.giveUp();
  if (!isUnrestored) persistence.noteRecord();
  shared.bus.emit("sandbox.failed", { sandboxId: sandbox.id, reason: message });
  restartByItself(state);
  return own;
}

/** As `fail`, for a failure at run time. */
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

/** It lost its isolate: it is loaded again at its head revision; a quarantined one when it is needed next. */
export function rebuild(state: SandboxState, reason: string): void {
  const { sandbox, life, account, assignment, runs, shared } = state;
  if (life.status === "creating" || !life.mayBeAssigned) return;
  account.rebuilds++;
  shared.bus.emit("sandbox.rebuilt", { sandboxId: sandbox.id, rebuilds: account.rebuilds, reason });
  if (!sandbox.isQuarantined || runs.size > 0) assignment.assign();
}

// In a microtask, after all that follows from the failure. A restart that fails is reported like any other failure.
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
