// What differs between a script and a module when it is rewritten: its value is returned, its arguments are a variable, and
// what it would export stays inside.
import type { ESTree } from "rolldown/utils";
import { reserved } from "../../../model/code/reserved.ts";
import type { ScriptForm } from "../../modules/artifact.ts";
import type { Edits } from "../linking/edits.ts";
import { declaredName, entriesOf, type Entries } from "../linking/entries.ts";
import { keepDeclarations, type Kept } from "./kept.ts";
import { recordValue, recordValues } from "./values.ts";

/** The variable in which a script finds its arguments. */
const argsName = "args";

export interface Script {
  readonly form: ScriptForm;
  readonly code: string;
  readonly edits: Edits;
}

/** The imports of a script. It exports nothing. */
export function scriptEntriesOf(program: ESTree.Program): Entries {
  const { requests, linkage } = entriesOf(program);
  return {
    requests,
    linkage: { imports: linkage.imports, locals: [], reexports: [], stars: [] },
    numbers: new Map(),
  };
}

/** Rewrites the statements of a script; the statements that it needs before the body. */
export function rewriteScript(program: ESTree.Program, script: Script, entries: Entries): Kept {
  const { form, code, edits } = script;
  recordValues(program, edits);
  for (const statement of program.body) takeOut(statement, script);
  const result = `let ${reserved.result}=[void 0];`;
  if (form === "script") return { ok: true, prologue: result };
  const imported = entries.linkage.imports.map(({ local }) => local);
  const kept = keepDeclarations(program, { code, edits, imported });
  return kept.ok ? { ok: true, prologue: result + kept.prologue } : kept;
}

// Imports are bound before the script runs, and `export` means nothing in it.
function takeOut(statement: ESTree.Program["body"][number], { code, edits }: Script): void {
  switch (statement.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
      return edits.blank(statement, ";");
    case "ExportNamedDeclaration": {
      const { declaration, start } = statement;
      if (declaration === null) return edits.blank(statement, ";");
      return edits.blank({ start, end: declaration.start }, "");
    }
    case "ExportDefaultDeclaration": {
      const { declaration, start, end } = statement;
      const isNamed = declaredName(declaration) !== undefined;
      edits.blank({ start, end: declaration.start }, isNamed ? "" : ";");
      if (isNamed) return;
      recordValue(declaration, edits);
      if (code[end - 1] !== ";" || end === declaration.end) edits.insertBare(declaration.end, ";");
    }
  }
}

/** The function that makes the body of a script, as an expression. */
export function scriptCode(
  body: { readonly kind: string; readonly prologue: string; readonly text: string },
  form: ScriptForm,
  { linkage }: Entries,
): string {
  const { kind, prologue, text } = body;
  // Where declarations are kept, it is a property of the global object as all others.
  const hasArgs = form === "script" && linkage.imports.every(({ local }) => local !== argsName);
  return `((${hasArgs ? argsName : ""})=>${kind}(){${prologue}yield;\n${text}\nreturn ${reserved.result}[0]})`;
}
