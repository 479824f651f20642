// The code of a sandbox that is made for scripts: one module without anything in it, as every sandbox has one.
import type { Artifact } from "../../code/modules/artifact.ts";

/** The name of a sandbox's only module, where nobody has named it. */
export const moduleName = "main";

/** The module. It imports what the sandbox must be created with so that a script can import it. */
export function emptyCode(imports: readonly string[] = []): Map<string, string | Artifact> {
  return new Map([[moduleName, imports.map((name) => `import ${JSON.stringify(name)};`).join("\n")]]);
}
