// Finds the global names, members and calls in a module's syntax tree that a profile has rules for.
import type { FindingName } from "../../../model/code/finding.ts";
import { intrinsics, knownGlobals, prototypeMembers } from "./names.ts";
import type { ESTree } from "rolldown/utils";
import { isReference, type Node } from "../syntax.ts";
import { walk, type Context } from "./scopes.ts";

type Identifier = Extract<Node, { type: "Identifier" }>;
// Of a declaration or parameter, or on the left of an assignment.
type ObjectPattern = Extract<Node, { type: "ObjectPattern" }>;
type Property = Extract<ObjectPattern["properties"][number], { type: "Property" }>;

/** Reports a finding at an offset. */
export type Report = (rule: FindingName, what: string, offset: number) => void;

/** Checks every node of a program. */
export function scanTree(program: Node, report: Report): void {
  walk(program, (node, at) => {
    switch (node.type) {
      case "Identifier":
        return isReference(node, at.parent) ? checkName(node, at, report) : undefined;
      case "MemberExpression":
        return checkMember(node, at, report);
      case "CallExpression":
      case "NewExpression":
        return checkCall(node, at, report);
      case "AssignmentExpression":
        return checkChange(node.left, at, report);
      case "UnaryExpression":
        return node.operator === "delete" ? checkChange(node.argument, at, report) : undefined;
      case "VariableDeclarator":
        return checkPattern(node.id, node.init, { at, report });
      case "ObjectPattern":
        for (const [key, property] of keysOf(node)) {
          if (prototypeMembers.has(key)) report("prototype", key, property.start);
          if (key === "constructor" && takesConstructor(property.value))
            report("dynamic-code", key, property.start);
        }
    }
  });
}

function checkName(node: Identifier, at: Context, report: Report): void {
  const name = node.name;
  if ((name !== "globalThis" && !knownGlobals.has(name)) || !at.isFree(name)) return;
  const { parent } = at;
  // `typeof` uses nothing of the global.
  if (isTypeof(parent)) return;
  if (name === "globalThis") {
    const isMember = parent?.type === "MemberExpression" && parent.object === node;
    const isDestructured = parent?.type === "VariableDeclarator" && parent.id.type === "ObjectPattern";
    if (!isMember && !isDestructured) report("global-computed", name, node.start);
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

// `x instanceof Function` and members of Function.prototype make no code.
function isHarmlessFunction(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === "BinaryExpression") return true;
  return parent?.type === "MemberExpression" && parent.object === node && staticKey(parent) === "prototype";
}

function checkMember(node: ESTree.MemberExpression, at: Context, report: Report): void {
  const key = staticKey(node);
  const object = unwrap(node.object);
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

// The same, by destructuring.
function takesConstructor(value: Node): boolean {
  return value.type === "ObjectPattern" && keysOf(value).some(([key]) => key === "constructor");
}

const changers = new Set(["setPrototypeOf", "defineProperty", "defineProperties", "assign"]);

function checkCall(node: ESTree.CallExpression | ESTree.NewExpression, at: Context, report: Report): void {
  const callee = unwrap(node.callee);
  const [first, second] = node.arguments;
  if (callee.type === "Identifier") {
    const isBuffer = callee.name === "ArrayBuffer" && at.isFree("ArrayBuffer");
    if (isBuffer && second !== undefined) report("resizable-buffer", "ArrayBuffer", node.start);
    return;
  }
  if (callee.type !== "MemberExpression") return;
  const key = staticKey(callee);
  const isText = first !== undefined && staticText(first) !== undefined;
  if (key === "constructor" && isText && !leadsToFunction(unwrap(callee.object)))
    report("dynamic-code", "constructor", node.start);
  if (key === undefined || !changers.has(key) || first === undefined) return;
  const owner = unwrap(callee.object);
  const isLanguage = owner.type === "Identifier" && ["Object", "Reflect"].includes(owner.name);
  const target = isLanguage ? intrinsicOf(unwrap(first), at) : undefined;
  if (target !== undefined) report("prototype", target, node.start);
}

// An assignment to, or a deletion of, a member of what all code shares.
function checkChange(target: Node, at: Context, report: Report): void {
  const left = unwrap(target);
  if (left.type !== "MemberExpression") return;
  const owner = intrinsicOf(unwrap(left.object), at);
  const key = staticKey(left) ?? "[…]";
  if (owner !== undefined && key !== "stackTraceLimit" && key !== "prepareStackTrace")
    report("prototype", `${owner}.${key}`, left.start);
}

function checkPattern(
  id: Node,
  init: Node | null,
  { at, report }: { readonly at: Context; readonly report: Report },
): void {
  if (id.type !== "ObjectPattern" || init === null || !isGlobalThis(unwrap(init), at)) return;
  for (const [key, property] of keysOf(id)) reportGlobal(key, property, { parent: undefined, report });
}

/** The name of an intrinsic, or of its prototype. */
function intrinsicOf(node: Node, at: Context): string | undefined {
  const isPrototype = node.type === "MemberExpression" && staticKey(node) === "prototype";
  const owner = isPrototype ? unwrap(node.object) : node;
  if (owner.type !== "Identifier") return undefined;
  const name = owner.name;
  if (!intrinsics.has(name) || !at.isFree(name)) return undefined;
  return isPrototype ? `${name}.prototype` : name;
}

const globalThisChainMax = 8;

// The global object has itself as a member; a chain longer than this is not followed.
function isGlobalThis(node: Node, at: Context): boolean {
  let inner = node;
  for (let i = 0; i < globalThisChainMax && inner.type === "MemberExpression"; i++) {
    if (staticKey(inner) !== "globalThis") return false;
    inner = unwrap(inner.object);
  }
  return inner.type === "Identifier" && inner.name === "globalThis" && at.isFree("globalThis");
}

const isTypeof = (parent: Node | undefined): boolean =>
  parent?.type === "UnaryExpression" && parent.operator === "typeof";

function calleeName(call: ESTree.CallExpression): string | undefined {
  const callee = unwrap(call.callee);
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

// The name of a member, where it is literal; undefined where it is computed.
function staticKey(member: ESTree.MemberExpression): string | undefined {
  const { property } = member;
  if (member.computed) return staticText(property);
  return property.type === "Identifier" ? property.name : undefined;
}

// The value of a literal text, in one piece or concatenated.
function staticText(node: Node): string | undefined {
  const parts: string[] = [];
  const stack = [unwrap(node)];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    if (part.type === "Literal" && typeof part.value === "string") parts.push(part.value);
    else if (part.type === "TemplateLiteral" && part.expressions.length === 0) parts.push(templateText(part));
    else if (part.type === "BinaryExpression" && part.operator === "+")
      stack.push(unwrap(part.right), unwrap(part.left));
    else return undefined;
  }
  return parts.join("");
}

function templateText(node: ESTree.TemplateLiteral): string {
  const [quasi] = node.quasis;
  return quasi?.value.cooked ?? "";
}

// Without parentheses and optional chaining around it.
function unwrap(node: Node): Node {
  let inner = node;
  while (inner.type === "ParenthesizedExpression" || inner.type === "ChainExpression")
    inner = inner.expression;
  // The value of a sequence is that of the last: (0, eval).
  const last = inner.type === "SequenceExpression" ? inner.expressions.at(-1) : undefined;
  return last === undefined ? inner : unwrap(last);
}
