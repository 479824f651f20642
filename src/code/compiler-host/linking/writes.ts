// Writes to variables that other modules see. Where a module assigns to one that it exports, it does so through an accessor
// that publishes the new value; where it assigns to an import, through one that throws, as the language has it. Reads stay as
// they are.
import type { ESTree } from "rolldown/utils";
import { reserved } from "../../../model/code/reserved.ts";
import { walk, type Context } from "../scan/scopes.ts";
import { isFunction, visitTargets, type Node } from "../syntax.ts";
import type { Edits } from "./edits.ts";
import { publishing, publishVariables } from "./statements.ts";

export interface Written {
  readonly code: string;
  readonly edits: Edits;
  readonly numbers: ReadonlyMap<string, number>;
  /** Variables that are imports. */
  readonly imported: ReadonlySet<string>;
  /** Exported variables that are constants. */
  readonly isConstant: (name: string) => boolean;
}

/** The pattern or variable that a node assigns to; undefined where it assigns to none. */
export function targetOf(node: Node): Node | undefined {
  switch (node.type) {
    case "AssignmentExpression":
      return node.left;
    case "UpdateExpression":
      return node.argument;
    case "ForInStatement":
    case "ForOfStatement":
      return node.left.type === "VariableDeclaration" ? undefined : node.left;
    default:
      return undefined;
  }
}

/** Rewrites all writes; the statements that it needs before the body. */
export function rewriteWrites(program: Node, about: Written): string {
  const names = new Set<string>();
  walk(program, (node, at) => {
    const target = targetOf(node);
    if (target !== undefined) rewriteWrite(node, target, { about, at, names });
    if (node.type === "VariableDeclaration" && node.kind === "var") publishVar(node, at, about);
  });
  return accessors(names, about);
}

interface Write {
  readonly about: Written;
  readonly at: Context;
  readonly names: Set<string>;
}

function rewriteWrite(node: Node, target: Node, write: Write): void {
  const { edits } = write.about;
  const assigned = node.type === "AssignmentExpression" ? node.right : undefined;
  const isChanged = rewriteTargets(target, assigned, write);
  if (!isChanged || isLoop(node)) return;
  if (target.type !== "Identifier" && assigned !== undefined) hideFunctions(assigned, write.about);
  if (isShown(node, write.at.parent)) edits.wrap(node, hiding, ")");
}

const isLoop = ({ type }: Node): boolean => type === "ForInStatement" || type === "ForOfStatement";

// The engine's messages show expressions as they are written, as in "a.b is not a function", but not the arguments of calls.
const hiding = `(${reserved.value}=>${reserved.value})(`;

/** An expression with the same value, of which no message of the engine's shows anything. */
export const hide = (expression: string): string => `${hiding}${expression})`;

// Whether a message may show an expression in this place. Where it is not certain that none does, it may.
function isShown(node: Node, parent: Node | undefined): boolean {
  switch (parent?.type) {
    case "ExpressionStatement":
    case "ReturnStatement":
    case "ArrowFunctionExpression":
    case "ForStatement":
    case "IfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
      return false;
    case "VariableDeclarator":
      return parent.id.type !== "Identifier";
    case "CallExpression":
    case "NewExpression":
      return parent.callee === node;
    default:
      return true;
  }
}

// The engine names a function without a name in stack traces after what it is assigned to, also when it is only part of that.
function hideFunctions(value: Node, { code, edits }: Written): void {
  if (/=>|function|class/.test(code.slice(value.start, value.end))) edits.wrap(value, hiding, ")");
}

/** Returns whether there was any. */
function rewriteTargets(pattern: Node, assigned: Node | undefined, { about, at, names }: Write): boolean {
  const { edits, imported, numbers, isConstant } = about;
  let isChanged = false;
  visitTargets(pattern, (target, { isShort, initial }) => {
    const { name } = target;
    if (!imported.has(name) && (!numbers.has(name) || isConstant(name))) return;
    if (!at.isOutermost(name)) return;
    isChanged = true;
    names.add(name);
    edits.wrap(target, `${isShort ? `${name}:` : ""}${reserved.writes}.`, "");
    // A function without a name gets that of the variable it is assigned to, not that of a member.
    const value = initial ?? (target === pattern ? assigned : undefined);
    if (value === undefined) return;
    if (isUnnamed(value)) nameFunction(value, name, edits);
    else hideFunctions(value, about);
  });
  return isChanged;
}

function nameFunction(value: Node, name: string, edits: Edits): void {
  // As a literal key this one would set the prototype.
  const key = name === "__proto__" ? `["__proto__"]` : name;
  edits.wrap(value, `{${key}:`, name === "__proto__" ? `}${key}` : `}.${key}`);
}

function isUnnamed(value: Node): boolean {
  let inner = value;
  while (inner.type === "ParenthesizedExpression") inner = inner.expression;
  if (inner.type === "ArrowFunctionExpression") return true;
  return (inner.type === "FunctionExpression" || inner.type === "ClassExpression") && inner.id === null;
}

// A `var` may be declared again, and deep in blocks.
function publishVar(node: ESTree.VariableDeclaration, at: Context, about: Written): void {
  const { parent } = at;
  const numbers = new Map([...about.numbers].filter(([name]) => at.isOutermost(name)));
  const isInLoop = parent?.type === "ForInStatement" || parent?.type === "ForOfStatement";
  const isHead =
    (isInLoop && parent.left === node) || (parent?.type === "ForStatement" && parent.init === node);
  if (!isInLoop || !isHead) return publishVariables(node, { ...about, numbers }, isHead);
  const calls: string[] = [];
  visitTargets(node.declarations[0]?.id ?? null, ({ name }) => {
    if (numbers.has(name)) calls.push(`${publishing(numbers, name)};`);
  });
  if (calls.length === 0) return;
  const { body } = parent;
  if (body.type === "BlockStatement") about.edits.insert(body.start + 1, calls.join(""));
  else about.edits.wrap(body, `{${calls.join("")}`, "}");
}

function accessors(names: ReadonlySet<string>, { imported, numbers }: Written): string {
  if (names.size === 0) return "";
  const { constant, writes, value } = reserved;
  const parts = [...names].map((name) => {
    const set = imported.has(name) ? `${constant}=${value}` : `${name}=${value};${publishing(numbers, name)}`;
    return `get ${name}(){return ${name}},set ${name}(${value}){${set}}`;
  });
  // Inherited: an object that has accessors of its own is a slow dictionary, one that is a prototype is not.
  return `const ${constant}=0,${writes}={__proto__:{${parts.join(",")}}};`;
}

/** A function that publishes again whatever direct `eval` may have assigned. A variable that has no value yet has none after. */
export function publishAll(names: readonly string[], numbers: ReadonlyMap<string, number>): string {
  const attempts = names.map((name) => `try{${publishing(numbers, name)}}catch{}`);
  return `function ${reserved.publishAll}(){${attempts.join("")}}`;
}

/** Whether a node begins a function, in which neither `await` nor `arguments` is the module's. */
export function isBoundary(node: Node, parent: Node | undefined): boolean {
  if (isFunction(node) || node.type === "StaticBlock") return true;
  const isField = parent?.type === "PropertyDefinition" || parent?.type === "AccessorProperty";
  return isField && parent.value === node;
}
