// Modules from files, for this runtime: its compiler, its limits, and the packages that it lets guests import.
import { checksumOf } from "../code/compiler.ts";
import type { Artifact } from "../code/artifact.ts";
import { readTree, type SourceTree } from "../code/source-tree.ts";
import { LoadError } from "../model/errors.ts";
import type { CodeLimits } from "../orchestration/building.ts";
import type { EngineParts } from "./engine.ts";

type TreeParts = Pick<EngineParts, "config" | "cache" | "compiler">;

/** Reads a file or folder with everything it imports; rejects with a `LoadError` that names what is wrong. */
export function readModulesFrom(path: string, limits: CodeLimits, parts: TreeParts): Promise<SourceTree> {
  const { compileMs, sourceBytes, fuel } = limits;
  const compile = async (name: string, source: string, bytesMax: number): Promise<Artifact> => {
    const request = { name, source, compileMs, sourceBytes: bytesMax, isMetered: fuel !== null };
    const result = await parts.cache.compile(request);
    if (!result.ok) throw new LoadError(result.message, result);
    return result.artifact;
  };
  return readTree(path, {
    compile: (name, source) => compile(name, source, sourceBytes),
    compilePackage: async (specifier, root) => {
      if (!isAllowed(specifier, parts.config.npmImports)) throw notAllowed(specifier);
      const bundled = await parts.compiler.bundle(specifier, root, compileMs);
      if (!bundled.ok) throw new LoadError(bundled.message, { stage: "link" });
      // A package is not the guest's own source: what it comes to is bounded by the compiler's output alone.
      return compile(`${checksumOf(specifier).slice(0, 8)}.js`, bundled.source, packageBytesMax);
    },
  });
}

const packageBytesMax = 16 * 2 ** 20;

// A package may be imported by its name, and so may what it exports below that; nothing that leads up from there.
function isAllowed(specifier: string, names: readonly string[]): boolean {
  const isPlain = specifier.split("/").every((part) => /^[\w@~+-][\w@~+.-]*$/.test(part));
  return isPlain && names.some((name) => specifier === name || specifier.startsWith(`${name}/`));
}

function notAllowed(specifier: string): LoadError {
  const message = `Cannot import package "${specifier}" as it must be among npmImports of createRuntime(): it is not`;
  return new LoadError(message, { stage: "link" });
}
