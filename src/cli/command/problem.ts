// An error as the document that the HTTP API has for it: with --json, commands say errors in the same form.
import type { Problem } from "../../contract/problem.ts";
import { statusOfCode } from "../../contract/problem.ts";
import { errorCodes, type VivariumError } from "../../model/errors.ts";

const details = [
  "option",
  "limit",
  "profile",
  "sandboxId",
  "phase",
  "diagnostics",
  "failure",
  "deadlineMs",
] as const;

export function problemOf(error: VivariumError): Problem {
  const { code, message } = error;
  const own = error as VivariumError & Readonly<Record<string, unknown>>;
  const extra = details.flatMap((name) =>
    own[name] === undefined || own[name] === null ? [] : [[name, own[name]]],
  );
  const status = own["status"];
  return {
    type: `urn:vivarium:${code}`,
    title: errorCodes[code],
    status: statusOfCode[code],
    detail: message,
    code,
    ...(typeof status === "string" ? { sandboxStatus: status } : {}),
    ...Object.fromEntries(extra),
  };
}
