// Modules from files, for this runtime: its compiler, its limits, and the packages that it lets guests import.
import { isBuiltin } from "node:module";
import { compileOwnerOf, nobody } from "../../code/compiler/compile-owner.ts";
import { checksumOf } from "../../code/compiler/compiler.ts";
import type { Artifact } from "../../code/modules/artifact.ts";
import { readTree, type SourceTree } from "../../code/files/source-tree.ts";
import { LoadError } from "../../model/errors.ts";
import { anywhere, type Placement } from "../../model/sandboxes/placement.ts";
import type { CodeLimits } from "../../orchestration/code/build.ts";
import type { CodeOwner } from "../../orchestration/code/gatekeeper.ts";
import type { Profile } from "../../security/profile.ts";
import type { EngineParts } from "./engine.ts";

type TreeParts = Pick<EngineParts, "config" | "cache" | "compiler" | "gatekeeper">;

/** The sandbox that files are read for; without an id there is none yet, and the gate is not asked. */
export interface TreeOwner extends Omit<CodeOwner, "id"> {
  readonly id?: string;
  readonly limits: CodeLimits;
  readonly placement?: Placement;
}

/** Reads a file or folder with everything it imports; rejects with a `LoadError` that names what is wrong. */
export function readModulesFrom(path: string, owner: TreeOwner, parts: TreeParts): Promise<SourceTree> {
  const { compileMs, sourceBytes, fuel } = owner.limits;
  const { id, profile, placement = anywhere } = owner;
  const forWhom = id === undefined ? nobody : compileOwnerOf({ id, placement });
  const isOwn = (specifier: string): boolean => isAllowed(specifier, profile, parts.config.npmImports);
  const compile = async (name: string, source: string, bytesMax: number): Promise<Artifact> => {
    const isMetered = fuel !== null;
    const request = { name, source, compileMs, sourceBytes: bytesMax, isMetered, owner: forWhom };
    const result = await parts.cache.compile(request);
    if (!result.ok) throw new LoadError(result.message, result);
    if (id !== undefined)
      parts.gatekeeper.assertAdmissible(name, result.artifact, { owner: { id, profile }, isOwn });
    return result.artifact;
  };
  return readTree(path, {
    compile: (name, source) => compile(name, source, sourceBytes),
    compilePackage: async (specifier, root) => {
      if (!isOwn(specifier)) {
        if (id !== undefined) parts.gatekeeper.noteDenied({ id, profile }, "npm-imports", specifier);
        throw notAllowed(specifier, profile);
      }
      const bundled = await parts.compiler.bundle(specifier, root, { compileMs, owner: forWhom });
      if (!bundled.ok) throw new LoadError(bundled.message, { phase: "link" });
      // A package is not the guest's own source: what it comes to is bounded by the compiler's output alone.
      return compile(`${checksumOf(specifier).slice(0, 8)}.js`, bundled.source, packageBytesMax);
    },
  });
}

const packageBytesMax = 16 * 2 ** 20;

// A package may be imported by its name, and so may what it exports below that; nothing that leads up from there.
function isAllowed(specifier: string, { npmImports }: Profile, names: readonly string[]): boolean {
  const isPlain = specifier.split("/").every((part) => /^[\w@~+-][\w@~+.-]*$/.test(part));
  if (!isPlain || npmImports === "none") return false;
  if (npmImports === "any") return !isBuiltin(specifier);
  return names.some((name) => specifier === name || specifier.startsWith(`${name}/`));
}

function notAllowed(specifier: string, { name, npmImports }: Profile): LoadError {
  if (npmImports !== "listed") {
    const rule = `profile "${name}" must admit ${npmImports === "none" ? "packages" : "it"}`;
    return new LoadError(`Cannot import package "${specifier}" as ${rule}: it does not`, { phase: "gate" });
  }
  const message = `Cannot import package "${specifier}" as it must be among npmImports of createRuntime(): it is not`;
  return new LoadError(message, { phase: "link" });
}
