// Errors as callers of a local runtime know them, made of what came over the wire.
import type { Problem } from "../../contract/problem.ts";
import {
  CancelledError,
  errorCodes,
  GuestFailedError,
  InvalidIdError,
  InvalidIndividualError,
  InvalidLimitsError,
  InvalidOptionsError,
  InvalidProfileError,
  LoadError,
  RuntimeClosedError,
  SandboxExistsError,
  SandboxNotFoundError,
  SandboxNotRunningError,
  VerifyFailedError,
  VersionNotFoundError,
  VivariumError,
  type ErrorCode,
} from "../../model/errors.ts";

/** The error that a problem document describes: of the class of its code, with its message and its fields. */
export function errorOf(problem: Problem): VivariumError {
  const error = withoutMessage(problem);
  if (error.message !== problem.detail) replace(error, "message", problem.detail);
  if (error.code !== problem.code) replace(error, "code", problem.code);
  // Where it was made here says nothing; what the guest threw has a stack of its own as the cause.
  replace(error, "stack", `${error.name}: ${problem.detail}`);
  return error;
}

/** The problem in the body of an answer; undefined where it has none. */
export function problemIn(body: unknown): Problem | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { code, detail } = body as Partial<Problem>;
  const isProblem = typeof code === "string" && Object.hasOwn(errorCodes, code) && typeof detail === "string";
  return isProblem ? (body as Problem) : undefined;
}

type Maker = (problem: Problem) => VivariumError;

const load: Maker = ({ detail, phase = "link", diagnostics = [], failure, sandboxId }) =>
  new LoadError(detail, { phase, diagnostics, failure, sandboxId });

// Constructors that write their messages themselves get it replaced by the one that came.
const makers: Readonly<Partial<Record<ErrorCode, Maker>>> = {
  INVALID_ID: () => new InvalidIdError("", "", ""),
  INVALID_OPTIONS: ({ detail, option = "" }) => new InvalidOptionsError(detail, option),
  INVALID_LIMITS: ({ detail, limit = "" }) => new InvalidLimitsError(detail, limit),
  INVALID_PROFILE: ({ detail, profile = "" }) => new InvalidProfileError(detail, profile),
  INVALID_INDIVIDUAL: () => new InvalidIndividualError("", ""),
  SANDBOX_NOT_FOUND: ({ sandboxId = "" }) => new SandboxNotFoundError(sandboxId),
  SANDBOX_EXISTS: ({ sandboxId = "" }) => new SandboxExistsError(sandboxId),
  SANDBOX_NOT_RUNNING: ({ sandboxId = "", sandboxStatus = "" }) =>
    new SandboxNotRunningError("", { id: sandboxId, status: sandboxStatus }),
  PARSE_FAILED: load,
  COMPILE_FAILED: load,
  SECURITY_REJECTED: load,
  LOAD_FAILED: load,
  MIGRATION_FAILED: load,
  VERSION_NOT_FOUND: () => new VersionNotFoundError(""),
  VERIFY_FAILED: () => new VerifyFailedError(""),
  RUNTIME_CLOSED: () => new RuntimeClosedError(""),
  CANCELLED: ({ deadlineMs }) => {
    const error = new CancelledError("", "");
    if (deadlineMs !== undefined) replace(error, "deadlineMs", deadlineMs);
    return error;
  },
};

function withoutMessage(problem: Problem): VivariumError {
  const { code, detail, failure } = problem;
  if (code === "GUEST_FAILED" && failure !== undefined) return new GuestFailedError(failure);
  return makers[code]?.(problem) ?? new VivariumError(code, detail);
}

function replace(error: Error, name: string, value: unknown): void {
  const enumerable = name !== "message" && name !== "stack";
  Object.defineProperty(error, name, { value, enumerable, writable: true, configurable: true });
}
