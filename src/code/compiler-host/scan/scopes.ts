// Which names of a module are its own, and which are free: a walk over the syntax tree that knows scopes just well enough
// to tell a global from a variable of the same name.

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [part: string]: unknown;
}

/** Called for every node, outermost first. */
export type Look = (node: Node, at: Place) => void;

/** Where a node stands. */
export interface Place {
  readonly parent: Node | undefined;
  /** Whether a name means the global here. */
  readonly isFree: (name: string) => boolean;
}

interface Scope {
  readonly names: Set<string>;
  readonly outer: Scope | undefined;
}

const functions = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
const blocks = new Set([
  "BlockStatement",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "SwitchStatement",
  "StaticBlock",
]);

interface Visit {
  readonly node: Node;
  readonly parent: Node | undefined;
  readonly scope: Scope;
}

/** Walks a program. Without recursion, so that a deep tree is as safe as a flat one. */
export function walk(program: Node, look: Look): void {
  const top: Scope = { names: new Set(), outer: undefined };
  hoist(program, top.names);
  const stack: Visit[] = [{ node: program, parent: undefined, scope: top }];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { node, parent } = visit;
    const scope = scopeOf(node, visit.scope);
    look(node, { parent, isFree: (name) => isFree(scope, name) });
    const children = childrenOf(node);
    for (let i = children.length - 1; i >= 0; i--)
      stack.push({ node: children[i] as Node, parent: node, scope });
  }
}

/** The nodes directly below one. */
export function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (const part of Object.values(node)) {
    if (Array.isArray(part)) for (const item of part) if (isNode(item)) children.push(item);
    if (isNode(part)) children.push(part);
  }
  return children;
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"
  );
}

function isFree(scope: Scope, name: string): boolean {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer)
    if (at.names.has(name)) return false;
  return true;
}

// The scope inside a node: a new one where it declares something, the one around it otherwise.
function scopeOf(node: Node, outer: Scope): Scope {
  const names = new Set<string>();
  if (functions.has(node.type)) {
    if (node.type === "FunctionExpression") addPattern(node["id"], names);
    for (const parameter of node["params"] as Node[]) addPattern(parameter, names);
    if (node.type !== "ArrowFunctionExpression") names.add("arguments");
    if (isNode(node["body"])) hoist(node["body"], names);
  } else if (node.type === "CatchClause") addPattern(node["param"], names);
  else if (node.type === "ClassExpression" || node.type === "ClassDeclaration") addPattern(node["id"], names);
  else if (blocks.has(node.type)) declareBlock(node, names);
  return names.size === 0 ? outer : { names, outer };
}

// What a function or program declares for all of its body: `var` however deep, and its own top level.
function hoist(body: Node, names: Set<string>): void {
  // The body of an arrow may be another function, whose variables are its own.
  if (functions.has(body.type)) return;
  declareBlock(body, names);
  const stack = [body];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === "VariableDeclaration" && node["kind"] === "var") declareVariables(node, names);
    for (const child of childrenOf(node)) {
      if (!functions.has(child.type) && child.type !== "StaticBlock" && child.type !== "PropertyDefinition")
        stack.push(child);
    }
  }
}

// What stands directly in a block.
function declareBlock(node: Node, names: Set<string>): void {
  for (const child of childrenOf(node)) {
    const isExport = child.type === "ExportNamedDeclaration" || child.type === "ExportDefaultDeclaration";
    const declared = isExport && isNode(child["declaration"]) ? child["declaration"] : child;
    declare(declared, names);
    // A case of a switch is no scope of its own.
    if (child.type === "SwitchCase") for (const statement of childrenOf(child)) declare(statement, names);
  }
}

function declare(node: Node, names: Set<string>): void {
  if (node.type === "VariableDeclaration") declareVariables(node, names);
  else if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration")
    addPattern(node["id"], names);
  else if (node.type === "ImportDeclaration")
    for (const specifier of node["specifiers"] as Node[]) addPattern(specifier["local"], names);
}

function declareVariables(node: Node, names: Set<string>): void {
  for (const { id } of node["declarations"] as (Node & { id: unknown })[]) addPattern(id, names);
}

// Every name that a pattern binds.
function addPattern(pattern: unknown, names: Set<string>): void {
  if (!isNode(pattern)) return;
  switch (pattern.type) {
    case "Identifier":
      names.add(pattern["name"] as string);
      return;
    case "ObjectPattern":
      for (const property of pattern["properties"] as Node[])
        addPattern(property["value"] ?? property, names);
      return;
    case "ArrayPattern":
      for (const element of pattern["elements"] as unknown[]) addPattern(element, names);
      return;
    case "AssignmentPattern":
      addPattern(pattern["left"], names);
      return;
    case "RestElement":
      addPattern(pattern["argument"], names);
      return;
    case "TSParameterProperty":
    default:
  }
}
