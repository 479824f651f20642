// Fuel: a counter inserted into loops and function entries, so that a program uses the same fuel on every machine. The
// count is small-integer arithmetic on one number; only when that is used up is a function called.
import { MagicString } from "magic-string";
import { parseSync } from "rolldown/utils";
import { childrenOf, isFunction, visit, type FunctionNode, type Node } from "./syntax.ts";

/** The names that inserted code uses; no source may. */
export const fuelNames = { cell: "__vivarium_fuel__", spend: "__vivarium_spend__" } as const;

const spent = `(${fuelNames.cell}[0]-=1)<0`;
const asStatement = `if(${spent})${fuelNames.spend}();`;
const asExpression = `${spent}&&${fuelNames.spend}()`;

/** Expressions that run no other code, so that no recursion can go through them. */
const plainTypes: ReadonlySet<string> = new Set(["Literal", "Identifier", "ThisExpression"]);

/** Inserts the counter into JavaScript that has parsed before. The source map is that of the insertion. */
export function insertFuel(code: string): { readonly code: string; readonly map: string } {
  const text = new MagicString(code);
  visit(parseSync("module.js", code).program, (node) => {
    if (isFunction(node)) {
      for (const parameter of node.params) insertInPattern(text, parameter);
      return insertInFunction(text, node.body);
    }
    switch (node.type) {
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
        return insertInLoop(text, node.body);
      case "StaticBlock":
        // Before its first statement, or else its closing bracket: comments may contain brackets.
        return void text.appendLeft(node.body[0]?.start ?? node.end - 1, asStatement);
      case "PropertyDefinition":
      case "AccessorProperty":
        // A field is computed whenever an object is made, also where its class has no constructor to be entered.
        if (node.value !== null) insertInExpression(text, node.value);
    }
  });
  return { code: text.toString(), map: text.generateMap({ hires: true }).toString() };
}

function insertInLoop(text: MagicString, body: Node): void {
  if (body.type === "BlockStatement") text.appendLeft(body.start + 1, asStatement);
  else {
    text.appendRight(body.start, `{${asStatement}`);
    close(text, body, "}");
  }
}

function insertInFunction(text: MagicString, body: FunctionNode["body"]): void {
  if (body === null) return;
  if (body.type === "BlockStatement") {
    // After directives, which must stay first and may have no semicolon.
    const last = body.body.findLast((statement) => "directive" in statement && statement.directive !== null);
    if (last === undefined) text.appendLeft(body.start + 1, asStatement);
    else text.appendLeft(last.end, `;${asStatement}`);
  } else wrap(text, body);
}

// What parameters evaluate comes before the body: default values, and keys that are computed.
function insertInPattern(text: MagicString, pattern: Node): void {
  if (pattern.type === "AssignmentPattern") {
    insertInPattern(text, pattern.left);
    return insertInExpression(text, pattern.right);
  }
  if (pattern.type === "Property") {
    if (pattern.computed) insertInExpression(text, pattern.key);
    return insertInPattern(text, pattern.value);
  }
  if (pattern.type === "ObjectPattern" || pattern.type === "ArrayPattern" || pattern.type === "RestElement")
    for (const child of childrenOf(pattern)) insertInPattern(text, child);
}

// A function or class without a name gets that of its parameter or field only where nothing stands before it. To evaluate a
// function runs nothing; a class runs what it extends and the keys that are computed.
function insertInExpression(text: MagicString, expression: Node): void {
  const inner = withoutBrackets(expression);
  if (isFunction(inner) || plainTypes.has(inner.type)) return;
  if (inner.type !== "ClassExpression") return wrap(text, expression);
  if (inner.superClass !== null) insertInExpression(text, inner.superClass);
  for (const member of inner.body.body)
    if ("computed" in member && member.computed) insertInExpression(text, member.key);
}

function withoutBrackets(expression: Node): Node {
  let inner = expression;
  while (inner.type === "ParenthesizedExpression") inner = inner.expression;
  return inner;
}

function wrap(text: MagicString, expression: Node): void {
  text.appendRight(expression.start, `(${asExpression},(`);
  close(text, expression, "))");
}

// What is inside is visited later and closed before, also where both end at the same character.
function close(text: MagicString, node: Node, brackets: string): void {
  text.prependLeft(node.end, brackets);
}
