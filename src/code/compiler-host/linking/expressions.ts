// Rewrites what means something else inside of a function than at the top level of a module: await, import(), import.meta,
// arguments, and direct eval, which must not see the names of the rewriting.
import { reserved, reservedPrefix, wrapperParameters } from "../../../model/code/reserved.ts";
import { insertFuel } from "../fuel.ts";
import { Parts, type Part } from "../large/parts.ts";
import { addNames, isReference, visitChildren, type Node } from "../syntax.ts";
import type { Edits } from "./edits.ts";
import { hide, isBoundary, targetOf } from "./writes.ts";

export interface Body {
  readonly code: string;
  readonly edits: Edits;
  readonly isMetered: boolean;
}

/** What a walk through a module found. */
export interface Found {
  /** Its functions, weighed. */
  readonly parts: Parts;
  /** Specifiers of `import()` that are literal. */
  readonly dynamicImports: string[];
  /** Names that something is assigned to. */
  readonly assigned: Set<string>;
  hasEval: boolean;
  /** Whether the top level has a `for await` or `await using`. */
  awaitsInLoops: boolean;
  /** Every `await` of the top level. */
  readonly awaits: Node[];
  /** What is not allowed, with its offset. */
  error: { readonly offset: number; readonly message: string } | undefined;
}

interface Visit {
  readonly node: Node;
  readonly parent: Node | undefined;
  readonly isTop: boolean;
  /** Whether `arguments` are those of the module's own function. */
  readonly isBare: boolean;
  readonly part: Part;
}

/** Walks a program once. Without recursion, so that a deep tree is as safe as a flat one. */
export function rewriteExpressions(program: Node, body: Body): Found {
  const parts = new Parts(body.isMetered);
  const found: Found = {
    parts,
    dynamicImports: [],
    assigned: new Set(),
    hasEval: false,
    awaitsInLoops: false,
    awaits: [],
    error: undefined,
  };
  const stack: Visit[] = [{ node: program, parent: undefined, isTop: true, isBare: true, part: parts.top }];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { node, parent, part } = visit;
    const isInside = isBoundary(node, parent);
    const isTop = visit.isTop && !isInside;
    const isBare = visit.isBare && (!isInside || node.type === "ArrowFunctionExpression");
    if (body.isMetered) insertFuel(node, body.edits);
    parts.add(node, parent, part);
    rewrite({ node, parent, isTop, isBare, part }, body, found);
    visitChildren(node, (child) =>
      stack.push({ node: child, parent: node, isTop, isBare, part: parts.below(child, node, part) }),
    );
  }
  return found;
}

function rewrite(visit: Visit, body: Body, found: Found): void {
  const { node, isTop } = visit;
  switch (node.type) {
    case "Identifier":
      return rewriteName(node, visit, { body, found });
    case "PrivateIdentifier":
      return refuseReserved(node, node.name, found);
    case "Literal":
      // The engine may name functions after it.
      return typeof node.value === "string" ? refuseReserved(node, node.value, found) : undefined;
    case "TemplateElement":
      return refuseReserved(node, node.value.cooked ?? "", found);
    case "AwaitExpression":
      if (isTop) found.awaits.push(node);
      return;
    case "ImportExpression":
      if (node.source.type === "Literal" && typeof node.source.value === "string")
        found.dynamicImports.push(node.source.value);
      if (node.phase !== null) refuse(found, node, "import() has no phases here");
      return body.edits.replace(keywordOf(node, "import"), `(${hide(reserved.import)})`);
    case "MetaProperty":
      if (node.meta.name === "import") body.edits.replace(node.meta, `(${hide(reserved.import)})`);
      return;
    case "ExpressionStatement":
      if (lists.has(visit.parent?.type)) body.edits.separate(node);
      return;
    case "PropertyDefinition":
    case "AccessorProperty":
      // As a statement: the next member may begin with a bracket or an asterisk.
      if (body.code.charAt(node.end - 1) === "}") body.edits.insert(node.end, ";");
      return;
    case "CallExpression":
      found.hasEval ||= isDirectEval(node);
      return;
    case "BinaryExpression":
      // In a script this would begin a comment.
      if (body.code.startsWith("<!--", node.right.start - 1)) body.edits.insert(node.right.start, " ");
      return;
    case "ImportDeclaration":
      if ((node.phase ?? null) !== null) refuse(found, node, "import has no phases here");
      return;
    default:
      note(visit, found);
  }
}

// Nodes whose statements stand one after the other.
const lists: ReadonlySet<string | undefined> = new Set([
  "Program",
  "BlockStatement",
  "StaticBlock",
  "SwitchCase",
]);

function note({ node, isTop }: Visit, found: Found): void {
  const target = targetOf(node);
  if (target !== undefined) addNames(target, found.assigned);
  const isAwaiting =
    (node.type === "ForOfStatement" && node.await) ||
    (node.type === "VariableDeclaration" && node.kind === "await using");
  if (isAwaiting && isTop) found.awaitsInLoops = true;
  if ("decorators" in node && node.decorators !== undefined && node.decorators.length > 0)
    refuse(found, node, "Decorators are not part of the language yet");
}

type Named = Extract<Node, { type: "Identifier" | "PrivateIdentifier" }>;

// A source that is not printed anew keeps its escapes: the name counts, not how it is written.
function refuseReserved(node: Node, text: string, found: Found): void {
  if (!text.includes(reservedPrefix)) return;
  refuse(found, node, `Names that begin with ${reservedPrefix} belong to the compiler`);
}

function rewriteName(
  node: Named,
  { parent, isBare }: Visit,
  { body, found }: { readonly body: Body; readonly found: Found },
): void {
  refuseReserved(node, node.name, found);
  if (node.name !== "arguments" || !isBare || !isReference(node, parent)) return;
  const isTested = parent?.type === "UnaryExpression" && parent.operator === "typeof";
  const isShort = parent?.type === "Property" && parent.shorthand;
  const call = `(${hide(reserved.arguments)}(${isTested ? "true" : ""}))`;
  body.edits.replace(node, isShort ? `arguments:${call}` : call);
}

function refuse(found: Found, { start }: Node, message: string): void {
  if (found.error === undefined || start < found.error.offset) found.error = { offset: start, message };
}

/** In a generator a top-level `await` is a `yield`, which the module table answers when the promise has settled. */
export function rewriteAwaits(awaits: readonly Node[], edits: Edits): void {
  for (const node of awaits) {
    edits.replace(keywordOf(node, "await"), "(yield");
    edits.wrap(node, "", ")");
  }
}

const keywordOf = ({ start }: Node, word: string): { start: number; end: number } => {
  return { start, end: start + word.length };
};

function isDirectEval(node: Node): node is Extract<Node, { type: "CallExpression" }> {
  if (node.type !== "CallExpression" || node.optional) return false;
  return node.callee.type === "Identifier" && node.callee.name === "eval";
}

const hidden = [
  ...wrapperParameters,
  reserved.writes,
  reserved.constant,
  reserved.publishAll,
  reserved.default,
  reserved.tick,
  reserved.largeModule,
  reserved.result,
].join(",");

/**
 * Direct `eval` sees all names around it. Parameters of the same names stand before those of the rewriting; an arrow function
 * leaves `this`, `arguments` and `super` as they are, and code of a module is strict, so that it declares nothing outside.
 */
export function rewriteEvals(program: Node, edits: Edits, publishes: boolean): void {
  const inner = `((${hidden})=>eval(${reserved.text}))()`;
  const outer = publishes
    ? `((${reserved.text})=>{try{return ${inner}}finally{${reserved.publishAll}()}})`
    : `((${reserved.text})=>${inner})`;
  const stack = [program];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isDirectEval(node)) edits.replace(node.callee, outer);
    visitChildren(node, (child) => stack.push(child));
  }
}
