// What a module's syntax tree shows: free names, members and calls that are worth a profile's attention.
import type { FindingName } from "../../../model/finding.ts";
import { intrinsics, knownGlobals, prototypeMembers } from "./names.ts";
import type { ESTree } from "rolldown/utils";
import type { Node } from "../syntax.ts";
import { walk, type Place } from "./scopes.ts";

type Identifier = Extract<Node, { type: "Identifier" }>;
// Of a declaration or parameter, or on the left of an assignment.
type ObjectPattern = Extract<Node, { type: "ObjectPattern" }>;
type Property = Extract<ObjectPattern["properties"][number], { type: "Property" }>;

/** Something seen at an offset. */
export type Report = (rule: FindingName, what: string, offset: number) => void;

/** Looks at every node of a program. */
export function scanTree(program: Node, report: Report): void {
  walk(program, (node, at) => {
    switch (node.type) {
      case "Identifier":
        return isReference(node, at.parent) ? lookAtName(node, at, report) : undefined;
      case "MemberExpression":
        return lookAtMember(node, at, report);
      case "CallExpression":
      case "NewExpression":
        return lookAtCall(node, at, report);
      case "AssignmentExpression":
        return lookAtChange(node.left, at, report);
      case "UnaryExpression":
        return node.operator === "delete" ? lookAtChange(node.argument, at, report) : undefined;
      case "VariableDeclarator":
        return lookAtPattern(node.id, node.init, { at, report });
      case "ObjectPattern":
        for (const [key, property] of keysOf(node)) {
          if (prototypeMembers.has(key)) report("prototype", key, property.start);
          if (key === "constructor" && takesConstructor(property.value))
            report("dynamic-code", key, property.start);
        }
    }
  });
}

function lookAtName(node: Identifier, at: Place, report: Report): void {
  const name = node.name;
  if ((name !== "globalThis" && !knownGlobals.has(name)) || !at.isFree(name)) return;
  const { parent } = at;
  // To ask whether something is there, or of what kind a value is, uses none of it.
  if (parent?.type === "UnaryExpression" && parent.operator === "typeof") return;
  if (name === "globalThis") {
    const isMember = parent?.type === "MemberExpression" && parent.object === node;
    const isTakenApart = parent?.type === "VariableDeclarator" && parent.id.type === "ObjectPattern";
    if (!isMember && !isTakenApart) report("global-computed", name, node.start);
    return;
  }
  reportGlobal(name, node, { parent, report });
}

function reportGlobal(
  name: string,
  node: Node,
  { parent, report }: { readonly parent: Node | undefined; readonly report: Report },
): void {
  const rule = knownGlobals.get(name);
  if (rule === undefined || (name === "Function" && isHarmlessFunction(node, parent))) return;
  report(rule, name, node.start);
}

// `x instanceof Function` and what hangs on Function.prototype make no code.
function isHarmlessFunction(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === "BinaryExpression") return true;
  return parent?.type === "MemberExpression" && parent.object === node && staticKey(parent) === "prototype";
}

function lookAtMember(node: ESTree.MemberExpression, at: Place, report: Report): void {
  const key = staticKey(node);
  const object = bare(node.object);
  if (isGlobalThis(object, at)) {
    if (key === undefined) report("global-computed", "globalThis[…]", node.start);
    else if (!isTypeof(at.parent)) reportGlobal(key, node, { parent: at.parent, report });
    return;
  }
  if (key === undefined) return;
  if (prototypeMembers.has(key)) report("prototype", key, node.start);
  if (key === "prepareStackTrace") report("stack-trace", key, node.start);
  if (key === "constructor" && leadsToFunction(object)) report("dynamic-code", "constructor", node.start);
}

// A constructor's constructor is Function; so is the constructor of a function.
function leadsToFunction(object: Node): boolean {
  if (object.type === "MemberExpression") return staticKey(object) === "constructor";
  if (object.type === "FunctionExpression" || object.type === "ArrowFunctionExpression") return true;
  const isAsking = object.type === "CallExpression" && calleeName(object) === "getPrototypeOf";
  const [first] = isAsking ? object.arguments : [];
  return first?.type === "FunctionExpression" || first?.type === "ArrowFunctionExpression";
}

// The same, taken apart by a pattern.
function takesConstructor(value: Node): boolean {
  return value.type === "ObjectPattern" && keysOf(value).some(([key]) => key === "constructor");
}

const changers = new Set(["setPrototypeOf", "defineProperty", "defineProperties", "assign"]);

function lookAtCall(node: ESTree.CallExpression | ESTree.NewExpression, at: Place, report: Report): void {
  const callee = bare(node.callee);
  const [first, second] = node.arguments;
  if (callee.type === "Identifier") {
    const isBuffer = callee.name === "ArrayBuffer" && at.isFree("ArrayBuffer");
    if (isBuffer && second !== undefined) report("resizable-buffer", "ArrayBuffer", node.start);
    return;
  }
  if (callee.type !== "MemberExpression") return;
  const key = staticKey(callee);
  const isText = first !== undefined && staticText(first) !== undefined;
  if (key === "constructor" && isText && !leadsToFunction(bare(callee.object)))
    report("dynamic-code", "constructor", node.start);
  if (key === undefined || !changers.has(key) || first === undefined) return;
  const owner = bare(callee.object);
  const isLanguage = owner.type === "Identifier" && ["Object", "Reflect"].includes(owner.name);
  const target = isLanguage ? intrinsicOf(bare(first), at) : undefined;
  if (target !== undefined) report("prototype", target, node.start);
}

// An assignment to, or a deletion of, a member of what all code shares.
function lookAtChange(target: Node, at: Place, report: Report): void {
  const left = bare(target);
  if (left.type !== "MemberExpression") return;
  const owner = intrinsicOf(bare(left.object), at);
  const key = staticKey(left) ?? "[…]";
  if (owner !== undefined && key !== "stackTraceLimit" && key !== "prepareStackTrace")
    report("prototype", `${owner}.${key}`, left.start);
}

function lookAtPattern(
  id: Node,
  init: Node | null,
  { at, report }: { readonly at: Place; readonly report: Report },
): void {
  if (id.type !== "ObjectPattern" || init === null || !isGlobalThis(bare(init), at)) return;
  for (const [key, property] of keysOf(id)) reportGlobal(key, property, { parent: undefined, report });
}

/** The name of an intrinsic, or of its prototype. */
function intrinsicOf(node: Node, at: Place): string | undefined {
  const isPrototype = node.type === "MemberExpression" && staticKey(node) === "prototype";
  const owner = isPrototype ? bare(node.object) : node;
  if (owner.type !== "Identifier") return undefined;
  const name = owner.name;
  if (!intrinsics.has(name) || !at.isFree(name)) return undefined;
  return isPrototype ? `${name}.prototype` : name;
}

const selvesMax = 8;

// The global object has itself as a member; nobody needs that more than a few times.
function isGlobalThis(node: Node, at: Place): boolean {
  let inner = node;
  for (let i = 0; i < selvesMax && inner.type === "MemberExpression"; i++) {
    if (staticKey(inner) !== "globalThis") return false;
    inner = bare(inner.object);
  }
  return inner.type === "Identifier" && inner.name === "globalThis" && at.isFree("globalThis");
}

const isTypeof = (parent: Node | undefined): boolean =>
  parent?.type === "UnaryExpression" && parent.operator === "typeof";

function calleeName(call: ESTree.CallExpression): string | undefined {
  const callee = bare(call.callee);
  return callee.type === "MemberExpression" ? staticKey(callee) : undefined;
}

function keysOf(pattern: ObjectPattern): [string, Property][] {
  return pattern.properties.flatMap((property): [string, Property][] => {
    if (property.type !== "Property") return [];
    const { key } = property;
    const name = !property.computed && key.type === "Identifier" ? key.name : staticText(key);
    return name === undefined ? [] : [[name, property]];
  });
}

// The name of a member, where it stands in the code; undefined where it is worked out.
function staticKey(member: ESTree.MemberExpression): string | undefined {
  const { property } = member;
  if (member.computed) return staticText(property);
  return property.type === "Identifier" ? property.name : undefined;
}

// A text that is written out, in one piece or in several.
function staticText(node: Node): string | undefined {
  const parts: string[] = [];
  const stack = [bare(node)];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    if (part.type === "Literal" && typeof part.value === "string") parts.push(part.value);
    else if (part.type === "TemplateLiteral" && part.expressions.length === 0) parts.push(templateText(part));
    else if (part.type === "BinaryExpression" && part.operator === "+")
      stack.push(bare(part.right), bare(part.left));
    else return undefined;
  }
  return parts.join("");
}

function templateText(node: ESTree.TemplateLiteral): string {
  const [quasi] = node.quasis;
  return quasi?.value.cooked ?? "";
}

// Without the brackets and question marks around it.
function bare(node: Node): Node {
  let inner = node;
  while (inner.type === "ParenthesizedExpression" || inner.type === "ChainExpression")
    inner = inner.expression;
  // The value of a list of expressions is that of the last: (0, eval).
  const last = inner.type === "SequenceExpression" ? inner.expressions.at(-1) : undefined;
  return last === undefined ? inner : bare(last);
}

// Whether an identifier stands for a variable, and not for a member, a key or a label.
function isReference(node: Node, parent: Node | undefined): boolean {
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
