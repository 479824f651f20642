// Fuel: a counter inserted into loops and function entries, so that a program uses the same fuel on every machine. The
// count is small-integer arithmetic on one number; only when that is used up is a function called.
import { reserved } from "../../model/code/reserved.ts";
import type { Edits } from "./linking/edits.ts";
import { isFunction, type FunctionNode, type Node } from "./syntax.ts";

const spent = `(${reserved.fuel}[0]-=1)<0`;
const asStatement = `if(${spent})${reserved.spend}();`;
const asExpression = `${spent}&&${reserved.spend}()`;

/** Inserts the counter into one node of a program, where it needs one. */
export function insertFuel(node: Node, code: string, edits: Edits): void {
  if (isFunction(node)) return insertInFunction(edits, node.body);
  switch (node.type) {
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
      return insertInLoop(edits, node.body);
    case "StaticBlock":
      edits.insert(code.indexOf("{", node.start) + 1, asStatement);
  }
}

function insertInLoop(edits: Edits, body: Node): void {
  if (body.type === "BlockStatement") edits.insert(body.start + 1, asStatement);
  else edits.wrap(body, `{${asStatement}`, "}");
}

function insertInFunction(edits: Edits, body: FunctionNode["body"]): void {
  if (body === null) return;
  if (body.type === "BlockStatement") {
    // After directives, which must stay first.
    const directives = body.body.filter(
      (statement) => "directive" in statement && statement.directive !== null,
    );
    edits.insert(directives.at(-1)?.end ?? body.start + 1, asStatement);
  } else {
    edits.wrap(body, `(${asExpression},(`, "))");
  }
}
