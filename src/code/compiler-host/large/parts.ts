// Weighs the functions of a module while it is walked. The engine compiles a function's parameters and its body as one, and all
// fields of a class as one; each of these consists of parts, as they can be divided only between them.
import type { ESTree } from "rolldown/utils";
import type { FunctionNode, Node } from "../syntax.ts";
import { weightOf } from "./weights.ts";

export type Loop =
  | ESTree.ForStatement
  | ESTree.ForInStatement
  | ESTree.ForOfStatement
  | ESTree.WhileStatement
  | ESTree.DoWhileStatement;

/** Code that stays together: a body, a default value, the value of a field. Functions inside of it are not part of it. */
export interface Part {
  weight: number;
  readonly loops: Loop[];
  /** Whether it may use the `super` of its function, itself or in an arrow function. */
  usesSuper: boolean;
  /** The part that an arrow function is in. */
  readonly around: Part | undefined;
  /** The default values, where it is a list of parameters. */
  readonly defaults: Piece[] | undefined;
}

/** A part that is one node. */
export interface Piece {
  readonly node: Node;
  readonly part: Part;
}

export interface FunctionParts {
  readonly node: FunctionNode;
  readonly params: Part;
  readonly defaults: readonly Piece[];
  readonly body: Part;
}

/** The values of fields and the static blocks of a class. */
export interface ClassParts {
  readonly node: Node;
  readonly fields: Piece[];
  readonly statics: Piece[];
}

/** What a fuel counter in a loop weighs. */
const counterWeight = 20;

export class Parts {
  /** The top level of the module. */
  readonly top: Part = makePart();
  readonly functions: FunctionParts[] = [];
  readonly #classes = new Map<Node, ClassParts>();
  readonly #roots = new Map<Node, Part>();
  readonly #loopWeight: number;

  constructor(isMetered: boolean) {
    this.#loopWeight = isMetered ? counterWeight : 0;
  }

  get classes(): Iterable<ClassParts> {
    return this.#classes.values();
  }

  /** Adds a node to its part. It is called for every node, outermost first. */
  add(node: Node, parent: Node | undefined, part: Part): void {
    part.weight += weightOf(node);
    switch (node.type) {
      case "ArrowFunctionExpression":
      case "FunctionDeclaration":
      case "FunctionExpression":
        return this.#addFunction(node, part);
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
        part.weight += this.#loopWeight;
        part.loops.push(node);
        return;
      case "AssignmentPattern":
        if (part.defaults !== undefined) part.defaults.push(this.#root(node.right, part.around));
        return;
      case "PropertyDefinition":
      case "AccessorProperty":
        if (node.value !== null && parent !== undefined) this.#addField(parent, node.value, node.static);
        return;
      case "StaticBlock":
        if (parent !== undefined) this.#addField(parent, node, true);
        return;
      case "Super":
        part.usesSuper = true;
        return;
      case "CallExpression":
        // Direct `eval` may use whatever is there.
        if (node.callee.type === "Identifier" && node.callee.name === "eval") part.usesSuper = true;
    }
  }

  /** The part that a node directly below one of a part belongs to. */
  below(child: Node, node: Node, part: Part): Part {
    switch (node.type) {
      case "ArrowFunctionExpression":
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "AssignmentPattern":
      case "PropertyDefinition":
      case "AccessorProperty":
        return this.#roots.get(child) ?? part;
      case "StaticBlock":
        return this.#roots.get(node) ?? part;
      default:
        return part;
    }
  }

  #addFunction(node: FunctionNode, part: Part): void {
    const around = node.type === "ArrowFunctionExpression" ? part : undefined;
    const params = makePart(around, []);
    for (const parameter of node.params) this.#roots.set(parameter, params);
    const body = makePart(around);
    if (node.body !== null) this.#roots.set(node.body, body);
    this.functions.push({ node, params, defaults: params.defaults ?? [], body });
  }

  #addField(classBody: Node, node: Node, isStatic: boolean): void {
    const known = this.#classes.get(classBody);
    const parts = known ?? { node: classBody, fields: [], statics: [] };
    if (known === undefined) this.#classes.set(classBody, parts);
    (isStatic ? parts.statics : parts.fields).push(this.#root(node, undefined));
  }

  #root(node: Node, around: Part | undefined): Piece {
    const part = makePart(around);
    this.#roots.set(node, part);
    return { node, part };
  }
}

function makePart(around?: Part, defaults?: Piece[]): Part {
  return { weight: 0, loops: [], usesSuper: false, around, defaults };
}
