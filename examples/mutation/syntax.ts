// Where a program can be changed: its expressions and statements with their positions, and the variables in scope there.
import { parseSync } from "rolldown/utils";

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [part: string]: unknown;
}

/** The kind of value of an expression, as far as its syntax shows. */
export type ValueKind = "number" | "truth" | "any";

/** An expression whose value is used. */
export interface Site {
  readonly node: Node;
  readonly kind: ValueKind;
  /** Variables in scope here. */
  readonly scope: readonly string[];
  /** Variables that it uses. */
  readonly uses: ReadonlySet<string>;
}

/** A statement in a block, and the next one. */
export interface StatementSite {
  readonly node: Node;
  /** Removing or repeating it leaves every name declared once. */
  readonly isFree: boolean;
  readonly next: Node | undefined;
}

export interface Syntax {
  readonly source: string;
  readonly sites: readonly Site[];
  readonly statements: readonly StatementSite[];
}

/** Undefined for a text that does not parse. */
export function parse(source: string): Syntax | undefined {
  const { program, errors } = parseSync("program.ts", source);
  if (errors.length > 0 || !isNode(program)) return undefined;
  const survey = new Survey();
  survey.visit(program);
  return { source, sites: survey.sites, statements: survey.statements };
}

export const textOf = (source: string, { start, end }: Pick<Node, "start" | "end">): string =>
  source.slice(start, end);

const comparisons = new Set(["<", ">", "<=", ">=", "==", "!=", "===", "!=="]);
const free = new Set(["ExpressionStatement", "IfStatement"]);

/** The parts of a node in which a value is used. */
const valueParts: Readonly<Record<string, readonly string[]>> = {
  BinaryExpression: ["left", "right"],
  LogicalExpression: ["left", "right"],
  UnaryExpression: ["argument"],
  ConditionalExpression: ["test", "consequent", "alternate"],
  ReturnStatement: ["argument"],
  VariableDeclarator: ["init"],
  AssignmentExpression: ["right"],
  CallExpression: ["arguments"],
  IfStatement: ["test"],
  WhileStatement: ["test"],
  ForStatement: ["test"],
  ArrowFunctionExpression: ["body"],
};

class Survey {
  readonly sites: Site[] = [];
  readonly statements: StatementSite[] = [];
  readonly #scope: string[] = [];

  visit(node: Node): void {
    // Types have no values.
    if (node.type.startsWith("TS")) return;
    const known = this.#scope.length;
    if (isFunction(node)) for (const parameter of listOf(node["params"])) this.#declare(parameter);
    const body = listOf(node["body"]);
    if (node.type === "Program" || node.type === "BlockStatement") this.#noteStatements(node, body);
    const used = new Set((valueParts[node.type] ?? []).flatMap((part) => listOf(node[part])));
    for (const child of childrenOf(node)) {
      if (used.has(child) && isValue(child)) this.#noteSite(child);
      this.visit(child);
      // A name is in scope after its declaration.
      const declaration = child.type === "ExportNamedDeclaration" ? child["declaration"] : child;
      if (isNode(declaration) && declaration.type === "VariableDeclaration")
        for (const { id } of listOf(declaration["declarations"]) as (Node & { id: unknown })[])
          this.#declare(id);
      if (isNode(declaration) && declaration.type === "FunctionDeclaration") this.#declare(declaration["id"]);
    }
    // Declarations go out of scope with their block or function.
    if (isFunction(node) || node.type === "BlockStatement" || node.type.startsWith("For"))
      this.#scope.length = known;
  }

  #declare(pattern: unknown): void {
    if (isNode(pattern) && pattern.type === "Identifier") this.#scope.push(String(pattern["name"]));
  }

  #noteSite(node: Node): void {
    this.sites.push({ node, kind: kindOf(node), scope: [...new Set(this.#scope)], uses: usesIn(node) });
  }

  #noteStatements(node: Node, body: readonly Node[]): void {
    if (node.type === "Program") return;
    for (const [index, statement] of body.entries())
      this.statements.push({ node: statement, isFree: free.has(statement.type), next: body[index + 1] });
  }
}

function kindOf(node: Node): ValueKind {
  const { type, operator, value } = node;
  if (type === "Literal")
    return typeof value === "number" ? "number" : typeof value === "boolean" ? "truth" : "any";
  if (type === "BinaryExpression") return comparisons.has(String(operator)) ? "truth" : "number";
  if (type === "UnaryExpression") return operator === "!" ? "truth" : operator === "-" ? "number" : "any";
  return "any";
}

function isValue({ type }: Node): boolean {
  return (
    !isFunction({ type } as Node) && !["BlockStatement", "ObjectExpression", "SpreadElement"].includes(type)
  );
}

function isFunction({ type }: Node): boolean {
  return ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"].includes(type);
}

/** Every variable that an expression uses, including those of functions inside it. */
function usesIn(node: Node): ReadonlySet<string> {
  const uses = new Set<string>();
  const look = (at: Node): void => {
    if (at.type === "Identifier") uses.add(String(at["name"]));
    else if (at.type === "MemberExpression" && at["computed"] !== true) listOf(at["object"]).forEach(look);
    else for (const child of childrenOf(at)) look(child);
  };
  look(node);
  return uses;
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap(listOf);
}

/** The nodes in a part of a node, which may be one, several or none. */
export function listOf(part: unknown): Node[] {
  return (Array.isArray(part) ? part : [part]).filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}
