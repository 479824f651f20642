// An npm package as one module: bundled with its dependencies, from the node_modules that its importer sees and nowhere
// else. Runs in the compiler process only.
import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { headline } from "./backends/rolldown.ts";

export type BundleResult = { readonly source: string } | { readonly refusal: string };

const virtualEntry = "\0vivarium-package";

/** Bundles a package as imported from the folder; refuses one that is missing or reads files outside of itself. */
export async function bundlePackage(specifier: string, root: string): Promise<BundleResult> {
  const outsiders: string[] = [];
  try {
    // Loaded here, as most compiler processes never bundle and would start later for it.
    const { rolldown } = await import("rolldown");
    const bundle = await rolldown({
      input: virtualEntry,
      cwd: root,
      platform: "neutral",
      resolve: { mainFields: ["module", "main"], conditionNames: ["import", "module", "default"] },
      onLog: () => {},
      plugins: [
        entryPlugin(specifier, root),
        { name: "vivarium-inside", load: (id) => noteOutsider(id, entryOf(root), outsiders) },
      ],
    });
    const { output } = await bundle.generate({ format: "esm" });
    await bundle.close();
    const [chunk] = output;
    if (outsiders.length > 0) return { refusal: `it must stay inside its package: it reads ${outsiders[0]}` };
    if (chunk.imports.length > 0)
      return { refusal: `it must bring all it needs: it imports ${chunk.imports[0]}` };
    return { source: chunk.code };
  } catch (error) {
    return {
      refusal: `it must be installed and bundle: ${headline(error instanceof Error ? error.message : String(error))}`,
    };
  }
}

// The entry re-exports everything the package exports, its default too.
function entryPlugin(
  specifier: string,
  root: string,
): { name: string; resolveId(id: string): string | undefined; load(id: string): string | undefined } {
  const name = JSON.stringify(specifier);
  const entry = entryOf(root);
  return {
    name: "vivarium-entry",
    resolveId: (id) => (id === virtualEntry ? entry : undefined),
    load: (id) => {
      if (id !== entry) return undefined;
      return `export * from ${name};\nimport * as all from ${name};\nexport default all.default;\n`;
    },
  };
}

// A virtual file in the root, so that packages are resolved from there.
const entryOf = (root: string): string => `${root}${sep}vivarium-package.js`;

// A package may read only files that really are in its own folder.
function noteOutsider(id: string, entry: string, outsiders: string[]): undefined {
  const marker = `${sep}node_modules${sep}`;
  const at = id.lastIndexOf(marker);
  if (at < 0) {
    if (id !== entry && !id.startsWith("\0")) outsiders.push(id);
    return undefined;
  }
  const [first = "", second = ""] = id.slice(at + marker.length).split(sep);
  const folder =
    id.slice(0, at + marker.length) + (first.startsWith("@") ? `${first}${sep}${second}` : first);
  if (!realpathSync(id).startsWith(`${realpathSync(folder)}${sep}`)) outsiders.push(id);
  return undefined;
}
