// The npm packages that a script imports: they become modules of its sandbox, as those that a module imports do.
import type { Artifact } from "../../code/modules/artifact.ts";
import { LoadError } from "../../model/errors.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import { guestModule, packagesFor } from "../../orchestration/code/build.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import type { Profile } from "../../security/profile.ts";
import { failureOfLoad } from "../../model/runs/unbegun.ts";
import type { Shipped } from "../options/run-options.ts";
import type { Engine } from "../wiring/engine.ts";

/** What a sandbox that is made for one script must be created with. */
export function neededBy(
  { imports, dynamicImports }: Artifact,
  profile: Profile,
  { parts }: Engine,
): string[] {
  const { packages } = parts;
  const isPackage = (specifier: string): boolean => packages.hasFolder && packages.admits(specifier, profile);
  return [...new Set([...imports, ...dynamicImports])].filter(
    (specifier) => specifier === guestModule || isPackage(specifier),
  );
}

/** Adds the packages that the sandbox does not have. Undefined where the script may go on. */
export async function addPackages(
  { parts }: Engine,
  sandbox: ManagedSandbox,
  { shipped, script }: Shipped,
): Promise<GuestFailure | undefined> {
  if (script === undefined || !parts.packages.hasFolder) return undefined;
  // The run says what is wrong with its status.
  if (sandbox.status !== "running") return undefined;
  if (shipped.imports.length + shipped.dynamicImports.length === 0) return undefined;
  try {
    const found = await packagesFor(new Map([[script.name, shipped]]), sandbox, parts);
    if (found.size > 0) await sandbox.reload({ changes: () => found, mutation: null, verifyMs: 0 });
    return undefined;
  } catch (error) {
    if (error instanceof LoadError) return failureOfLoad(error);
    throw error;
  }
}
