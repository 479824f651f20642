// Programs as expression trees, and how new ones come about: from nothing, from one parent, from two.
import type { Chance } from "./chance.ts";

/** An operation with its operands; a variable or a number has none. */
export interface Tree {
  readonly op: string;
  readonly args: readonly Tree[];
}

export interface Operation {
  readonly op: string;
  readonly arity: number;
  /** As code, from the code of its operands. */
  readonly write: (args: readonly string[]) => string;
}

/** What programs are made of. */
export interface Grammar {
  readonly variables: readonly string[];
  readonly numbers: readonly number[];
  readonly operations: readonly Operation[];
}

export interface Bounds {
  readonly sizeMax: number;
  readonly depthMax: number;
}

export const bounds: Bounds = { sizeMax: 40, depthMax: 9 };
const variableShare = 0.7;
const leafShare = 0.2;

export function grow(grammar: Grammar, depth: number, chance: Chance): Tree {
  if (depth === 0 || chance.next() < leafShare) return leaf(grammar, chance);
  const { op, arity } = chance.pick(grammar.operations);
  return { op, args: Array.from({ length: arity }, () => grow(grammar, depth - 1, chance)) };
}

/** A changed copy; the parent itself where the change would be out of bounds. */
export function mutate(tree: Tree, grammar: Grammar, chance: Chance): Tree {
  const at = chance.below(sizeOf(tree));
  const way = chance.next();
  return within(
    replaceAt(tree, at, (old) => {
      if (way < 0.4) return grow(grammar, 1 + chance.below(3), chance);
      if (way < 0.7) return nudge(old, grammar, chance);
      if (way < 0.85) return old.args.length > 0 ? chance.pick(old.args) : leaf(grammar, chance);
      const { op, arity } = chance.pick(grammar.operations);
      const place = chance.below(arity);
      return {
        op,
        args: Array.from({ length: arity }, (_, index) => (index === place ? old : grow(grammar, 1, chance))),
      };
    }),
    tree,
  );
}

/** The mother with some part of the father in the place of some part of hers. */
export function cross(mother: Tree, father: Tree, chance: Chance): Tree {
  const graft = partAt(father, chance.below(sizeOf(father)));
  return within(
    replaceAt(mother, chance.below(sizeOf(mother)), () => graft),
    mother,
  );
}

export function sizeOf(tree: Tree): number {
  return tree.args.reduce((size, arg) => size + sizeOf(arg), 1);
}

export function toCode(tree: Tree, grammar: Grammar): string {
  const operation = grammar.operations.find(({ op }) => op === tree.op);
  if (operation === undefined || tree.args.length === 0) return tree.op;
  return operation.write(tree.args.map((arg) => toCode(arg, grammar)));
}

function leaf(grammar: Grammar, chance: Chance): Tree {
  const isVariable = chance.next() < variableShare;
  return { op: isVariable ? chance.pick(grammar.variables) : String(chance.pick(grammar.numbers)), args: [] };
}

// The smallest change: another number near it, another variable, another operation with the same operands.
function nudge(old: Tree, grammar: Grammar, chance: Chance): Tree {
  if (old.args.length === 0) {
    const value = Number(old.op);
    if (Number.isNaN(value) || chance.next() < 0.3) return leaf(grammar, chance);
    const near = [value + 1, value - 1, value * 2, value / 2, value + 10, value - 10, -value];
    return { op: String(chance.pick(near)), args: [] };
  }
  const alike = grammar.operations.filter(({ arity }) => arity === old.args.length);
  return { op: chance.pick(alike).op, args: old.args };
}

function within(child: Tree, parent: Tree): Tree {
  return sizeOf(child) <= bounds.sizeMax && depthOf(child) <= bounds.depthMax ? child : parent;
}

function depthOf(tree: Tree): number {
  return tree.args.length === 0 ? 0 : 1 + Math.max(...tree.args.map(depthOf));
}

// Nodes are numbered from the root, each before its operands.
function partAt(tree: Tree, at: number): Tree {
  let left = at - 1;
  for (const arg of tree.args) {
    if (left < 0) break;
    const size = sizeOf(arg);
    if (left < size) return partAt(arg, left);
    left -= size;
  }
  return tree;
}

function replaceAt(tree: Tree, at: number, change: (old: Tree) => Tree): Tree {
  if (at === 0) return change(tree);
  let left = at - 1;
  return {
    op: tree.op,
    args: tree.args.map((arg) => {
      const size = sizeOf(arg);
      const isHere = left >= 0 && left < size;
      const replaced = isHere ? replaceAt(arg, left, change) : arg;
      left -= size;
      return replaced;
    }),
  };
}
