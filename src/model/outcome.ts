// The ways a run can end. A guest's failure is a value with one discriminant and the usage attached.
import type { Diagnostic } from "./diagnostic.ts";
import type { LimitName } from "./limits.ts";
import type { LogLine } from "./log-line.ts";
import type { Usage } from "./usage.ts";

/** Every way a run can fail, with the sentence the documentation shows. */
export const failureKinds = {
  timeout: "The run was still going at its deadline.",
  cpu: "The run used more processor time than it was granted.",
  fuel: "The run made more loop turns and function entries than it was granted.",
  memory: "The sandbox needed more memory than it was granted.",
  crashed: "The guest threw, or brought down its cell.",
  denied: "It asked the host for what it was not granted, or for more than its quota.",
  "queue-overflow": "More messages waited for a process than it was granted.",
  "process-limit": "The sandbox wanted more processes than it was granted.",
  "output-limit": "The guest wrote or returned more than it was granted.",
  compile: "The source of the run is not a program.",
  rejected: "The gate of the sandbox's profile did not admit the code.",
  load: "The modules of the sandbox could not be loaded.",
  "not-found": "The module or export does not exist.",
  "not-running": "The sandbox is not in a state in which it can be called.",
  unserializable: "The result is not data that can cross.",
  cancelled: "The caller's signal, the batch's deadline or the wait for a lane ended the run.",
  "cell-lost": "The cell died for another's fault and the run may not be repeated.",
} as const;

export type FailureKind = keyof typeof failureKinds;

/** Who cancelled a run. */
export type CancelReason = "signal" | "deadline" | "lane" | "queue" | "closed" | "destroyed" | "restarted";

/** How and why a run failed. */
export interface GuestFailure {
  readonly kind: FailureKind;
  readonly message: string;
  /** The limit that was hit. */
  readonly limit?: LimitName;
  /** With `cancelled`: who did it. */
  readonly reason?: CancelReason;
  /** With `crashed`: what was thrown, its stack in the guest's own source lines. */
  readonly thrown?: Thrown;
  /** With `compile`, `rejected` and `load`. */
  readonly diagnostics?: readonly Diagnostic[];
}

export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

interface OutcomeBase {
  readonly usage: Usage;
  /** The last console lines of the run. */
  readonly logs: readonly LogLine[];
}

export type Success<T> = OutcomeBase & { readonly ok: true; readonly value: T };
export type Failure = OutcomeBase & { readonly ok: false; readonly error: GuestFailure };
export type Outcome<T = unknown> = Success<T> | Failure;
