// Rewrites the top level of a module: imports and exports are taken out, and each exported variable is published when it
// has its value.
import type { ESTree } from "rolldown/utils";
import { reserved } from "../../../model/code/reserved.ts";
import { endOfGap } from "../gap.ts";
import { addNames } from "../syntax.ts";
import type { Edits } from "./edits.ts";
import { declaredName, unnamedDefault } from "./entries.ts";

export interface TopLevel {
  readonly code: string;
  readonly edits: Edits;
  /** By variable: its number among those that are exported. */
  readonly numbers: ReadonlyMap<string, number>;
  /** Statements that run before the body, when functions have been declared. */
  readonly prologue: string[];
  /** Variables that are declared at the top level, and not by `var`. */
  readonly lexical: Set<string>;
  /** Those of them that nothing may be assigned to. */
  readonly constants: Set<string>;
}

type Statement = ESTree.Program["body"][number];

/** A call that publishes an exported variable. */
export function publishing(numbers: ReadonlyMap<string, number>, local: string): string {
  return `${reserved.publish}(${numbers.get(local) ?? 0},${local})`;
}

export function rewriteStatement(statement: Statement, top: TopLevel): void {
  switch (statement.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
      // The semicolon ends a statement before it that has none.
      return top.edits.blank(statement, ";");
    case "ExportNamedDeclaration": {
      const { declaration } = statement;
      if (declaration === null) return top.edits.blank(statement, ";");
      top.edits.blank({ start: statement.start, end: declaration.start }, "");
      return publishDeclared(declaration, top);
    }
    case "ExportDefaultDeclaration":
      return rewriteDefault(statement, top);
    default:
      return publishDeclared(statement, top);
  }
}

function publishDeclared(node: Statement | ESTree.Declaration, top: TopLevel): void {
  const { numbers, edits, prologue, lexical, constants } = top;
  if (node.type === "VariableDeclaration") {
    if (node.kind === "var") return;
    for (const { id } of node.declarations) {
      addNames(id, lexical);
      if (node.kind !== "let") addNames(id, constants);
    }
    return publishVariables(node, top);
  }
  if (node.type !== "FunctionDeclaration" && node.type !== "ClassDeclaration") return;
  const name = declaredName(node);
  if (name === undefined || !numbers.has(name)) return;
  lexical.add(name);
  if (node.type === "FunctionDeclaration") prologue.push(`${publishing(numbers, name)};`);
  else edits.insertBare(node.end, `;${publishing(numbers, name)};`);
}

/** Publishes the exported variables of a declaration, each behind its declarator. */
export function publishVariables(
  { kind, declarations, end }: ESTree.VariableDeclaration,
  { code, edits, numbers }: Pick<TopLevel, "code" | "edits" | "numbers">,
  isLoopHead = false,
): void {
  let isChanged = false;
  for (const declarator of declarations) {
    if (declarator.init === null && kind === "var") continue;
    const names = new Set<string>();
    addNames(declarator.id, names);
    for (const name of names) {
      if (!numbers.has(name)) continue;
      isChanged = true;
      // A declarator's name is its offset, as no two may be the same.
      const extra = `${reserved.declarator}${declarator.start}_${numbers.get(name) ?? 0}`;
      edits.insertBare(declarator.end, `,${extra}=${publishing(numbers, name)}`);
    }
  }
  // Without a semicolon a bracket on the next line would continue the last declarator.
  if (isChanged && !isLoopHead && code[end - 1] !== ";") edits.insertBare(end, ";");
}

function rewriteDefault(statement: ESTree.ExportDefaultDeclaration, top: TopLevel): void {
  const { code, edits, numbers, prologue } = top;
  const { declaration } = statement;
  const head = { start: statement.start, end: declaration.start };
  if (declaredName(declaration) !== undefined) {
    edits.blank(head, "");
    return publishDeclared(declaration as ESTree.Function | ESTree.Class, top);
  }
  const number = numbers.get(unnamedDefault) ?? 0;
  if (declaration.type === "FunctionDeclaration") {
    // It is declared like one with a name; the module table names it.
    edits.blank(head, "");
    edits.insert(endOfFunctionStart(code, declaration.start), ` ${reserved.default} `);
    prologue.push(`${reserved.publish}(${number},${reserved.default},true);`);
    return;
  }
  // As a property, so that a function without a name is named "default".
  edits.blank(head, `;${reserved.publish}(${number},{default:`);
  const isEnded = code[statement.end - 1] === ";" && statement.end > declaration.end;
  edits.insertBare(declaration.end, `}.default)${isEnded ? "" : ";"}`);
}

// Where the name of a function without one would be: behind `function`, or behind the star.
function endOfFunctionStart(code: string, start: number): number {
  const at = code.startsWith("async", start) ? endOfGap(code, start + "async".length) : start;
  const end = at + "function".length;
  const star = endOfGap(code, end);
  return code[star] === "*" ? star + 1 : end;
}
