// Compiles one module in the compiler process: check, read, scan, rewrite. It parses guest source and never runs it.
import type { Diagnostic } from "../../model/code/diagnostic.ts";
import { reservedPrefix } from "../../model/code/reserved.ts";
import { errorAt, errorAtPosition, type Backend } from "./backends/backend.ts";
import { bracketDepthMax, bracketDepthOf } from "./bracket-depth.ts";
import { positionAt } from "./code-frame.ts";
import type { CompiledModule, CompilerTask } from "../compiler/compiler-protocol.ts";
import type { ScriptForm } from "../modules/artifact.ts";
import { exportsOf } from "../modules/linkage.ts";
import { joinSourceMaps } from "../stacks/position-map.ts";
import { SourceMapIndex } from "../stacks/source-map.ts";
import { invalidPatternIn } from "./patterns.ts";
import { readScript, readSource, type ReadSource } from "./languages.ts";
import { linkModule } from "./linking/linking.ts";
import { scanModule } from "./scan/scan.ts";

export type PipelineResult = CompiledModule | { readonly diagnostics: readonly Diagnostic[] };

/** Compiles one module, or reports its errors. */
export async function compileModule(task: CompilerTask, backend: Backend): Promise<PipelineResult> {
  const refused = checkSource(task);
  if (refused !== undefined) return { diagnostics: [refused] };
  const { read, script } = await readAs(task, backend);
  if (!read.ok) return read;
  const { code, parsed, map } = read;
  const refuse = (error: { readonly offset: number; readonly message: string }): PipelineResult => {
    const generated = positionAt(code, error.offset);
    const at = map === undefined ? generated : new SourceMapIndex(map).find(generated);
    return { diagnostics: [errorAtPosition(task, at ?? { line: 1, column: 1 }, error.message)] };
  };
  const pattern = invalidPatternIn(code, parsed.program);
  if (pattern !== undefined) return refuse(pattern);
  const linked = linkModule({ code, program: parsed.program, isMetered: task.isMetered, script });
  if (!linked.ok) return refuse(linked);
  return {
    code: linked.code,
    imports: linked.imports,
    dynamicImports: linked.dynamicImports,
    exports: exportsOf(linked.linkage),
    ...(script === undefined ? {} : { script }),
    linkage: linked.linkage,
    findings: scanModule({ code, parsed, map }),
    sourceMaps: [joinSourceMaps(task.name, map === undefined ? [linked.map] : [linked.map, map])],
  };
}

// No keyword can be written with escapes.
const mayExport = /\bexport\b/;

// As what it is wanted as; where that is not decided, a source that exports something is a module.
async function readAs(
  task: CompilerTask,
  backend: Backend,
): Promise<{ readonly read: ReadSource; readonly script: ScriptForm | undefined }> {
  const { script } = task;
  if (script === undefined || (script === "unless-exports" && mayExport.test(task.source))) {
    const read = await readSource(task, backend);
    if (script === undefined || (read.ok && read.parsed.program.body.some(isExport)))
      return { read, script: undefined };
  }
  const form = script === "unless-exports" ? "script" : script;
  return { read: await readScript(task), script: form };
}

const isExport = ({ type }: { readonly type: string }): boolean => type.startsWith("Export");

// Refuses what could crash a parser, and what could be taken for the compiler's own text.
function checkSource(task: CompilerTask): Diagnostic | undefined {
  if (!task.source.isWellFormed()) return errorAt(task, 0, "The source is not well-formed Unicode");
  const depth = bracketDepthOf(task.source);
  if (depth.deepest > bracketDepthMax)
    return errorAt(task, depth.at, `Brackets are nested deeper than ${bracketDepthMax}`);
  const reserved = task.source.indexOf(reservedPrefix);
  if (reserved < 0) return undefined;
  return errorAt(task, reserved, `Names that begin with ${reservedPrefix} belong to the compiler`);
}
