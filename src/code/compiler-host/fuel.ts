// Fuel: a counter woven into loops and function entries, so that what a program costs is the same on every machine. The
// count is small-integer arithmetic on one cell; only when it runs out is a function called.
import { MagicString } from "magic-string";
import { parseSync } from "rolldown/utils";

/** The names that woven code uses; no source may. */
export const fuelNames = { cell: "__vivarium_fuel__", spend: "__vivarium_spend__" } as const;

const spent = `(${fuelNames.cell}[0]-=1)<0`;
const asStatement = `if(${spent})${fuelNames.spend}();`;
const asExpression = `${spent}&&${fuelNames.spend}()`;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [part: string]: unknown;
}

const loops = new Set([
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
]);
const functions = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** Weaves the counter into JavaScript that has parsed before; answers it with the source map of the change. */
export function weaveFuel(code: string): { readonly code: string; readonly map: string } {
  const text = new MagicString(code);
  visit(parseSync("module.js", code).program as unknown as Node, (node) => {
    if (loops.has(node.type)) weaveStatement(text, node["body"] as Node);
    else if (functions.has(node.type)) weaveFunction(text, node["body"] as Node | null);
    else if (node.type === "StaticBlock") text.appendLeft(code.indexOf("{", node.start) + 1, asStatement);
  });
  return { code: text.toString(), map: text.generateMap({ hires: true }).toString() };
}

function weaveStatement(text: MagicString, body: Node): void {
  if (body.type === "BlockStatement") text.appendLeft(body.start + 1, asStatement);
  else {
    text.appendRight(body.start, `{${asStatement}`);
    text.appendLeft(body.end, "}");
  }
}

function weaveFunction(text: MagicString, body: Node | null): void {
  if (body === null) return;
  if (body.type === "BlockStatement") {
    // After directives, which must stay first.
    const statements = body["body"] as readonly Node[];
    const directives = statements.filter((statement) => typeof statement["directive"] === "string");
    text.appendLeft(directives.at(-1)?.end ?? body.start + 1, asStatement);
  } else {
    text.appendRight(body.start, `(${asExpression},(`);
    text.appendLeft(body.end, "))");
  }
}

// Outermost first, without recursion: a source nests as deep as its parser lets it.
function visit(root: Node, act: (node: Node) => void): void {
  const stack: Node[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    act(node);
    const children = Object.values(node).flatMap((part) =>
      Array.isArray(part) ? (part as unknown[]) : [part],
    );
    for (let i = children.length - 1; i >= 0; i--) if (isNode(children[i])) stack.push(children[i] as Node);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}
