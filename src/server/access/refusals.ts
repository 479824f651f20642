// What a server refuses with beside the runtime's own errors, and what the answer's headers say of it.
import { VivariumError } from "../../model/errors.ts";

/** A quota of the token, or of its tenant, is used up. */
export class QuotaExceededError extends VivariumError {
  /** When it is worth another try; null where waiting alone changes nothing. */
  readonly retryAfterMs: number | null;
  constructor(message: string, retryAfterMs: number | null) {
    super("QUOTA_EXCEEDED", message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The token does not allow this. */
export function forbidden(what: string, rule: string, got: string): VivariumError {
  return new VivariumError("FORBIDDEN", `Cannot ${what} as ${rule}: got ${got}`);
}

/** A request that is no operation, or one that the server does not read to its end. */
export class RequestRefusedError extends VivariumError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(message: string, status: number, headers: Readonly<Record<string, string>> = {}) {
    super("REQUEST_REFUSED", message);
    this.status = status;
    this.headers = headers;
  }
}

/** After how long a quota that nobody can foretell may be tried again. */
const patienceSeconds = 5;

/** The headers that the answer to an error has, beside those of every answer. */
export function headersOfRefusal(error: VivariumError): Readonly<Record<string, string>> {
  if (error instanceof RequestRefusedError) return error.headers;
  if (error instanceof QuotaExceededError)
    return { "retry-after": String(secondsOf(error.retryAfterMs ?? patienceSeconds * 1_000)) };
  return error.code === "UNAUTHENTICATED" ? { "www-authenticate": 'Bearer realm="vivarium"' } : {};
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
