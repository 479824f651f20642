// What a handle does to its sandbox, where that is more than one line.
import { withChecksum } from "../../code/individuals/individual.ts";
import type { Limits } from "../../model/limits.ts";
import type { Individual } from "../../model/sandboxes/individual.ts";
import type { ReloadChanges, ReloadReport } from "../../orchestration/reload/reload-plan.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import type { Cancellable } from "../../orchestration/sandboxes/operations/operations.ts";
import { toBody } from "../../orchestration/sandboxes/persistence.ts";
import { limitsReader } from "../options/security-options.ts";
import type { Engine } from "../wiring/engine.ts";
import { stateOf } from "./local-processes.ts";

/** Reloads earlier versions. */
export async function rollBack(
  { parts }: Engine,
  sandbox: ManagedSandbox,
  { changes, signal }: Cancellable & { readonly changes: () => ReloadChanges },
): Promise<ReloadReport> {
  const report = await sandbox.reload({ changes, mutation: null, verifyMs: 0 }, { signal });
  if (report.status === "reloaded")
    parts.bus.emit("version.rolledBack", { sandboxId: sandbox.id, revision: report.revision });
  return report;
}

/** Changes limits; says which apply now, and whether that needed a new isolate. */
export async function changeLimits(
  sandbox: ManagedSandbox,
  limits: Partial<Limits>,
  ended: Cancellable,
): Promise<{ readonly limits: Limits; readonly rebuilt: boolean }> {
  const rebuilt = await sandbox.updateLimits(limitsReader(sandbox, limits), ended);
  return { limits: sandbox.limits, rebuilt };
}

/** The sandbox as plain data, signed where the runtime signs. */
export async function exportOf({ parts }: Engine, sandbox: ManagedSandbox): Promise<Individual> {
  return withChecksum(toBody(sandbox, await stateOf(sandbox)), parts.config.signingKey);
}
