// What a CommonJS file exports, as far as its text says so.

export interface CommonJsNames {
  /** Properties that it sets on its exports. */
  readonly exported: ReadonlySet<string>;
  /** Properties that it sets on any variable. */
  readonly assigned: ReadonlySet<string>;
  /** Files whose exports become its own. */
  readonly reexported: ReadonlySet<string>;
  /** Files of its own package that it requires. */
  readonly required: ReadonlySet<string>;
}

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Found {
  readonly exported: Set<string>;
  readonly assigned: Set<string>;
  readonly reexported: Set<string>;
  readonly required: Set<string>;
  /** Variables that are its exports, under which names were set. */
  readonly variables: Set<string>;
  readonly byVariable: Map<string, Set<string>>;
}

/** Reads a syntax tree. */
export function commonJsNames(program: object): CommonJsNames {
  const found: Found = {
    exported: new Set(),
    assigned: new Set(),
    reexported: new Set(),
    required: new Set(),
    variables: new Set(),
    byVariable: new Map(),
  };
  // Without recursion, as a tree may be deep.
  const waiting: unknown[] = [program];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (Array.isArray(next)) for (const item of next) waiting.push(item);
    else if (isNode(next)) {
      look(next, found);
      for (const value of Object.values(next))
        if (typeof value === "object" && value !== null) waiting.push(value);
    }
  }
  for (const name of found.variables)
    for (const set of found.byVariable.get(name) ?? []) found.exported.add(set);
  return found;
}

function look(node: Node, found: Found): void {
  if (node.type === "AssignmentExpression") lookAtAssignment(node, found);
  else if (node.type === "CallExpression") lookAtCall(node, found);
}

function lookAtAssignment({ left, right }: Node, found: Found): void {
  if (!isNode(left) || !isNode(right)) return;
  if (isExports(left)) return lookAtExports(right, found);
  const name = propertyOf(left);
  if (name === undefined || !isNode(left["object"])) return;
  note(left["object"], name, found);
}

// A property that is set on the exports themselves, or on a variable that may turn out to be them.
function note(object: Node, name: string, found: Found): void {
  if (isExports(object)) found.exported.add(name);
  if (object.type !== "Identifier") return;
  const variable = String(object["name"]);
  const names = found.byVariable.get(variable) ?? new Set();
  found.byVariable.set(variable, names.add(name));
  found.assigned.add(name);
}

function lookAtExports(value: Node, found: Found): void {
  if (value.type === "ObjectExpression") for (const key of keysOf(value)) found.exported.add(key);
  else if (value.type === "Identifier") found.variables.add(String(value["name"]));
  else if (value.type === "AssignmentExpression" && isNode(value["right"]))
    lookAtExports(value["right"], found);
  else if (value.type === "ConditionalExpression") {
    for (const branch of [value["consequent"], value["alternate"]])
      if (isNode(branch)) lookAtExports(branch, found);
  } else {
    const required = requiredBy(value);
    if (required !== undefined) found.reexported.add(required);
  }
}

function lookAtCall(node: Node, found: Found): void {
  const required = requiredBy(node);
  if (required?.startsWith(".") === true) found.required.add(required);
  const given = nodesOf(node["arguments"]);
  const [first, second] = given;
  if (first === undefined || second === undefined || !isNode(node["callee"])) return;
  const callee = String(propertyOf(node["callee"]) ?? node["callee"]["name"] ?? "");
  if (callee === "defineProperty" && second.type === "Literal") note(first, String(second["value"]), found);
  // As tools write it: __export(exports, { name: () => value }).
  if ((callee === "__export" || callee === "assign") && second.type === "ObjectExpression")
    for (const key of keysOf(second)) if (callee === "__export" || isExports(first)) found.exported.add(key);
  if (!given.some(isExports)) return;
  for (const argument of given) {
    const star = requiredBy(argument);
    if (star !== undefined) found.reexported.add(star);
  }
}

// `exports`, `module.exports`, or the same of a variable that stands for the module.
function isExports(node: Node): boolean {
  if (node.type === "Identifier") return node["name"] === "exports";
  return node.type === "MemberExpression" && propertyOf(node) === "exports";
}

function requiredBy(node: Node): string | undefined {
  if (node.type !== "CallExpression" || !isNode(node["callee"])) return undefined;
  const [name] = nodesOf(node["arguments"]);
  const isRequire = node["callee"].type === "Identifier" && node["callee"]["name"] === "require";
  if (isRequire && typeof name?.["value"] === "string") return name["value"];
  // A wrapper, as in interop(require("x")).
  return !isRequire && name?.type === "CallExpression" ? requiredBy(name) : undefined;
}

function propertyOf(node: Node): string | undefined {
  const { property, computed } = node;
  if (node.type !== "MemberExpression" || !isNode(property)) return undefined;
  if (computed !== true) return String(property["name"]);
  return typeof property["value"] === "string" ? property["value"] : undefined;
}

function keysOf(object: Node): string[] {
  return nodesOf(object["properties"]).flatMap(({ key, computed }) => {
    if (computed === true || !isNode(key)) return [];
    return [String(key["name"] ?? key["value"])];
  });
}

const nodesOf = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : []);

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
