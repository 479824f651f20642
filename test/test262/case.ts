// One test of test262 with everything that it needs: its harness, and the files that it imports.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { readFrontmatter, type Frontmatter } from "./frontmatter.ts";

export interface Case extends Frontmatter {
  /** Relative to the folder `test`; also the name of the module. */
  readonly path: string;
  /** The text of the harness, a script; empty for a raw test. */
  readonly harness: string;
  /** The test's own source and those of the files that it may import, by path. */
  readonly sources: Readonly<Record<string, string>>;
  readonly isAsync: boolean;
}

export type Reading = { readonly case: Case } | { readonly leftOut: string };

/** Reads a test, or says why it cannot be tried as a module. */
export function readCase(root: string, path: string): Reading {
  const source = readFileSync(join(root, "test", path), "utf8");
  const frontmatter = readFrontmatter(source);
  const leftOut = reasonToLeaveOut(source, frontmatter);
  if (leftOut !== undefined) return { leftOut };
  const isAsync = frontmatter.flags.includes("async");
  return {
    case: {
      ...frontmatter,
      path,
      isAsync,
      harness: frontmatter.flags.includes("raw") ? "" : harnessOf(root, frontmatter.includes, isAsync),
      sources: withImports(root, path, source),
    },
  };
}

function reasonToLeaveOut(source: string, { flags, includes }: Frontmatter): string | undefined {
  if (flags.includes("noStrict")) return "sloppy mode only (noStrict)";
  if (flags.includes("raw") && !flags.includes("module")) return "a script as it stands (raw)";
  const hooks = ["detachArrayBuffer.js", "atomicsHelper.js"];
  if (source.includes("$262") || includes.some((name) => hooks.includes(name)))
    return "needs hooks of a test host ($262)";
  return undefined;
}

function harnessOf(root: string, includes: readonly string[], isAsync: boolean): string {
  const names = ["assert.js", "sta.js", ...(isAsync ? ["doneprintHandle.js"] : []), ...includes];
  return [...new Set(names)].map((name) => readFileSync(join(root, "harness", name), "utf8")).join("\n");
}

// Every relative path in quotes that is a file, whether it is imported statically or later.
function withImports(root: string, path: string, source: string): Record<string, string> {
  const sources: Record<string, string> = { [path]: source };
  const queue = [path];
  for (let importer = queue.pop(); importer !== undefined; importer = queue.pop()) {
    for (const [, specifier] of (sources[importer] as string).matchAll(/["'`](\.\.?\/[^"'`\n]+)["'`]/g)) {
      const name = normalize(join(dirname(importer), specifier as string));
      const file = join(root, "test", name);
      if (name.startsWith("..") || name in sources || !/\.\w+$/.test(name) || !existsSync(file)) continue;
      sources[name] = readFileSync(file, "utf8");
      if (name.endsWith(".js")) queue.push(name);
    }
  }
  return sources;
}
