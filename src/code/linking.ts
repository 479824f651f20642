// Rewrites a module so that every import and export goes through the sandbox's module table, and wraps it in the function
// that the table calls. Runs in the compiler process only.
import { Script } from "node:vm";
import { moduleRunnerTransform } from "rolldown/experimental";
import { parseSync } from "rolldown/utils";
import { fuelNames } from "./fuel.ts";

/** The names that the rewriting introduces begin so. A source that used them could not be told from it. */
export const reservedPrefixes: readonly string[] = ["__vite_ssr_", "__vivarium_"];

const parameters = [
  ...["exports", "import", "dynamic_import", "exportAll", "import_meta"].map(
    (name) => `__vite_ssr_${name}__`,
  ),
  fuelNames.cell,
  fuelNames.spend,
].join(",");
// At the start of a line the rewriting alone can have written this, as the source has none of these names.
const importLine = /^const __vite_ssr_import_\d+__ = (await )__vite_ssr_import__\(("(?:[^"\\]|\\.)*")/gm;

export interface Linked {
  readonly code: string;
  readonly imports: readonly string[];
  readonly dynamicImports: readonly string[];
  readonly map: string;
}

/** Links one module of JavaScript that has parsed before. */
export async function linkModule(name: string, code: string): Promise<Linked> {
  const linked = await moduleRunnerTransform(`${name}.js`, code, { sourcemap: true });
  const imports: string[] = [];
  const body = linked.code.replace(importLine, (line: string, wait: string, specifier: string) => {
    imports.push(JSON.parse(specifier) as string);
    // What is imported has been evaluated before. Blanks of the same length keep columns where the source map has them.
    return line.replace(` = ${wait}`, ` = ${" ".repeat(wait.length)}`);
  });
  return {
    code: asFactory(body),
    imports: [...new Set(imports)],
    dynamicImports: linked.dynamicDeps,
    map: JSON.stringify(linked.map),
  };
}

/** What a module exports by name; what it passes on by `export *` is known only in the sandbox. */
export function exportsOf(code: string): string[] {
  const { module } = parseSync("module.js", code);
  const entries = module.staticExports.flatMap((statement) => statement.entries);
  const names = entries.map(({ exportName }) => {
    return exportName.name ?? (exportName.kind === "Default" ? "default" : undefined);
  });
  return [...new Set(names.filter((name) => name !== undefined))];
}

// Strict like every module, `this` undefined, and an arrow, so that `arguments` is not ours. The first line of the
// wrapper holds no guest code: positions are one line further down.
function asFactory(body: string): string {
  const isAsync = body.includes("await") && !isSyncBody(body);
  return `(function(){"use strict";return ${isAsync ? "async " : ""}(${parameters})=>{\n${body}\n}})()`;
}

// Whether there is an await outside of every function: then the body is no body of a plain function.
function isSyncBody(body: string): boolean {
  try {
    return new Script(`(function(){"use strict";\n${body}\n})`) instanceof Script;
  } catch {
    return false;
  }
}
