// Pure: which exits lead to a restart. The rules are those of Erlang/OTP.
import type { ExitReason, RestartKind } from "../types.ts";

/** Whether a child is restarted after this exit. */
export function isRestarted(child: { readonly restart: RestartKind }, reason: ExitReason): boolean {
  if (child.restart === "permanent") return true;
  return child.restart === "transient" && !isOrderly(reason);
}

/** Whether the exit was intended. */
function isOrderly(reason: ExitReason): boolean {
  return (
    reason === "normal" ||
    reason === "shutdown" ||
    (typeof reason === "object" && reason !== null && "shutdown" in reason)
  );
}

/** Whether what was thrown is an exit reason already. */
export function isReason(value: unknown): value is ExitReason {
  return typeof value === "string" || (typeof value === "object" && value !== null && "error" in value);
}
