// Fuel: a counter inserted into loops and function entries, so that a program uses the same fuel on every machine. The
// count is small-integer arithmetic on one number; only when that is used up is a function called.
import { MagicString } from "magic-string";
import { parseSync } from "rolldown/utils";
import { isFunction, visit, type FunctionNode, type Node } from "./syntax.ts";

/** The names that inserted code uses; no source may. */
export const fuelNames = { cell: "__vivarium_fuel__", spend: "__vivarium_spend__" } as const;

const spent = `(${fuelNames.cell}[0]-=1)<0`;
const asStatement = `if(${spent})${fuelNames.spend}();`;
const asExpression = `${spent}&&${fuelNames.spend}()`;

/** Inserts the counter into JavaScript that has parsed before. The source map is that of the insertion. */
export function insertFuel(code: string): { readonly code: string; readonly map: string } {
  const text = new MagicString(code);
  visit(parseSync("module.js", code).program, (node) => {
    if (isFunction(node)) return insertInFunction(text, node.body);
    switch (node.type) {
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
        return insertInLoop(text, node.body);
      case "StaticBlock":
        text.appendLeft(code.indexOf("{", node.start) + 1, asStatement);
    }
  });
  return { code: text.toString(), map: text.generateMap({ hires: true }).toString() };
}

function insertInLoop(text: MagicString, body: Node): void {
  if (body.type === "BlockStatement") text.appendLeft(body.start + 1, asStatement);
  else {
    text.appendRight(body.start, `{${asStatement}`);
    text.appendLeft(body.end, "}");
  }
}

function insertInFunction(text: MagicString, body: FunctionNode["body"]): void {
  if (body === null) return;
  if (body.type === "BlockStatement") {
    // After directives, which must stay first.
    const directives = body.body.filter(
      (statement) => "directive" in statement && statement.directive !== null,
    );
    text.appendLeft(directives.at(-1)?.end ?? body.start + 1, asStatement);
  } else {
    text.appendRight(body.start, `(${asExpression},(`);
    text.appendLeft(body.end, "))");
  }
}
