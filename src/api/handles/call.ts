// One call from the handle to its outcome, in order: options are checked, the callee is found, the bounds and the
// arguments are completed, and the run is submitted to the sandbox's owner, which settles it exactly once.
import type { Outcome } from "../../model/runs/outcome.ts";
import { traced } from "../../observability/tracing.ts";
import { targetOf } from "../../orchestration/runs/run-table.ts";
import type { RunTicket } from "../../orchestration/runs/ticket.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import { lightMs } from "../../std/fair-turns.ts";
import { slicing } from "../../std/slicing.ts";
import { toTerms, toWireArgs, type Callee, type RunFields } from "../options/run-options.ts";
import type { Engine } from "../wiring/engine.ts";
import { signal } from "../options/options.ts";

export interface CallRequest {
  readonly callee: Callee;
  readonly fields: RunFields;
  /** It belongs to the reload that is under way, and is admitted while other runs wait. */
  readonly isPrivileged: boolean;
  /** Told of the ticket, where the run got one. */
  readonly onSubmitted?: (ticket: RunTicket | undefined) => void;
}

export function startCall(engine: Engine, sandbox: ManagedSandbox, request: CallRequest): Promise<Outcome> {
  engine.checkOpen(`call sandbox "${sandbox.id}"`);
  const { callee, fields, isPrivileged, onSubmitted } = request;
  const { limits } = sandbox;
  const { clock, cells } = engine.parts.config;
  const { waitMs } = cells;
  const terms = toTerms(callee, fields, { limits, waitMs });
  const ended = signal.read(fields.signal, "signal");
  const args = toWireArgs(fields.args, limits.argsBytes);
  if (sandbox.service.at(clock.monotonic()) <= lightMs) slicing.noteWanted(sandbox.placement.tenant);
  const submit = (): Promise<Outcome> =>
    new Promise((settle) => {
      const ticket = engine.submit(sandbox, { terms, args, settle, isPrivileged }, ended);
      onSubmitted?.(ticket);
    });
  return traced("sandbox.run", () => ({ sandboxId: sandbox.id, target: targetOf(terms) }), submit);
}
