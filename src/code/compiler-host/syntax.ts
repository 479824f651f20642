// The syntax tree of a module as the parser types it, and the parts of walks that linking, fuel and scan share.
import type { ESTree } from "rolldown/utils";

export type Node = ESTree.Node;
export type FunctionNode = ESTree.Function | ESTree.ArrowFunctionExpression;

export function isFunction(node: Node): node is FunctionNode {
  const { type } = node;
  return (
    type === "ArrowFunctionExpression" || type === "FunctionDeclaration" || type === "FunctionExpression"
  );
}

/** An expression without the parentheses around it. */
export function withoutBrackets(expression: Node): Node {
  let inner = expression;
  while (inner.type === "ParenthesizedExpression") inner = inner.expression;
  return inner;
}

/** The nodes directly below one. */
export function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  visitChildren(node, (child) => children.push(child));
  return children;
}

/** Calls back for every node directly below one. It is called for every node of every module. */
export function visitChildren(node: Node, act: (child: Node) => void): void {
  // Nine of ten nodes are of these types: their fields are read by name, in the order in which the parser writes them.
  switch (node.type) {
    case "Identifier":
    case "Literal":
      return;
    case "MemberExpression":
      act(node.object);
      return act(node.property);
    case "CallExpression":
      act(node.callee);
      for (const argument of node.arguments) act(argument);
      return;
    case "BinaryExpression":
    case "LogicalExpression":
    case "AssignmentExpression":
      act(node.left);
      return act(node.right);
    case "ExpressionStatement":
      return act(node.expression);
    case "BlockStatement":
      for (const statement of node.body) act(statement);
      return;
    case "VariableDeclaration":
      for (const declarator of node.declarations) act(declarator);
      return;
    case "VariableDeclarator":
      act(node.id);
      if (node.init !== null) act(node.init);
      return;
    case "ReturnStatement":
      if (node.argument !== null) act(node.argument);
      return;
    case "Property":
      act(node.key);
      return act(node.value);
    default:
      visitFields(node, act);
  }
}

function visitFields(node: Node, act: (child: Node) => void): void {
  // A node is a plain object as JSON has it; which fields hold nodes is checked below.
  const parts = node as unknown as Record<string, unknown>;
  for (const key in parts) {
    const part = parts[key];
    if (typeof part !== "object" || part === null) continue;
    if (Array.isArray(part)) {
      for (const item of part as unknown[]) if (isNode(item)) act(item);
    } else if (isNode(part)) act(part);
  }
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"
  );
}

/** Adds every name that a pattern binds or assigns to. */
export function addNames(pattern: Node | null, names: Set<string>): void {
  visitTargets(pattern, ({ name }) => names.add(name));
}

/** A variable in a pattern; with the property where that is written in short, as in `{ a }`. */
export type Target = Extract<Node, { type: "Identifier" }>;

/** Calls back for every variable that a pattern binds or assigns to; its default, where it has one, and whether it is short. */
export function visitTargets(
  pattern: Node | null,
  act: (target: Target, about: { readonly isShort: boolean; readonly initial: Node | undefined }) => void,
): void {
  const stack = [{ node: pattern, isShort: false, initial: undefined as Node | undefined }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { node, isShort, initial } = top;
    switch (node?.type) {
      case "Identifier":
        act(node, { isShort, initial });
        break;
      case "ParenthesizedExpression":
        // A function that is assigned to a variable in parentheses gets no name from it.
        stack.push({ node: node.expression, isShort, initial: undefined });
        break;
      case "ObjectPattern":
        for (const property of node.properties.toReversed()) {
          if (property.type === "RestElement")
            stack.push({ node: property, isShort: false, initial: undefined });
          else stack.push({ node: property.value, isShort: property.shorthand, initial: undefined });
        }
        break;
      case "ArrayPattern":
        for (const element of node.elements.toReversed())
          stack.push({ node: element, isShort: false, initial: undefined });
        break;
      case "AssignmentPattern":
        stack.push({ node: node.left, isShort, initial: node.right });
        break;
      case "RestElement":
        stack.push({ node: node.argument, isShort: false, initial: undefined });
    }
  }
}

/** Whether an identifier refers to a variable, and not to a member, a key or a label. */
export function isReference(node: Node, parent: Node | undefined): boolean {
  switch (parent?.type) {
    case "MemberExpression":
      return parent.computed || parent.object === node;
    case "Property":
      return parent.computed || parent.value === node;
    case "MethodDefinition":
    case "PropertyDefinition":
    case "AccessorProperty":
      return parent.computed || parent.value === node;
    case "LabeledStatement":
    case "BreakStatement":
    case "ContinueStatement":
    case "MetaProperty":
    case "ImportSpecifier":
    case "ExportAllDeclaration":
      return false;
    case "ExportSpecifier":
      return false;
    default:
      return true;
  }
}
