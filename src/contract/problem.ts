// Errors on the wire: RFC 9457 problem documents with our codes, and which status each code has.
import type { Diagnostic } from "../model/code/diagnostic.ts";
import type { ErrorCode, LoadPhase } from "../model/errors.ts";
import type { GuestFailure } from "../model/runs/outcome.ts";

export const problemContentType = "application/problem+json";

/** An error as it travels. What its class has beside the code and the message stands beside those. */
export interface Problem {
  /** `urn:vivarium:` and the code. */
  readonly type: string;
  /** The sentence of the code. */
  readonly title: string;
  readonly status: number;
  /** The message. */
  readonly detail: string;
  readonly code: ErrorCode;
  readonly option?: string;
  readonly limit?: string;
  readonly profile?: string;
  readonly sandboxId?: string;
  /** Of a sandbox that is not running. */
  readonly sandboxStatus?: string;
  readonly phase?: LoadPhase;
  readonly diagnostics?: readonly Diagnostic[];
  readonly failure?: GuestFailure;
  /** Of what took too long. */
  readonly deadlineMs?: number;
}

/** The status of each code. What a caller can mend is 4xx; 5xx is a machine that cannot serve. */
export const statusOfCode = {
  INVALID_ID: 400,
  INVALID_OPTIONS: 400,
  INVALID_LIMITS: 400,
  INVALID_PROFILE: 400,
  INVALID_INDIVIDUAL: 400,
  UNSERIALIZABLE: 400,
  NOT_REMOTE: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  SANDBOX_NOT_FOUND: 404,
  VERSION_NOT_FOUND: 404,
  HANDLE_NOT_FOUND: 404,
  CANCELLED: 408,
  SANDBOX_EXISTS: 409,
  SANDBOX_NOT_RUNNING: 409,
  IDEMPOTENCY_CONFLICT: 409,
  PARSE_FAILED: 422,
  COMPILE_FAILED: 422,
  SECURITY_REJECTED: 422,
  LOAD_FAILED: 422,
  MIGRATION_FAILED: 422,
  VERIFY_FAILED: 422,
  GUEST_FAILED: 422,
  QUOTA_EXCEEDED: 429,
  INTERNAL: 500,
  PACKAGE_INCOMPLETE: 500,
  CONNECTION_FAILED: 502,
  CAPACITY_EXCEEDED: 503,
  CELL_START_FAILED: 503,
  JAIL_INCOMPLETE: 503,
  CELLS_UNAVAILABLE: 503,
  COMPILER_UNAVAILABLE: 503,
  STORE_FAILED: 503,
  STORE_LOCKED: 503,
  RUNTIME_CLOSED: 503,
  /** Of a request that is no operation at all; the server gives a closer one: 404, 405, 411, 413, 415, 421, 431. */
  REQUEST_REFUSED: 400,
} as const satisfies Readonly<Record<ErrorCode, number>>;
