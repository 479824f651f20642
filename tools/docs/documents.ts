// Which documents there are.
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root: string = fileURLToPath(new URL("../..", import.meta.url));

/** Every Markdown document of ours, as a path from the root. */
export function documents(): readonly string[] {
  return globSync(["*.md", "docs/**/*.md", "examples/**/*.md"], { cwd: root }).sort();
}
