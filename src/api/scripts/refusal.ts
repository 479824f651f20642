// Whether code that travels with a run may run in its sandbox: it passes the gate, and what it imports must be there.
import type { Artifact } from "../../code/modules/artifact.ts";
import { LoadError } from "../../model/errors.ts";
import { resolveSpecifier } from "../../model/code/specifier.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import { guestModule, linkModules } from "../../orchestration/code/build.ts";
import type { Gatekeeper } from "../../orchestration/code/gatekeeper.ts";
import type { Packages } from "../../orchestration/code/packages.ts";
import type { RunTerms } from "../../orchestration/runs/ticket.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";

export interface RefusalParts {
  readonly gatekeeper: Gatekeeper;
  readonly packages: Pick<Packages, "adviceOn">;
}

/** Why it may not; undefined where it may. */
export function refusalOf(
  { gatekeeper, packages }: RefusalParts,
  sandbox: ManagedSandbox,
  { shipped, script }: { readonly shipped: Artifact; readonly script: RunTerms["script"] | undefined },
): GuestFailure | undefined {
  if (script === undefined) return gatekeeper.refusalOf(shipped, sandbox);
  const { modules } = sandbox;
  const isOwn = (specifier: string, importer: string): boolean =>
    resolveSpecifier(specifier, importer, (name) => modules.has(name)) !== undefined;
  return (
    gatekeeper.refusalOf(shipped, sandbox, { name: script.name, isOwn }) ??
    (shipped.imports.length === 0 ? undefined : unlinked({ shipped, name: script.name }, sandbox, packages))
  );
}

// The isolate checks it too; here the error names what there is.
function unlinked(
  { shipped, name }: { readonly shipped: Artifact; readonly name: string },
  { modules, processes, profile }: ManagedSandbox,
  packages: RefusalParts["packages"],
): GuestFailure | undefined {
  if (processes === null && shipped.imports.includes(guestModule)) {
    const message = `Cannot import "${guestModule}" into ${name} as one of the sandbox's modules must import it: none does`;
    return { kind: "load", message };
  }
  try {
    // A module of the sandbox's own may have the same name.
    const importer = modules.has(name) ? `#${name}` : name;
    const all = new Map([...modules, [importer, shipped]]);
    linkModules(all, { hasProcesses: processes !== null, profile, packages });
    return undefined;
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    return { kind: "load", message: error.message, diagnostics: error.diagnostics };
  }
}
