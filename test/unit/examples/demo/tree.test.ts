// Expression trees: in bounds, closed under breeding, and code that means the same as the tree.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { seededRandom } from "../../../../examples/demo/random.ts";
import { bare, infix, prefix } from "../../../../examples/demo/problem.ts";
import { bounds, cross, grow, mutate, sizeOf, toCode, type Tree } from "../../../../examples/demo/tree.ts";

const grammar = {
  variables: ["x"],
  numbers: [1, 2],
  operations: [infix("+"), infix("*"), prefix("abs", "Math.abs")],
};
const operations: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "*": (a, b) => a * b,
  abs: (a) => Math.abs(a),
};

function valueOf({ op, args }: Tree, x: number): number {
  const [a = 0, b = 0] = args.map((arg) => valueOf(arg, x));
  return args.length === 0
    ? op === "x"
      ? x
      : Number(op)
    : (operations[op] as (typeof operations)["+"])(a, b);
}

test("whatever is bred stays in bounds, and its code gives what the tree gives", () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: -9, max: 9 }), (seed, x) => {
      const random = seededRandom(seed);
      let [one, other] = [grow(grammar, 4, random), grow(grammar, 4, random)];
      for (let step = 0; step < 20; step++)
        [one, other] = [cross(one, other, random), mutate(other, grammar, random)];
      for (const tree of [one, other]) {
        assert.ok(sizeOf(tree) <= bounds.sizeMax);
        const code = bare(toCode(tree, grammar));
        // oxlint-disable-next-line typescript/no-implied-eval -- the code of a tree that was made right here
        const f = new Function("x", `return ${code};`) as (x: number) => number;
        assert.ok(Object.is(f(x), valueOf(tree, x)) || f(x) === valueOf(tree, x), code);
      }
    }),
    { numRuns: 50 },
  );
});

test("bare() takes away only brackets that are around all of it", () => {
  assert.deepEqual(["(a + b)", "(a) + (b)", "f(a)", "((a) * (b))"].map(bare), [
    "a + b",
    "(a) + (b)",
    "f(a)",
    "(a) * (b)",
  ]);
});
