// Fuel: a counter inserted into loops and function entries, so that a program uses the same fuel on every machine. The
// count is small-integer arithmetic on one number; only when that is used up is a function called.
import { reserved } from "../../model/code/reserved.ts";
import type { Edits } from "./linking/edits.ts";
import { childrenOf, isFunction, withoutBrackets, type FunctionNode, type Node } from "./syntax.ts";

const spent = `(${reserved.fuel}[0]-=1)<0`;
const asStatement = `if(${spent})${reserved.spend}();`;
const asExpression = `${spent}&&${reserved.spend}()`;

/** Expressions that run no other code, so that no recursion can go through them. */
const plainTypes: ReadonlySet<string> = new Set(["Literal", "Identifier", "ThisExpression"]);

/** Inserts the counter into one node of a program, where it needs one. */
export function insertFuel(node: Node, edits: Edits): void {
  if (isFunction(node)) {
    for (const parameter of node.params) insertInPattern(edits, parameter);
    return insertInFunction(edits, node.body);
  }
  switch (node.type) {
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
      return insertInLoop(edits, node.body);
    case "StaticBlock":
      // Before its first statement, or else its closing bracket: comments may contain brackets.
      return edits.insert(node.body[0]?.start ?? node.end - 1, asStatement);
    case "PropertyDefinition":
    case "AccessorProperty":
      // A field is computed whenever an object is made, also where its class has no constructor to be entered.
      if (node.value !== null) insertInExpression(edits, node.value);
  }
}

function insertInLoop(edits: Edits, body: Node): void {
  if (body.type === "BlockStatement") edits.insert(body.start + 1, asStatement);
  else edits.wrap(body, `{${asStatement}`, "}");
}

function insertInFunction(edits: Edits, body: FunctionNode["body"]): void {
  if (body === null) return;
  if (body.type === "BlockStatement") {
    // After directives, which must stay first and may have no semicolon.
    const last = body.body.findLast((statement) => "directive" in statement && statement.directive !== null);
    if (last === undefined) edits.insert(body.start + 1, asStatement);
    else edits.insert(last.end, `;${asStatement}`);
  } else wrap(edits, body);
}

// What parameters evaluate comes before the body: default values, and keys that are computed.
function insertInPattern(edits: Edits, pattern: Node): void {
  if (pattern.type === "AssignmentPattern") {
    insertInPattern(edits, pattern.left);
    return insertInExpression(edits, pattern.right);
  }
  if (pattern.type === "Property") {
    if (pattern.computed) insertInExpression(edits, pattern.key);
    return insertInPattern(edits, pattern.value);
  }
  if (pattern.type === "ObjectPattern" || pattern.type === "ArrayPattern" || pattern.type === "RestElement")
    for (const child of childrenOf(pattern)) insertInPattern(edits, child);
}

// A function or class without a name gets that of its parameter or field only where nothing stands before it. To evaluate a
// function runs nothing; a class runs what it extends and the keys that are computed.
function insertInExpression(edits: Edits, expression: Node): void {
  const inner = withoutBrackets(expression);
  if (isFunction(inner) || plainTypes.has(inner.type)) return;
  if (inner.type !== "ClassExpression") return wrap(edits, expression);
  if (inner.superClass !== null) insertInExpression(edits, inner.superClass);
  for (const member of inner.body.body)
    if ("computed" in member && member.computed) insertInExpression(edits, member.key);
}

function wrap(edits: Edits, expression: Node): void {
  edits.wrap(expression, `(${asExpression},(`, "))");
}
