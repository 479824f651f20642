// What is given to `run`: a function, or a script with the packages that it imports.
import { compileOwnerOf } from "../../code/compiler/compile-owner.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import { preparing } from "../handles/preparation.ts";
import type { Callee } from "../options/run-options.ts";
import type { Engine } from "../wiring/engine.ts";
import { addPackages } from "./script-packages.ts";

interface Shipment {
  readonly what: unknown;
  readonly isPrivileged: boolean;
}

/** Compiles it for a sandbox, unless the signal is aborted first; a failure to is a value. */
export function shipAny(
  engine: Engine,
  sandbox: ManagedSandbox,
  { ended, ...shipment }: Shipment & { readonly ended: AbortSignal | undefined },
): Promise<Callee | GuestFailure> {
  return preparing(ended, () => shipNow(engine, sandbox, shipment));
}

async function shipNow(
  engine: Engine,
  sandbox: ManagedSandbox,
  { what, isPrivileged }: Shipment,
): Promise<Callee | GuestFailure> {
  if (typeof what !== "string") return engine.ship(what, sandbox.limits, compileOwnerOf(sandbox));
  const callee = await engine.shipScript(what, sandbox, { name: "script", form: "script" });
  // A verification cannot wait for another reload.
  if ("kind" in callee || isPrivileged) return callee;
  return (await addPackages(engine, sandbox, callee)) ?? callee;
}
