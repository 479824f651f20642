// The ways a run can end. A guest's failure is a value with one discriminant and the usage attached.
import type { Diagnostic } from "../code/diagnostic.ts";
import type { LimitName } from "../limits.ts";
import type { LogLine } from "./log-line.ts";
import type { Usage } from "./usage.ts";

/** Every way a run can fail, with the sentence the documentation shows. */
export const failureKinds = {
  timeout: "The run did not finish by its deadline.",
  cpu: "The run exceeded its limit of processor time.",
  fuel: "The run exceeded its limit of loop turns and function entries.",
  memory: "The sandbox exceeded its memory limit.",
  crashed: "The guest threw, or brought down its cell.",
  denied: "The guest called a capability that it was not granted, or exceeded its quota.",
  "queue-overflow": "The mailbox of a process exceeded its limit of messages.",
  "process-limit": "The sandbox exceeded its limit of processes.",
  "output-limit": "The guest wrote or returned more than its limit.",
  compile: "The source of the run cannot be compiled.",
  rejected: "The gate rejected the code under the sandbox's profile.",
  load: "The modules of the sandbox could not be loaded.",
  "not-found":
    "The module, function or process does not exist, or what is exported by that name is no function.",
  "not-running": "The status of the sandbox does not allow calls.",
  unserializable: "The result cannot be serialized.",
  cancelled: "The run was cancelled; `error.reason` says why.",
  "cell-lost": "The cell died through no fault of the run, and the run is not marked `repeatable`.",
} as const;

export type FailureKind = keyof typeof failureKinds;

/** Who cancelled a run. */
export type CancelReason =
  | "signal"
  | "deadline"
  | "idle"
  | "lane"
  | "queue"
  | "closed"
  | "destroyed"
  | "restarted";

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

/** What a guest threw, an error or any other value, as plain data. */
export interface Thrown {
  /** Of an error, or else the class or type of the value: `Object`, `string`. */
  readonly name: string;
  /** Of an error, or else the value as a short text: `{ code: 7 }`. */
  readonly message: string;
  /** In the guest's own source lines; empty where it has none. */
  readonly stack: string;
  /** Its property `code`, where that is a text or a number. */
  readonly code?: string | number;
  /** What it names as its cause. */
  readonly cause?: Thrown;
  /** The errors that an AggregateError joins. */
  readonly errors?: readonly Thrown[];
  /** The later error of a SuppressedError, as of a disposal. */
  readonly error?: Thrown;
  /** The error that came before that one. */
  readonly suppressed?: Thrown;
  /** Its other own properties, `code` among them. What JSON does not express is told as a text. */
  readonly properties?: Readonly<Record<string, unknown>>;
}

export interface OutcomeBase {
  readonly usage: Usage;
  /** The last console lines of the run. */
  readonly logs: readonly LogLine[];
}

export type Success<T> = OutcomeBase & { readonly ok: true; readonly value: T };
export type Failure = OutcomeBase & { readonly ok: false; readonly error: GuestFailure };
export type Outcome<T = unknown> = Success<T> | Failure;
