// Rewrites a module into the body that the sandbox's module table runs: a generator that is paused once, when its functions
// are declared, and at each top-level await. Runs in the compiler process only.
import type { ESTree } from "rolldown/utils";
import type { ScriptForm } from "../../modules/artifact.ts";
import type { Linkage } from "../../modules/linkage.ts";
import { reserved } from "../../../model/code/reserved.ts";
import type { VerbatimMap } from "../../stacks/source-map.ts";
import { divideLarge } from "../large/division.ts";
import { rewriteScript, scriptCode, scriptEntriesOf } from "../scripts/script.ts";
import type { Node } from "../syntax.ts";
import { Edits } from "./edits.ts";
import { entriesOf, type Entries } from "./entries.ts";
import { rewriteAwaits, rewriteEvals, rewriteExpressions, type Found } from "./expressions.ts";
import { publishing, rewriteStatement, type TopLevel } from "./statements.ts";
import { publishAll, rewriteWrites } from "./writes.ts";

/** A module of JavaScript that has parsed without errors. */
export interface Parsed {
  readonly code: string;
  readonly program: ESTree.Program;
  readonly isMetered: boolean;
  /** Undefined for a module. */
  readonly script?: ScriptForm | undefined;
}

export interface Linked {
  readonly ok: true;
  /** A generator function, as an expression. */
  readonly code: string;
  readonly imports: readonly string[];
  readonly dynamicImports: readonly string[];
  readonly linkage: Linkage;
  readonly map: VerbatimMap;
}

export interface LinkRefusal {
  readonly ok: false;
  readonly offset: number;
  readonly message: string;
}

export function linkModule(parsed: Parsed): Linked | LinkRefusal {
  const { code, program, isMetered, script: form } = parsed;
  const edits = new Edits(code);
  const entries = form === undefined ? entriesOf(program) : scriptEntriesOf(program);
  const found = rewriteExpressions(program, { code, edits, isMetered });
  if (found.error !== undefined) return { ok: false, ...found.error };
  // Inside of what fuel puts around statements, and around what is put around expressions below.
  const script = form === undefined ? undefined : rewriteScript(program, { form, code, edits }, entries);
  if (script?.ok === false) return script;
  const large = divideLarge(found.parts, edits);
  if (large.error !== undefined) return { ok: false, ...large.error };
  const prologue = rewriteTop(parsed, { edits, entries, found, hasTicks: large.hasTicks });
  if (!found.awaitsInLoops) rewriteAwaits(found.awaits, edits);
  const { text, map } = edits.apply();
  const keyword = found.awaitsInLoops ? "async function*" : "function*";
  const kind = large.isTopLarge ? `${keyword} ${reserved.largeModule}` : keyword;
  const body = found.awaitsInLoops ? "async generator" : found.awaits.length > 0 ? "async" : "sync";
  const { requests, linkage } = entries;
  return {
    ok: true,
    code:
      form === undefined
        ? `(${kind}(){${prologue}yield;\n${text}\n})`
        : scriptCode({ kind, prologue: prologue + (script?.prologue ?? ""), text }, form, entries),
    imports: requests,
    dynamicImports: found.dynamicImports,
    linkage: { ...linkage, body },
    map,
  };
}

// The statements that the top level needs before the body.
function rewriteTop(
  { code, program, script }: Parsed,
  about: {
    readonly edits: Edits;
    readonly entries: Entries;
    readonly found: Found;
    readonly hasTicks: boolean;
  },
): string {
  const { edits, entries, found, hasTicks } = about;
  const { linkage, numbers } = entries;
  const top: TopLevel = { code, edits, numbers, prologue: [], lexical: new Set(), constants: new Set() };
  if (code.startsWith("#!")) edits.blank({ start: 0, end: 2 }, "//");
  if (script === undefined) for (const statement of program.body) rewriteStatement(statement, top);
  // What is exported and not declared at the top level itself is a `var`.
  const vars = [...numbers.keys()].filter((local) => !top.lexical.has(local) && isVariable(local));
  for (const local of vars) top.prologue.push(`${publishing(numbers, local)};`);
  if (hasTicks) top.prologue.push(`function ${reserved.tick}(){}`);
  return [...changes(program, found, { linkage, numbers, top, vars }), ...top.prologue].join("");
}

const isVariable = (local: string): boolean => !local.startsWith("*");

// Changes of variables after their declaration: most modules have none that others see.
function changes(
  program: Node,
  found: Found,
  about: Pick<Entries, "linkage" | "numbers"> & { readonly top: TopLevel; readonly vars: readonly string[] },
): string[] {
  const { linkage, numbers, top, vars } = about;
  const { code, edits, constants } = top;
  const imported = new Set(linkage.imports.map(({ local }) => local));
  const isConstant = (name: string): boolean => constants.has(name);
  const prologue: string[] = [];
  const isWritten = [...found.assigned].some((name) => imported.has(name) || numbers.has(name));
  if (isWritten || vars.length > 0)
    prologue.push(rewriteWrites(program, { code, edits, numbers, imported, isConstant }));
  if (!found.hasEval) return prologue;
  const names = [...numbers.keys()].filter((name) => isVariable(name) && !isConstant(name));
  rewriteEvals(program, edits, names.length > 0);
  if (names.length > 0) prologue.push(publishAll(names, numbers));
  return prologue;
}
