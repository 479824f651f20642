// Rewrites a module so that every import and export goes through the sandbox's module table, and wraps it in the function
// that the table calls. Runs in the compiler process only.
import { Script } from "node:vm";
import { moduleRunnerTransform } from "rolldown/experimental";
import { parseSync, type ParseResult } from "rolldown/utils";
import { fuelNames } from "./fuel.ts";

/** Prefixes of the names that the rewriting introduces. A source may not use them. */
export const reservedPrefixes: readonly string[] = ["__vite_ssr_", "__vivarium_"];

const parameters = [
  ...["exports", "import", "dynamic_import", "exportAll", "import_meta"].map(
    (name) => `__vite_ssr_${name}__`,
  ),
  fuelNames.cell,
  fuelNames.spend,
].join(",");
// At the start of a line only the rewriting can have written this, as the source has none of these names.
const importLine = /^const __vite_ssr_import_\d+__ = await __vite_ssr_import__\(/gm;

export interface Linked {
  readonly code: string;
  /** In no particular order. */
  readonly imports: readonly string[];
  readonly dynamicImports: readonly string[];
  readonly map: string;
}

/** Links one module of JavaScript that has parsed before. */
export async function linkModule(name: string, code: string): Promise<Linked> {
  const linked = await moduleRunnerTransform(`${name}.js`, code, { sourcemap: true });
  // Imports have been evaluated before, so nothing is awaited. Blanks of the same length preserve columns.
  const body = linked.code.replace(importLine, (line) => line.replace(" await ", "       "));
  return {
    code: asFactory(body),
    imports: linked.deps,
    dynamicImports: linked.dynamicDeps,
    map: JSON.stringify(linked.map),
  };
}

/** The imports and exports of a module, and its semantic errors. */
export interface Surface {
  /** Specifiers of static imports, in source order. */
  readonly imports: readonly string[];
  /** Names of exports, sorted; those of `export *` are known only in the sandbox. */
  readonly exports: readonly string[];
  /** Errors that a parser alone does not see, with their offsets. */
  readonly errors: readonly { readonly offset: number; readonly message: string }[];
}

/** Parses one module of JavaScript that a backend has made. */
export function parseModule(code: string): ParseResult {
  return parseSync("module.js", code, { sourceType: "module", showSemanticErrors: true });
}

/** The surface of a parsed module. */
export function surfaceOf({ module, errors }: ParseResult): Surface {
  const { staticImports, staticExports } = module;
  const entries = staticExports.flatMap((statement) => statement.entries);
  const requests = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest),
    ...entries.map(({ moduleRequest }) => moduleRequest),
  ].filter((request) => request !== null);
  const names = entries.map(({ exportName }) => {
    return exportName.name ?? (exportName.kind === "Default" ? "default" : undefined);
  });
  return {
    imports: [...new Set(requests.toSorted((a, b) => a.start - b.start).map(({ value }) => value))],
    exports: [...new Set(names.filter((name) => name !== undefined))].toSorted(),
    errors: errors.map(({ labels, message }) => ({ offset: labels[0]?.start ?? 0, message })),
  };
}

// Strict like every module, `this` undefined, and an arrow, so that `arguments` is not the wrapper's. The first line of the
// wrapper has no guest code: positions are one line further down.
function asFactory(body: string): string {
  const isAsync = body.includes("await") && !isSyncBody(body);
  return `(function(){"use strict";return ${isAsync ? "async " : ""}(${parameters})=>{\n${body}\n}})()`;
}

// Whether no await is outside of all functions. In the body of a plain function `await (x)` would be a call; in a
// static block it is an error like any other await.
function isSyncBody(body: string): boolean {
  try {
    return new Script(`(class{static{\n${body}\n}})`) instanceof Script;
  } catch {
    return false;
  }
}
