// A caller's mistake, or a machine that cannot serve, as a typed error with a stable code.
// What a guest does wrong is never here: that is an Outcome, or a failed load with its phase.
import type { Diagnostic } from "./code/diagnostic.ts";
import type { GuestFailure, Outcome } from "./runs/outcome.ts";
import { errorOf } from "./runs/thrown-error.ts";
import { show } from "./show.ts";

/** Every code, with the sentence the documentation shows. */
export const errorCodes = {
  INVALID_ID: "A sandbox id or module name is not well-formed, or a module has a name of the runtime's own.",
  INVALID_OPTIONS: "An option is unknown or its value is invalid.",
  INVALID_LIMITS: "A limit is unknown, out of its bounds, or raised where it may only be lowered.",
  INVALID_PROFILE: "A security profile is unknown, malformed, or contradicts itself.",
  INVALID_INDIVIDUAL: "The value to import is not an individual, was tampered with, or is too large.",
  SANDBOX_NOT_FOUND: "No sandbox has this id.",
  SANDBOX_EXISTS: "A sandbox with this id already exists.",
  SANDBOX_NOT_RUNNING: "The status of the sandbox does not allow this.",
  CAPACITY_EXCEEDED: "The runtime is at its capacity of sandboxes or memory.",
  PARSE_FAILED: "The source cannot be parsed.",
  COMPILE_FAILED: "The source could not be compiled within its limits.",
  SECURITY_REJECTED: "The gate rejected the code under the sandbox's profile.",
  LOAD_FAILED: "The modules could not be linked, or their top level failed.",
  VERSION_NOT_FOUND: "The sandbox never had, or no longer stores, this version or revision.",
  MIGRATION_FAILED: "The state of a process could not be migrated to its new code.",
  VERIFY_FAILED: "The new revision did not pass the caller's verification and was undone.",
  UNSERIALIZABLE: "An argument cannot be serialized.",
  PACKAGE_INCOMPLETE: "The package was bundled into another file, or is not whole: its programs are missing.",
  CELL_START_FAILED: "A cell process could not be started.",
  JAIL_INCOMPLETE: "A required layer of the jail is not available on this system.",
  CELLS_UNAVAILABLE: "Cells failed repeatedly and none is started for a while, or none became free in time.",
  COMPILER_UNAVAILABLE: "The compiler process could not be started.",
  STORE_FAILED: "A request to the store failed or took too long.",
  STORE_LOCKED: "Another process, or another runtime of this one, has the data folder open.",
  CANCELLED: "The caller's signal, a deadline or another operation on the sandbox ended the operation.",
  RUNTIME_CLOSED: "The runtime was closed.",
  GUEST_FAILED: "unwrap() was given a failed outcome, or a stream failed.",
  NOT_REMOTE:
    "This needs a function, file or folder of the server's own process, and cannot be asked for from elsewhere.",
  CONNECTION_FAILED: "The server cannot be reached, or the connection broke before it had answered.",
  UNAUTHENTICATED:
    "The server wants a token: there was none, or one that it does not know or that has expired.",
  FORBIDDEN: "The token does not allow this.",
  QUOTA_EXCEEDED: "The token's quota is used up, or requests come too quickly.",
  HANDLE_NOT_FOUND: "No stream or session has this number: it ended, or belongs to another token.",
  IDEMPOTENCY_CONFLICT:
    "The idempotency key was used for another request, or its request is still under way.",
  REQUEST_REFUSED:
    "The server refused the request as it stands: its address, method, headers, length or form.",
  INTERNAL: "Vivarium broke one of its own invariants; please report it.",
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** What errors of any copy of this package have. */
const mark = Symbol.for("vivarium.error");

/** Base of every error that Vivarium throws. */
export class VivariumError extends Error {
  /** `vivarium/client` is a copy of its own: its errors are instances of the same classes of `vivarium`, by their names. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    if (!(value instanceof Error && mark in value)) return false;
    for (let made: unknown = value; made instanceof Error; made = Object.getPrototypeOf(made))
      if (made.constructor.name === this.name) return true;
    return false;
  }

  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
  override get name(): string {
    return this.constructor.name;
  }
  get [mark](): true {
    return true;
  }
}

export class InvalidIdError extends VivariumError {
  constructor(what: string, rule: string, got: unknown) {
    super("INVALID_ID", `Cannot use ${what} as it must be ${rule}: got ${show(got)}`);
  }
}

export class InvalidOptionsError extends VivariumError {
  /** The name of the option, as a path from the options object. */
  readonly option: string;
  constructor(message: string, option: string) {
    super("INVALID_OPTIONS", message);
    this.option = option;
  }
}

export class InvalidLimitsError extends VivariumError {
  readonly limit: string;
  constructor(message: string, limit: string) {
    super("INVALID_LIMITS", message);
    this.limit = limit;
  }
}

export class InvalidProfileError extends VivariumError {
  /** The profile's name. */
  readonly profile: string;
  constructor(message: string, profile: string) {
    super("INVALID_PROFILE", message);
    this.profile = profile;
  }
}

export class InvalidIndividualError extends VivariumError {
  constructor(rule: string, got: unknown) {
    super("INVALID_INDIVIDUAL", `Cannot import the individual as it must be ${rule}: got ${show(got)}`);
  }
}

export class SandboxNotFoundError extends VivariumError {
  readonly sandboxId: string;
  constructor(id: string) {
    super("SANDBOX_NOT_FOUND", `Cannot find sandbox ${show(id)}`);
    this.sandboxId = id;
  }
}

export class SandboxExistsError extends VivariumError {
  readonly sandboxId: string;
  constructor(id: string) {
    super(
      "SANDBOX_EXISTS",
      `Cannot create sandbox ${show(id)} as a living one has this id: destroy it first`,
    );
    this.sandboxId = id;
  }
}

export class SandboxNotRunningError extends VivariumError {
  readonly sandboxId: string;
  readonly status: string;
  constructor(what: string, at: { readonly id: string; readonly status: string }, rule = "be running") {
    super(
      "SANDBOX_NOT_RUNNING",
      `Cannot ${what} sandbox ${show(at.id)} as it must ${rule}: it is ${at.status}`,
    );
    this.sandboxId = at.id;
    this.status = at.status;
  }
}

/** In which step a new piece of code was turned away. */
export type LoadPhase = "parse" | "compile" | "gate" | "link" | "evaluate" | "migrate";

/** Code that does not parse, compile, pass the gate or load, where the caller asked for it singly. */
export class LoadError extends VivariumError {
  readonly phase: LoadPhase;
  readonly diagnostics: readonly Diagnostic[];
  /** How the top level ended, when it was run at all. */
  readonly failure: GuestFailure | undefined;
  /** The sandbox whose code it is, where it is one's: after a creation it stays there under this id, as failed. */
  readonly sandboxId: string | undefined;
  constructor(message: string, at: LoadErrorDetail) {
    super(codeOfPhase[at.phase], message, causeOf(at.failure));
    this.phase = at.phase;
    this.diagnostics = at.diagnostics ?? [];
    this.failure = at.failure;
    this.sandboxId = at.sandboxId;
  }

  /** The same, about one sandbox. */
  of(sandboxId: string): LoadError {
    const { message, phase, diagnostics, failure } = this;
    return new LoadError(message, { phase, diagnostics, failure, sandboxId });
  }
}

// What the guest threw, as the cause.
function causeOf(failure: GuestFailure | undefined): Error | undefined {
  return failure?.thrown === undefined ? undefined : errorOf(failure.thrown);
}

export interface LoadErrorDetail {
  readonly phase: LoadPhase;
  readonly diagnostics?: readonly Diagnostic[];
  readonly failure?: GuestFailure | undefined;
  readonly sandboxId?: string | undefined;
}

const codeOfPhase = {
  parse: "PARSE_FAILED",
  compile: "COMPILE_FAILED",
  gate: "SECURITY_REJECTED",
  link: "LOAD_FAILED",
  evaluate: "LOAD_FAILED",
  migrate: "MIGRATION_FAILED",
} as const satisfies Record<LoadPhase, ErrorCode>;

export class VersionNotFoundError extends VivariumError {
  constructor(what: string) {
    super("VERSION_NOT_FOUND", `Cannot find ${what}: it never was, or is no longer kept`);
  }
}

export class VerifyFailedError extends VivariumError {
  constructor(id: string) {
    super(
      "VERIFY_FAILED",
      `Cannot keep the new revision of sandbox ${show(id)} as verify must answer true: it was undone`,
    );
  }
}

export class RuntimeClosedError extends VivariumError {
  /** Where it was closed while this was under way, that is most often a program that did not await it. */
  constructor(what: string, { isUnderWay = false } = {}) {
    const hint = isUnderWay ? "; was something not awaited?" : "";
    super("RUNTIME_CLOSED", `Cannot ${what} as the runtime must be open: it was closed${hint}`);
  }
}

export class CancelledError extends VivariumError {
  /** The `deadlineMs` that passed; null where something else ended it. */
  readonly deadlineMs: number | null = null;
  /** `why` continues the sentence; `cause` is what the caller's signal gave as its reason. */
  constructor(what: string, why: string, cause?: unknown) {
    super("CANCELLED", `Cannot finish ${what} as ${why}`, cause);
  }
}

/** Why something is cancelled that took too long, as the end of a sentence. */
export function lateWhy(deadlineMs: number): string {
  return `it must be done within ${deadlineMs} ms (deadlineMs): it was not`;
}

/** Thrown by `unwrap()`, and by a stream. What the guest threw is its cause. */
export class GuestFailedError extends VivariumError {
  readonly failure: GuestFailure;
  constructor(failure: GuestFailure, what = "unwrap the outcome as it must be ok") {
    super("GUEST_FAILED", `Cannot ${what}: ${failure.kind}: ${failure.message}`, causeOf(failure));
    this.failure = failure;
  }
}

/** The value of a successful outcome; throws `GUEST_FAILED` for any other. */
export function unwrap<T>(outcome: Outcome<T>): T {
  checkOutcome(outcome);
  if (outcome.ok) return outcome.value;
  throw new GuestFailedError(outcome.error);
}

// Without types a call that was not awaited gets here.
function checkOutcome(given: unknown): void {
  if (typeof given === "object" && given !== null && "ok" in given) return;
  const got = given instanceof Promise ? "a promise, await it" : show(given);
  throw new InvalidOptionsError(`Cannot unwrap as it must be an outcome: got ${got}`, "outcome");
}

/** Any error as one of ours; what is not becomes `INTERNAL` with its cause. */
export function asVivariumError(error: unknown): VivariumError {
  if (error instanceof VivariumError) return error;
  return new VivariumError("INTERNAL", `Cannot go on as something broke inside: ${String(error)}`, error);
}
