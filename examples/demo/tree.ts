// Programs as expression trees, and how new ones are made: randomly, from one parent, from two.
import type { Random } from "./random.ts";

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
  /** The share of mutations that only change numbers, a little. Default: none do. */
  readonly tuneShare?: number;
}

export interface Bounds {
  readonly sizeMax: number;
  readonly depthMax: number;
}

export const bounds: Bounds = { sizeMax: 40, depthMax: 9 };
const variableShare = 0.7;
const leafShare = 0.2;
/** Of numbers that were tuned. */
const digits = 3;

export function grow(grammar: Grammar, depth: number, random: Random): Tree {
  if (depth === 0 || random.next() < leafShare) return leaf(grammar, random);
  const { op, arity } = random.pick(grammar.operations);
  return { op, args: Array.from({ length: arity }, () => grow(grammar, depth - 1, random)) };
}

/** A changed copy; the parent itself where the change would be out of bounds. */
export function mutate(tree: Tree, grammar: Grammar, random: Random): Tree {
  const { tuneShare = 0 } = grammar;
  // No number is drawn where nothing is tuned.
  if (tuneShare > 0 && random.next() < tuneShare) return tune(tree, random);
  const at = random.below(sizeOf(tree));
  const way = random.next();
  return within(
    replaceAt(tree, at, (old) => {
      if (way < 0.4) return grow(grammar, 1 + random.below(3), random);
      if (way < 0.7) return nudge(old, grammar, random);
      if (way < 0.85) return old.args.length > 0 ? random.pick(old.args) : leaf(grammar, random);
      const { op, arity } = random.pick(grammar.operations);
      const place = random.below(arity);
      return {
        op,
        args: Array.from({ length: arity }, (_, index) => (index === place ? old : grow(grammar, 1, random))),
      };
    }),
    tree,
  );
}

/** The mother with a part replaced by a part of the father. */
export function cross(mother: Tree, father: Tree, random: Random): Tree {
  const graft = partAt(father, random.below(sizeOf(father)));
  return within(
    replaceAt(mother, random.below(sizeOf(mother)), () => graft),
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

function leaf(grammar: Grammar, random: Random): Tree {
  const isVariable = random.next() < variableShare;
  return { op: isVariable ? random.pick(grammar.variables) : String(random.pick(grammar.numbers)), args: [] };
}

// The smallest change: another number near it, another variable, another operation with the same operands.
function nudge(old: Tree, grammar: Grammar, random: Random): Tree {
  if (old.args.length === 0) {
    const value = Number(old.op);
    if (Number.isNaN(value) || random.next() < 0.3) return leaf(grammar, random);
    const near = [value + 1, value - 1, value * 2, value / 2, value + 10, value - 10, -value];
    return { op: String(random.pick(near)), args: [] };
  }
  const alike = grammar.operations.filter(({ arity }) => arity === old.args.length);
  return { op: random.pick(alike).op, args: old.args };
}

/** Half of its numbers are changed by about a quarter, and a few by about one. */
function tune(tree: Tree, random: Random): Tree {
  const value = Number(tree.op);
  if (tree.args.length > 0) return { op: tree.op, args: tree.args.map((arg) => tune(arg, random)) };
  if (Number.isNaN(value) || random.next() < 0.5) return tree;
  const shift = random.next() < 0.1 ? normal(random) : 0;
  const tuned = value * (1 + normal(random) / 4) + shift;
  return { op: String(Number(tuned.toPrecision(digits))), args: [] };
}

/** About as if normally distributed: between -3 and 3, around 0, with a deviation of 1. */
function normal(random: Random): number {
  return (random.next() + random.next() + random.next() + random.next() - 2) * Math.sqrt(3);
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
