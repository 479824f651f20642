// For whom a module is compiled: compile time is shared equally among tenants, and inside a tenant among its sandboxes.
import type { Placement } from "../../model/sandboxes/placement.ts";
import type { Owner } from "../../std/fair-queue.ts";

export interface CompileOwner {
  /** Null for sandboxes without a tenant, which are one group, and for requests without a sandbox. */
  readonly tenant: string | null;
  /** Null for a request without a sandbox, which counts by itself. */
  readonly sandboxId: string | null;
}

/** For a request that no sandbox made. */
export const nobody: CompileOwner = Object.freeze({ tenant: null, sandboxId: null });

/** For a sandbox. */
export function compileOwnerOf({
  id,
  placement,
}: {
  readonly id: string;
  readonly placement: Placement;
}): CompileOwner {
  return { tenant: placement.tenant, sandboxId: id };
}

let requests = 0;

/** The owner in the queue of the compiler. */
export function queueOwnerOf({ tenant, sandboxId }: CompileOwner): Owner {
  return {
    group: tenant === null ? "" : `tenant ${tenant}`,
    member: sandboxId === null ? `request ${++requests}` : `sandbox ${sandboxId}`,
  };
}
