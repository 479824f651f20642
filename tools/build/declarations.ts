// Declarations for users alone: those of the entries, and what these lead to. All others would only make the package larger.
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** What a declaration imports, in both forms, and what it refers to. */
const imported = /(?:\bfrom|\bimport\(|\breference path=|^import)\s*["'](\.{1,2}\/[^"']+)["']/gm;

/** Removes the declarations in a folder to which none of the entries leads. */
export function keepReachable(folder: string, entries: readonly string[]): void {
  const kept = new Set<string>();
  const waiting = entries.map((path) => resolve(path));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (kept.has(path)) continue;
    kept.add(path);
    for (const [, to = ""] of readFileSync(path, "utf8").matchAll(imported))
      waiting.push(...declarationAt(resolve(dirname(path), to)));
  }
  for (const name of globSync("**/*.d.ts", { cwd: folder })) {
    const path = resolve(join(folder, name));
    if (!kept.has(path)) rmSync(path);
  }
}

// None where only a comment shows an import.
function declarationAt(path: string): readonly string[] {
  return [path, path.replace(/\.[jt]s$/, ".d.ts")].filter((one) => one.endsWith(".d.ts") && existsSync(one));
}
