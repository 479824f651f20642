// Modules are evaluated dependencies first; cycles are fine, what is missing is named, and a long chain costs nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Artifact } from "../../../../src/code/modules/artifact.ts";
import { planLinking } from "../../../../src/code/modules/module-graph.ts";
import { stopwatch } from "../../../support/machine.ts";

function modulesOf(
  graph: Readonly<Record<string, readonly string[]>>,
): Map<string, Pick<Artifact, "imports">> {
  return new Map(Object.entries(graph).map(([name, imports]) => [name, { imports }]));
}

function orderOf(graph: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const plan = planLinking(modulesOf(graph));
  assert.ok(plan.ok);
  return plan.graph.order;
}

test("planLinking() puts what is imported before what imports it, in the order of the imports", () => {
  assert.deepEqual(orderOf({ main: ["./b", "./a"], a: ["./c"], b: [], c: [] }), ["b", "c", "a", "main"]);
});

test("planLinking() names each module once, also one that many import", () => {
  assert.deepEqual(orderOf({ a: ["./d"], b: ["./d"], c: ["./d", "./a"], d: [] }), ["d", "a", "b", "c"]);
});

test("planLinking() finds an order for modules that import each other or themselves", () => {
  assert.deepEqual(orderOf({ a: ["./b"], b: ["./a"] }), ["b", "a"]);
  assert.deepEqual(orderOf({ a: ["./a"] }), ["a"]);
  assert.deepEqual(orderOf({ a: ["./b"], b: ["./c"], c: ["./a", "./d"], d: [] }), ["d", "c", "b", "a"]);
});

test("planLinking() reports every import that is missing, with its importer", () => {
  const plan = planLinking(modulesOf({ a: ["./b", "lodash"], b: ["../x"], c: [] }));
  assert.deepEqual(plan, {
    ok: false,
    missing: [
      { importer: "a", specifier: "lodash" },
      { importer: "b", specifier: "../x" },
    ],
  });
});

test("planLinking() finds the modules of folders relative to their importer", () => {
  assert.deepEqual(orderOf({ "lib/a": ["./b", "../main"], "lib/b": [], main: [] }), [
    "lib/b",
    "main",
    "lib/a",
  ]);
});

test("planLinking() orders a chain of ten thousand modules in a moment", () => {
  const length = 10_000;
  const chain = Object.fromEntries(
    Array.from({ length }, (_, n) => [`m${n}`, n + 1 < length ? [`./m${n + 1}`] : []]),
  );
  const took = stopwatch();
  const order = orderOf(chain);
  took.assertWithin(5_000, "it took too long");
  assert.equal(order.length, length);
  assert.deepEqual([order[0], order.at(-1)], [`m${length - 1}`, "m0"]);
});

test("planLinking() orders a dense graph of cycles in a moment", () => {
  const names = Array.from({ length: 300 }, (_, n) => `m${n}`);
  const everyone = names.map((name) => `./${name}`);
  const took = stopwatch();
  assert.equal(orderOf(Object.fromEntries(names.map((name) => [name, everyone]))).length, 300);
  took.assertWithin(5_000, "it took too long");
});
