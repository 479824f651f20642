// The syntax tree of a module as the parser types it, and the walks that fuel and scan share.
import type { ESTree } from "rolldown/utils";

export type Node = ESTree.Node;
export type FunctionNode = ESTree.Function | ESTree.ArrowFunctionExpression;

const functionTypes: ReadonlySet<string> = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
]);

export function isFunction(node: Node): node is FunctionNode {
  return functionTypes.has(node.type);
}

/** The nodes directly below one. */
export function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (const part of Object.values(node) as unknown[]) {
    // One by one: a list of a guest's may be longer than a call has arguments.
    if (Array.isArray(part)) for (const item of part) if (isNode(item)) children.push(item);
    if (isNode(part)) children.push(part);
  }
  return children;
}

/** Calls back for every node, outermost first. Without recursion, as a source may nest as deep as the parser allows. */
export function visit(root: Node, act: (node: Node) => void): void {
  const stack = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    act(node);
    for (const child of childrenOf(node).toReversed()) stack.push(child);
  }
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"
  );
}
