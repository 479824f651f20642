// Compiles one module in the compiler process: check, strip, scan, meter, link. It parses guest source and never runs it.
import type { Diagnostic } from "../../model/code/diagnostic.ts";
import { diagnosticsMax, errorAt, errorAtPosition, type Backend, type Stripped } from "./backends/backend.ts";
import { bracketDepthMax, bracketDepthOf } from "./bracket-depth.ts";
import { positionAt } from "./code-frame.ts";
import type { CompiledModule, CompilerTask } from "../compiler/compiler-protocol.ts";
import { insertFuel } from "./fuel.ts";
import { joinSourceMaps } from "../stacks/position-map.ts";
import { SourceMapIndex } from "../stacks/source-map.ts";
import { linkModule, parseModule, reservedPrefixes, surfaceOf, type Surface } from "./linking.ts";
import { scanModule } from "./scan/scan.ts";

export type PipelineResult = CompiledModule | { readonly diagnostics: readonly Diagnostic[] };

/** Compiles one module, or reports its errors. */
export async function compileModule(task: CompilerTask, backend: Backend): Promise<PipelineResult> {
  const refused = checkSource(task);
  if (refused !== undefined) return { diagnostics: [refused] };
  const stripped = await strip(task, backend);
  if (!stripped.ok) return stripped;
  const reserved = findReserved(task, stripped.code);
  if (reserved !== undefined) return { diagnostics: [reserved] };
  const parsed = parseModule(stripped.code);
  const surface = surfaceOf(parsed);
  if (surface.errors.length > 0) return { diagnostics: toDiagnostics(task, stripped, surface) };
  const findings = scanModule({ ...stripped, parsed });
  const metered = task.isMetered ? insertFuel(stripped.code) : undefined;
  const linked = await linkModule(task.name, metered?.code ?? stripped.code);
  const { code, dynamicImports, map } = linked;
  const maps = [map, ...(metered === undefined ? [] : [metered.map]), stripped.map];
  return {
    code,
    imports: [...new Set([...surface.imports, ...linked.imports.toSorted()])],
    dynamicImports,
    exports: surface.exports,
    findings,
    sourceMaps: [joinSourceMaps(task.name, maps)],
  };
}

// Refuses what could crash a parser.
function checkSource(task: CompilerTask): Diagnostic | undefined {
  if (!task.source.isWellFormed()) return errorAt(task, 0, "The source is not well-formed Unicode");
  const depth = bracketDepthOf(task.source);
  if (depth.deepest <= bracketDepthMax) return undefined;
  return errorAt(task, depth.at, `Brackets are nested deeper than ${bracketDepthMax}`);
}

// The name decides the language; without an extension, JSX is tried where the source is no plain TypeScript.
async function strip({ name, source }: CompilerTask, backend: Backend): Promise<Stripped> {
  if (name.endsWith(".json")) return stripJson(name, source);
  if (/\.[jt]sx$/.test(name)) return backend.strip({ name, source, language: "tsx" });
  const plain = await backend.strip({ name, source, language: "ts" });
  if (plain.ok || /\.[cm]?ts$/.test(name)) return plain;
  const jsx = await backend.strip({ name, source, language: "tsx" });
  return jsx.ok ? jsx : plain;
}

function stripJson(name: string, source: string): Stripped {
  try {
    // Parsed from a text, as __proto__ in an object literal would set the prototype.
    const code = `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(source)))});\n`;
    return { ok: true, code, map: JSON.stringify({ version: 3, sources: [name], names: [], mappings: "" }) };
  } catch (error) {
    const offset = /position (\d+)/.exec(String(error))?.[1] ?? 0;
    return {
      ok: false,
      diagnostics: [errorAt({ name, source }, Number(offset), `Not JSON: ${String(error)}`)],
    };
  }
}

// In stripped code escapes are resolved, so that no spelling of a reserved name is missed.
function findReserved(task: CompilerTask, code: string): Diagnostic | undefined {
  const prefix = reservedPrefixes.find((reserved) => code.includes(reserved));
  if (prefix === undefined) return undefined;
  const message = `Names that begin with ${prefix} belong to the compiler`;
  return errorAt(task, Math.max(0, task.source.indexOf(prefix)), message);
}

// Found in stripped code, reported at the lines of the source.
function toDiagnostics(
  task: CompilerTask,
  stripped: { readonly code: string; readonly map: string },
  { errors }: Surface,
): Diagnostic[] {
  const map = new SourceMapIndex(stripped.map);
  return errors.slice(0, diagnosticsMax).map(({ offset, message }) => {
    const at = map.find(positionAt(stripped.code, offset));
    return errorAtPosition(task, at ?? { line: 1, column: 1 }, message);
  });
}
