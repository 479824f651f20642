// Keeps large functions from the engine's optimising compilers, whose work on one cannot be interrupted: their code is moved
// into a function of a name that the flags of cells exclude (`execution/cell-flags.ts`). Loops of code that is not optimised
// look for interrupts too seldom, so each calls a function that does nothing, where the engine looks.
import { reserved } from "../../../model/code/reserved.ts";
import type { Edits } from "../linking/edits.ts";
import {
  addNames,
  isFunction,
  visitChildren,
  withoutBrackets,
  type FunctionNode,
  type Node,
} from "../syntax.ts";
import type { ClassParts, FunctionParts, Loop, Part, Parts, Piece } from "./parts.ts";
import { undividedWeightMax, weightMax } from "./weights.ts";

export interface Division {
  /** The body of the module needs a name that keeps it from being optimised. */
  readonly isTopLarge: boolean;
  /** The module needs the function that loops call. */
  readonly hasTicks: boolean;
  /** What cannot be divided, with its offset. */
  readonly error: { readonly offset: number; readonly message: string } | undefined;
}

interface Progress {
  readonly edits: Edits;
  hasTicks: boolean;
  error: Division["error"];
}

/** Moves what is large in a module into functions that are not optimised. */
export function divideLarge(parts: Parts, edits: Edits): Division {
  const progress: Progress = { edits, hasTicks: false, error: undefined };
  // Inner functions come after those that they are in.
  for (const { params, defaults, body } of parts.functions.toReversed())
    for (const part of [params, body, ...defaults.map((piece) => piece.part)])
      if (part.usesSuper && part.around !== undefined) part.around.usesSuper = true;
  for (const parted of parts.functions) divideFunction(parted, progress);
  for (const parted of parts.classes) divideClass(parted, progress);
  const isTopLarge = parts.top.weight > weightMax;
  if (isTopLarge) insertTicks(parts.top, progress);
  return { isTopLarge, hasTicks: progress.hasTicks, error: progress.error };
}

function divideFunction({ node, params, defaults, body }: FunctionParts, progress: Progress): void {
  const paramsWeight = params.weight + weightOfAll(defaults);
  if (node.body === null || paramsWeight + body.weight <= weightMax) return;
  if (paramsWeight > weightMax) movePieces(defaults, params.weight, { node, progress });
  if (node.generator && body.usesSuper)
    return refuse(progress, node, "A generator that uses super must be smaller");
  moveBody(node, node.body, progress.edits);
  insertTicks(body, progress);
}

// All fields are computed by one function of the engine's, all static ones and static blocks by another.
function divideClass({ node, fields, statics }: ClassParts, progress: Progress): void {
  for (const pieces of [fields, statics])
    if (weightOfAll(pieces) > weightMax) movePieces(pieces, 0, { node, progress });
}

const weightOfAll = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { part }) => sum + part.weight + 1, 0);

/** What the call weighs that stands in place of code that was moved. */
const callWeight = 20;

/** Moves expressions and static blocks; refuses where too much is left. */
function movePieces(
  pieces: readonly Piece[],
  restWeight: number,
  { node: whole, progress }: { readonly node: Node; readonly progress: Progress },
): void {
  let left = restWeight;
  for (const { node, part } of pieces) {
    const isMoved = part.weight > callWeight && !needsName(node);
    left += isMoved ? callWeight : part.weight;
    if (!isMoved) continue;
    if (node.type === "StaticBlock") moveBlock(node, progress.edits);
    else progress.edits.wrap(node, expressionStart(false), expressionEnd);
    insertTicks(part, progress);
  }
  if (left > undividedWeightMax) {
    const what = isFunction(whole) ? "The parameters of a function" : "The fields of a class";
    refuse(progress, whole, `${what} must be smaller together`);
  }
}

// A class without a name gets that of its field or parameter only where nothing stands before it.
function needsName(node: Node): boolean {
  const inner = withoutBrackets(node);
  return inner.type === "ClassExpression" && inner.id === null;
}

// A function that is the value of a property has its name. An arrow function has the `this`, `arguments`, `super` and
// `new.target` of the function around it.
const named = (text: string): string => `{${reserved.large}${text}`;
const expressionStart = (isAsync: boolean): string => `(${named(`:${isAsync ? "async" : ""}()=>(`)}`;
const expressionEnd = `)}).${reserved.large}()`;

function moveBody(node: FunctionNode, body: NonNullable<FunctionNode["body"]>, edits: Edits): void {
  if (body.type !== "BlockStatement") {
    if (node.async) edits.wrap(body, `await${expressionStart(true)}`, expressionEnd);
    else edits.wrap(body, expressionStart(false), expressionEnd);
    return;
  }
  const { saved, restored } = redeclared(node, body);
  const isAsync = node.async ? "async" : "";
  const [start, end] = node.generator
    ? [`yield*${reserved.delegate}({${isAsync}*${reserved.large}(){`, `}}.${reserved.large},this,arguments);`]
    : [`${node.async ? "await" : ""}${named(`:${isAsync}()=>{`)}`, `}}.${reserved.large}();`];
  edits.insert(body.start + 1, `${saved}return ${start}${restored}`);
  edits.insert(body.end - 1, end);
}

function moveBlock(node: Extract<Node, { type: "StaticBlock" }>, edits: Edits): void {
  const first = node.body[0];
  if (first === undefined) return;
  edits.insert(first.start, `(${named(":()=>{")}`);
  edits.insert(node.end - 1, `}}).${reserved.large}();`);
}

// A `var` that has the name of a parameter begins with its value.
function redeclared(node: FunctionNode, body: Node): { readonly saved: string; readonly restored: string } {
  const parameters = new Set<string>();
  for (const parameter of node.params) addNames(parameter, parameters);
  const names = [...varsOf(body)].filter((name) => parameters.has(name));
  const saved = names.map((name, number) => `const ${reserved.parameter}${number}=${name};`);
  const restored = names.map((name, number) => `${name}=${reserved.parameter}${number};`);
  return { saved: saved.join(""), restored: restored.join("") };
}

// But for those that are functions too, which they begin with then.
function varsOf(body: Node): Set<string> {
  const names = new Set<string>();
  const functions = new Set<string>();
  visitChildren(body, (child) => {
    if (child.type === "FunctionDeclaration") addNames(child.id, functions);
  });
  const stack: Node[] = [body];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === "VariableDeclaration" && node.kind === "var")
      for (const { id } of node.declarations) addNames(id, names);
    visitChildren(node, (child) => {
      if (!isFunction(child) && child.type !== "StaticBlock") stack.push(child);
    });
  }
  return names.difference(functions);
}

function insertTicks({ loops }: Part, progress: Progress): void {
  if (loops.length > 0) progress.hasTicks = true;
  for (const loop of loops) insertTick(loop, progress.edits);
}

function insertTick({ body }: Loop, edits: Edits): void {
  const call = `${reserved.tick}();`;
  if (body.type === "BlockStatement") edits.insert(body.start + 1, call);
  else edits.wrap(body, `{${call}`, "}");
}

function refuse(progress: Progress, { start }: Node, message: string): void {
  if (progress.error === undefined || start < progress.error.offset)
    progress.error = { offset: start, message };
}
