// Rolldown as compiler: types stripped and JSX lowered, then every import and export rewritten to go through the
// sandbox's module table. Runs in the compiler process only.
import { moduleRunnerTransform } from "rolldown/experimental";
import { parseSync, transformSync } from "rolldown/utils";
import { stripVTControlCharacters } from "node:util";
import { Script } from "node:vm";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { codeFrame, positionAt } from "../code-frame.ts";
import type { CompiledModule, CompilerTask } from "../compiler-protocol.ts";
import { bracketDepthOf, bracketDepthMax } from "../bracket-depth.ts";

interface Failed {
  readonly diagnostics: readonly Diagnostic[];
}

const diagnosticsMax = 20;

// The names that the rewriting introduces. A source that uses them itself could not be told from it.
const reserved = "__vite_ssr_";
const parameters = ["exports", "import", "dynamic_import", "exportAll", "import_meta"]
  .map((name) => `${reserved}${name}__`)
  .join(",");
// At the start of a line the rewriting alone can have written this, as the source has none of these names.
const importLine = /^const __vite_ssr_import_\d+__ = (await )__vite_ssr_import__\(("(?:[^"\\]|\\.)*")/gm;

/** Compiles one module, or says where it is wrong. */
export async function compileWithRolldown(task: CompilerTask): Promise<CompiledModule | Failed> {
  const { source } = task;
  const reservedAt = source.indexOf(reserved);
  if (reservedAt >= 0)
    return failed(task, reservedAt, `Names that begin with ${reserved} belong to the compiler`);
  const depth = bracketDepthOf(source);
  if (depth.deepest > bracketDepthMax)
    return failed(task, depth.at, `Brackets are nested deeper than ${bracketDepthMax}`);
  const filename = fileNameOf(task.name);
  const stripped = transformSync(filename, source, {
    sourcemap: true,
    target: "esnext",
    jsx: { runtime: "classic" },
  });
  if (stripped.errors.length > 0) return failedWith(task, stripped.errors);
  const linked = await moduleRunnerTransform(filename, stripped.code, { sourcemap: true });
  if (linked.errors.length > 0) return failedWith(task, linked.errors);
  const imports: string[] = [];
  const body = linked.code.replace(importLine, (line: string, wait: string, specifier: string) => {
    imports.push(JSON.parse(specifier) as string);
    // Blanks of the same length keep every column where the source map has it.
    return line.replace(` = ${wait}`, ` = ${" ".repeat(wait.length)}`);
  });
  return {
    code: asFactory(body),
    imports,
    dynamicImports: linked.dynamicDeps,
    exports: exportsOf(filename, stripped.code),
    sourceMaps: [linked.map, stripped.map].map((map) =>
      JSON.stringify({ ...map, sourcesContent: undefined }),
    ),
  };
}

// Strict like every module. The first line of the wrapper holds no guest code: positions are one line further down.
function asFactory(body: string): string {
  const isAsync = body.includes("await") && !isSyncBody(body);
  return `(${isAsync ? "async " : ""}function(${parameters}){"use strict";\n${body}\n})`;
}

function isSyncBody(body: string): boolean {
  try {
    return new Script(`(function(){"use strict";\n${body}\n})`) instanceof Script;
  } catch {
    return false;
  }
}

function exportsOf(filename: string, code: string): string[] {
  const { module } = parseSync(filename, code);
  const names = module.staticExports.flatMap((statement) =>
    statement.entries.map(
      (entry) => entry.exportName.name ?? (entry.exportName.kind === "Default" ? "default" : undefined),
    ),
  );
  return [...new Set(names.filter((name) => name !== undefined))];
}

function fileNameOf(name: string): string {
  return /\.[cm]?[jt]sx?$/.test(name) ? name : `${name}.tsx`;
}

interface RolldownError {
  readonly message: string;
  readonly pos?: number;
  readonly labels?: readonly { readonly start: number }[];
}

// Each takes a walk through the source: a source that is nothing but mistakes shows only the first of them.
function failedWith(task: CompilerTask, errors: readonly RolldownError[]): Failed {
  return { diagnostics: errors.slice(0, diagnosticsMax).map((error) => toDiagnostic(task, error)) };
}

function toDiagnostic(task: CompilerTask, error: RolldownError): Diagnostic {
  const headline = stripVTControlCharacters(error.message).split("\n")[0] ?? "";
  const offset = error.pos ?? error.labels?.[0]?.start ?? 0;
  return diagnosticAt(task, offset, headline.replace(/^\[[A-Z_]+\]\s*/, ""));
}

function diagnosticAt(task: CompilerTask, offset: number, message: string): Diagnostic {
  const position = positionAt(task.source, offset);
  return {
    severity: "error",
    message,
    module: task.name,
    ...position,
    frame: codeFrame(task.source, position),
  };
}

function failed(task: CompilerTask, offset: number, message: string): Failed {
  return { diagnostics: [diagnosticAt(task, offset, message)] };
}
