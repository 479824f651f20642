// Errors as problem documents. Of what is no error of ours nothing is told: it may hold paths, or texts of somebody else's.
import {
  CancelledError,
  errorCodes,
  GuestFailedError,
  InvalidLimitsError,
  InvalidOptionsError,
  InvalidProfileError,
  LoadError,
  SandboxExistsError,
  SandboxNotFoundError,
  SandboxNotRunningError,
  VivariumError,
} from "../../model/errors.ts";
import { headersOfRefusal, RequestRefusedError } from "../access/refusals.ts";
import { problemContentType, statusOfCode, type Problem } from "../../contract/problem.ts";

/** An error as it travels. */
export function toProblem(error: unknown): Problem {
  const known = error instanceof VivariumError && error.code !== "INTERNAL" ? error : undefined;
  const code = known?.code ?? "INTERNAL";
  return {
    type: `urn:vivarium:${code}`,
    title: errorCodes[code],
    status: error instanceof RequestRefusedError ? error.status : statusOfCode[code],
    detail: known?.message ?? "Cannot answer as something broke inside the server",
    code,
    ...detailsOf(error),
  };
}

function detailsOf(error: unknown): Partial<Problem> {
  if (error instanceof InvalidOptionsError) return { option: error.option };
  if (error instanceof InvalidLimitsError) return { limit: error.limit };
  if (error instanceof InvalidProfileError) return { profile: error.profile };
  if (error instanceof SandboxNotRunningError)
    return { sandboxId: error.sandboxId, sandboxStatus: error.status };
  if (error instanceof SandboxNotFoundError || error instanceof SandboxExistsError)
    return { sandboxId: error.sandboxId };
  if (error instanceof GuestFailedError) return { failure: error.failure };
  if (error instanceof CancelledError)
    return error.deadlineMs === null ? {} : { deadlineMs: error.deadlineMs };
  if (!(error instanceof LoadError)) return {};
  const { phase, diagnostics, failure, sandboxId } = error;
  return {
    phase,
    diagnostics,
    ...(failure === undefined ? {} : { failure }),
    ...(sandboxId === undefined ? {} : { sandboxId }),
  };
}

export function problemResponse(error: unknown): Response {
  const problem = toProblem(error);
  const headers = error instanceof VivariumError ? headersOfRefusal(error) : {};
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { "content-type": problemContentType, "cache-control": "no-store", ...headers },
  });
}
