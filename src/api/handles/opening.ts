// Sandboxes that callers ask for: from a checked spec to a sandbox that is loaded, within the caller's bounds.
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import type { SandboxPlan } from "../../orchestration/sandboxes/sandbox-plan.ts";
import { bounded, untilCancelled, type WaitBounds } from "../options/cancellation.ts";
import { checkSupervisor, type PathPlan } from "../options/spec.ts";
import type { Engine } from "../wiring/engine.ts";
import { readFiles, type KnownCode } from "./spec-code.ts";

/** Creates what a spec describes; `more` is what its plan is completed with. */
export function openSpec(
  engine: Engine,
  { path, isFollowing, plan, bounds }: PathPlan,
  more: Partial<SandboxPlan> = {},
): Promise<ManagedSandbox> {
  const { sandboxes, autoReload } = engine.parts;
  return creating(engine, { id: plan.id, bounds }, async (signal) => {
    const what = creationOf(plan.id);
    const read =
      path === undefined ? {} : await untilCancelled({ signal }, what, () => readFiles(engine, path, plan));
    checkRead(plan, read);
    const sandbox = await sandboxes.create({ ...plan, ...read, ...more, signal });
    if (isFollowing && sandbox.mayBeAssigned) autoReload.start(sandbox);
    return sandbox;
  });
}

/** Does what creates a sandbox within its caller's bounds: of one that is given up nothing is left. */
export function creating<T>(
  { parts }: Engine,
  { id, bounds }: { readonly id: string; readonly bounds: Partial<WaitBounds> },
  act: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  const { clock } = parts.config;
  return bounded(bounds, { clock, what: creationOf(id), isUndone: true }, act);
}

function creationOf(id: string): string {
  return `the creation of sandbox "${id}"`;
}

// What the files say is known only now.
function checkRead({ processes }: SandboxPlan, { tree }: KnownCode): void {
  const supervisor = processes?.supervisor;
  if (tree !== undefined && typeof supervisor === "string") checkSupervisor(supervisor, tree.modules);
}
