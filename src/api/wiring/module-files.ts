// Modules from files, for this runtime: its compiler, its limits, and the packages that it lets guests import.
import { compileOwnerOf, nobody } from "../../code/compiler/compile-owner.ts";
import type { Artifact } from "../../code/modules/artifact.ts";
import { readTree, type SourceTree } from "../../code/files/source-tree.ts";
import { LoadError } from "../../model/errors.ts";
import { anywhere, type Placement } from "../../model/sandboxes/placement.ts";
import type { CodeLimits } from "../../orchestration/code/build.ts";
import type { CodeOwner } from "../../orchestration/code/gatekeeper.ts";
import type { Profile } from "../../security/profile.ts";
import type { EngineParts } from "./engine.ts";

type TreeParts = Pick<EngineParts, "config" | "cache" | "packages" | "gatekeeper">;

/** The sandbox that files are read for; without an id there is none yet, and the gate is not asked. */
export interface TreeOwner extends Omit<CodeOwner, "id"> {
  readonly id?: string;
  readonly limits: CodeLimits;
  readonly placement?: Placement;
  /** What it will be granted, where there is no sandbox yet. */
  readonly capabilities?: ReadonlyMap<string, unknown> | undefined;
}

/** Reads a file or folder with everything it imports; rejects with a `LoadError` that names what is wrong. */
export function readModulesFrom(path: string, owner: TreeOwner, parts: TreeParts): Promise<SourceTree> {
  const { compileMs, sourceBytes, fuel } = owner.limits;
  const { id, profile, placement = anywhere } = owner;
  const { packages, gatekeeper } = parts;
  const grants = owner.grants ?? grantsOf(owner, parts);
  const compileOwner = id === undefined ? nobody : compileOwnerOf({ id, placement });
  const isMetered = fuel !== null;
  const admit = (name: string, artifact: Artifact): Artifact => {
    const isOwn = (specifier: string): boolean => packages.admits(specifier, profile);
    if (id !== undefined)
      gatekeeper.assertAdmissible(name, artifact, { owner: { id, profile, grants }, isOwn });
    return artifact;
  };
  return readTree(path, {
    compile: async (name, source) => {
      const request = { name, source, compileMs, sourceBytes, isMetered, owner: compileOwner };
      const result = await parts.cache.compile(request);
      if (!result.ok) throw new LoadError(result.message, result);
      return admit(name, result.artifact);
    },
    compilePackage: async (specifier, { root, isShared }) => {
      if (!isShared && !packages.admits(specifier, profile)) {
        if (id !== undefined) gatekeeper.noteDenied({ id, profile }, "npm-imports", specifier);
        throw notAllowed(specifier, profile);
      }
      return admit(specifier, await packages.moduleOf(specifier, { compileOwner, isMetered }, root));
    },
  });
}

function grantsOf(
  { capabilities = new Map() }: TreeOwner,
  { config }: TreeParts,
): NonNullable<CodeOwner["grants"]> {
  return { fetchBy: [...capabilities.keys()].find((name) => config.capabilities.get(name)?.servesFetch) };
}

function notAllowed(specifier: string, { name, npmImports }: Profile): LoadError {
  if (npmImports !== "listed") {
    const rule = `profile "${name}" must admit ${npmImports === "none" ? "packages" : "it"}`;
    return new LoadError(`Cannot import package "${specifier}" as ${rule}: it does not`, { phase: "gate" });
  }
  const message = `Cannot import package "${specifier}" as it must be among npmImports of createRuntime(): it is not`;
  return new LoadError(message, { phase: "link" });
}
