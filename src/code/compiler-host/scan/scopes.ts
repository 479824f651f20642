// Which names of a module are declared in it and which are global: a walk over the syntax tree that tracks scopes just well
// enough to distinguish a global from a variable of the same name.
import type { ESTree } from "rolldown/utils";
import { addNames, childrenOf, isFunction, type Node } from "../syntax.ts";

/** Called for every node, outermost first. */
export type Visitor = (node: Node, at: Context) => void;

/** The context of a node. */
export class Context {
  readonly parent: Node | undefined;
  readonly #scope: Scope;

  constructor(parent: Node | undefined, scope: Scope) {
    this.parent = parent;
    this.#scope = scope;
  }

  /** Whether a name refers to the global here. */
  isFree(name: string): boolean {
    return declaringScope(this.#scope, name) === undefined;
  }

  /** Whether a name refers here to what the module declares at its top level, or to the global. */
  isOutermost(name: string): boolean {
    return declaringScope(this.#scope, name)?.outer === undefined;
  }
}

/** Inside of a node that may declare something. What it declares is looked for when a name is first asked for. */
interface Scope {
  readonly node: Node;
  names: ReadonlySet<string> | undefined;
  readonly outer: Scope | undefined;
}

const blocks: ReadonlySet<string> = new Set([
  "BlockStatement",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "SwitchStatement",
]);

// Nodes that may have a scope of their own.
const declaring: ReadonlySet<string> = new Set([
  ...blocks,
  "ArrowFunctionExpression",
  "FunctionDeclaration",
  "FunctionExpression",
  "CatchClause",
  "ClassDeclaration",
  "ClassExpression",
  "StaticBlock",
]);

// Nodes that may have statements below them: a `var` is nowhere else.
const containers: ReadonlySet<string> = new Set([
  ...blocks,
  "CatchClause",
  "DoWhileStatement",
  "ExportNamedDeclaration",
  "IfStatement",
  "LabeledStatement",
  "Program",
  "SwitchCase",
  "TryStatement",
  "VariableDeclaration",
  "WhileStatement",
  "WithStatement",
]);

/** Walks a program. Without recursion, so that a deep tree is as safe as a flat one. */
export function walk(program: Node, visitor: Visitor): void {
  const top: Scope = { node: program, names: undefined, outer: undefined };
  // Three lists of equal length: it is done for every node of every module.
  const nodes: Node[] = [program];
  const parents: (Node | undefined)[] = [undefined];
  const scopes: Scope[] = [top];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const outer = scopes.pop() ?? top;
    const scope = declaring.has(node.type) ? { node, names: undefined, outer } : outer;
    visitor(node, new Context(parents.pop(), scope));
    const children = childrenOf(node);
    for (let i = children.length - 1; i >= 0; i--) {
      nodes.push(children[i] as Node); // The index is within the list.
      parents.push(node);
      scopes.push(scope);
    }
  }
}

function declaringScope(scope: Scope, name: string): Scope | undefined {
  let at: Scope | undefined = scope;
  while (at !== undefined && !(at.names ??= namesOf(at.node)).has(name)) at = at.outer;
  return at;
}

// What is declared inside of a node.
function namesOf(node: Node): ReadonlySet<string> {
  const names = new Set<string>();
  if (node.type === "Program") {
    hoist(node, names);
    return names;
  }
  if (isFunction(node)) {
    if (node.type === "FunctionExpression") addNames(node.id, names);
    for (const parameter of node.params) addNames(parameter, names);
    if (node.type !== "ArrowFunctionExpression") names.add("arguments");
    if (node.body !== null) hoist(node.body, names);
  } else if (node.type === "CatchClause") addNames(node.param, names);
  else if (node.type === "ClassExpression" || node.type === "ClassDeclaration") addNames(node.id, names);
  else if (node.type === "StaticBlock") hoist(node, names);
  else declareBlock(node, names);
  return names;
}

// What a function or program declares for all of its body: `var` however deep, and its own top level.
function hoist(body: Node, names: Set<string>): void {
  // The body of an arrow may be another function, whose variables are its own.
  if (isFunction(body)) return;
  declareBlock(body, names);
  const stack: Node[] = [body];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === "VariableDeclaration" && node.kind === "var") declareVariables(node, names);
    else for (const child of childrenOf(node)) if (containers.has(child.type)) stack.push(child);
  }
}

// What is declared directly in a block.
function declareBlock(node: Node, names: Set<string>): void {
  for (const child of childrenOf(node)) {
    const isExport = child.type === "ExportNamedDeclaration" || child.type === "ExportDefaultDeclaration";
    declare(isExport ? (child.declaration ?? child) : child, names);
    // A case of a switch is no scope of its own.
    if (child.type === "SwitchCase") for (const statement of childrenOf(child)) declare(statement, names);
  }
}

function declare(node: Node, names: Set<string>): void {
  // A `var` belongs to the whole function or program.
  if (node.type === "VariableDeclaration" && node.kind !== "var") declareVariables(node, names);
  else if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") addNames(node.id, names);
  else if (node.type === "ImportDeclaration") for (const { local } of node.specifiers) addNames(local, names);
}

function declareVariables({ declarations }: ESTree.VariableDeclaration, names: Set<string>): void {
  for (const { id } of declarations) addNames(id, names);
}
