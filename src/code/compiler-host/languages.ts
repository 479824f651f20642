// Reads a source as the language that it is written in: JavaScript stays as it is; TypeScript, JSX and JSON become
// JavaScript. The module's name says which it is; without an extension it is JavaScript where it parses as such.
import { parseSync, type ParseResult } from "rolldown/utils";
import type { Diagnostic } from "../../model/code/diagnostic.ts";
import type { CompilerTask } from "../compiler/compiler-protocol.ts";
import { SourceMapIndex } from "../stacks/source-map.ts";
import {
  diagnosticsMax,
  errorAt,
  errorAtPosition,
  type Backend,
  type Language,
  type Stripped,
} from "./backends/backend.ts";
import { headline, rolldownBackend } from "./backends/rolldown.ts";
import { positionAt } from "./code-frame.ts";
import { readObject, withReturns } from "./scripts/reading.ts";
import { isSurelyTyped } from "./typed-start.ts";

/** A source as JavaScript, parsed. */
export type ReadSource =
  | {
      readonly ok: true;
      readonly code: string;
      readonly parsed: ParseResult;
      /** From `code` to the source; undefined where they are the same. */
      readonly map: string | undefined;
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

const mayBeOctal = /\\[0-9]|(?<![\w$.])0[0-9]/;

const redeclaredEnd = / has already been declared$/;

type Task = Pick<CompilerTask, "name" | "source">;

export async function readSource(task: Task, backend: Backend): Promise<ReadSource> {
  const { name } = task;
  if (name.endsWith(".json")) return readStripped(task, stripJson(task));
  if (/\.[cm]?js$/.test(name)) return readJavaScript(task);
  const language = /\.(?:[cm]?(ts)|([jt]sx))$/
    .exec(name)
    ?.slice(1)
    .find((part) => part !== undefined);
  if (language !== undefined) return readWith(task, backend, language as Language);
  // Both languages may admit a source and mean something else by it, as with `f<a, b>(c)`.
  if (!isSurelyTyped(task.source)) {
    const read = asJavaScript(task, parse(task.source, "js"));
    if (read !== undefined) return read;
  }
  const asTypeScript = await readWith(task, backend, "ts");
  if (asTypeScript.ok) return asTypeScript;
  const withMarkup = await readWith(task, backend, "tsx");
  return withMarkup.ok ? withMarkup : asTypeScript;
}

/** Reads a script: statements of a module that may also return. It may be one object, as in a console. */
export async function readScript(task: Task): Promise<ReadSource> {
  const { source } = task;
  if (!isSurelyTyped(source)) {
    const read = asJavaScript(task, readObject(source) ?? withReturns(parse(source, "js")));
    if (read !== undefined) return read;
  }
  const typed = await readTypedScript(task, "ts");
  if (typed.ok) return typed;
  const withMarkup = await readTypedScript(task, "tsx");
  return withMarkup.ok ? withMarkup : typed;
}

/** A source that may be in another language, where it is JavaScript, or is not because of names that it declares twice. */
function asJavaScript(task: Task, parsed: ParseResult): ReadSource | undefined {
  if (parsed.errors.length === 0) return { ok: true, code: task.source, parsed, map: undefined };
  // As TypeScript it would lose the import of a name that it declares as well.
  const isRedeclared = parsed.errors.every(({ message }) => redeclaredEnd.test(message));
  return isRedeclared ? { ok: false, diagnostics: diagnosticsOf(task, parsed) } : undefined;
}

async function readTypedScript(task: Task, language: Language): Promise<ReadSource> {
  // Of the backends this one lets a script return.
  const stripped = await rolldownBackend.strip({ ...task, language });
  const isOctal = stripped.ok && mayBeOctal.test(task.source);
  const diagnostics = isOctal ? diagnosticsOf(task, withReturns(parse(task.source, language))) : [];
  return diagnostics.length > 0 ? { ok: false, diagnostics } : readStripped(task, stripped, withReturns);
}

function readJavaScript(task: Task): ReadSource {
  const parsed = parse(task.source, "js");
  const diagnostics = diagnosticsOf(task, parsed);
  if (diagnostics.length > 0) return { ok: false, diagnostics };
  return { ok: true, code: task.source, parsed, map: undefined };
}

async function readWith(task: Task, backend: Backend, language: Language): Promise<ReadSource> {
  const stripped = await backend.strip({ ...task, language });
  if (!stripped.ok) return stripped;
  // A backend prints octals, which the language forbids in modules, as what they mean.
  const diagnostics = mayBeOctal.test(task.source) ? diagnosticsOf(task, parse(task.source, language)) : [];
  return diagnostics.length > 0 ? { ok: false, diagnostics } : readStripped(task, stripped);
}

function readStripped(
  task: Task,
  stripped: Stripped,
  allow: (parsed: ParseResult) => ParseResult = (parsed) => parsed,
): ReadSource {
  if (!stripped.ok) return stripped;
  const { code, map } = stripped;
  const parsed = allow(parse(code, "js"));
  if (parsed.errors.length === 0) return { ok: true, code, parsed, map };
  // Found in stripped code, reported at the lines of the source.
  const index = new SourceMapIndex(map);
  const diagnostics = parsed.errors.slice(0, diagnosticsMax).map((error) => {
    const at = index.find(positionAt(code, error.labels[0]?.start ?? 0));
    return errorAtPosition(task, at ?? { line: 1, column: 1 }, headline(error.message));
  });
  return { ok: false, diagnostics };
}

function parse(code: string, language: Language | "js"): ParseResult {
  return parseSync(`module.${language}`, code, {
    lang: language,
    sourceType: "module",
    showSemanticErrors: true,
  });
}

function diagnosticsOf(task: Task, { errors }: ParseResult): Diagnostic[] {
  return errors
    .slice(0, diagnosticsMax)
    .map(({ labels, message }) => errorAt(task, labels[0]?.start ?? 0, headline(message)));
}

function stripJson({ name, source }: Task): Stripped {
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
