// Names that cannot be bound are found before any code is sent, with work that sources cannot make long.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Linkage } from "../../../../src/code/modules/linkage.ts";
import { unboundImports, type UnboundImport } from "../../../../src/code/modules/link-check.ts";
import type { ModuleGraph } from "../../../../src/code/modules/module-graph.ts";

type Parts = Pick<Linkage, "stars" | "locals" | "reexports" | "imports">;

/** How often it was asked which module a specifier means. */
let lookups = 0;
const none: Parts = { stars: [], locals: [], reexports: [], imports: [] };

function check(modules: Readonly<Record<string, Partial<Parts>>>): UnboundImport[] {
  const targetOf = (_: string, specifier: string): string => {
    lookups++;
    return specifier;
  };
  const graph: ModuleGraph = { order: [], isCyclic: () => false, targetOf };
  const linked = Object.entries(modules).map(
    ([name, parts]) => [name, { linkage: { ...none, body: "sync", ...parts } }] as const,
  );
  return unboundImports(new Map(linked), graph, 5);
}

/** A module with names that all come through modules of which each passes on the exports of all others. */
function through(count: number, names: readonly string[]): Record<string, Partial<Parts>> {
  const modules: Record<string, Partial<Parts>> = {};
  const all = Array.from({ length: count }, (_, index) => `m${index}`);
  for (const name of all) modules[name] = { stars: all.filter((other) => other !== name) };
  modules["m0"] = { ...modules["m0"], locals: names.map((name) => [name]) };
  const wanted = [...names, "missing"];
  modules["main"] = { imports: wanted.map((name) => ({ specifier: "m1", name, local: name })) };
  return modules;
}

test("unboundImports() names what is missing behind modules that pass on each other's exports", () => {
  const [unbound, ...others] = check(through(10, ["x", "y"]));
  assert.deepEqual(unbound, {
    importer: "main",
    specifier: "m1",
    name: "missing",
    why: "missing",
    exports: ["x", "y"],
  });
  assert.deepEqual(others, []);
});

test("unboundImports() leaves to the isolate what would take the host long to look up", () => {
  const names = Array.from({ length: 300 }, (_, index) => `x${index}`);
  assert.deepEqual(check(through(40, names)), []);
  const chain: Record<string, Partial<Parts>> = { m1000: { locals: names.map((name) => [name]) } };
  for (let i = 0; i < 1_000; i++)
    chain[`m${i}`] = { reexports: names.map((name) => ({ exported: name, specifier: `m${i + 1}`, name })) };
  chain["last"] = { imports: [{ specifier: "m0", name: "missing", local: "missing" }] };
  assert.deepEqual(check(chain), []);
});

test("unboundImports() lists the exports of a module with bounded work too", () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `x${index}`);
  const modules = through(40, names);
  modules["main"] = { imports: [{ specifier: "m1", name: "missing", local: "missing" }] };
  const before = lookups;
  assert.deepEqual(check(modules)[0]?.exports, names.toSorted());
  assert.ok(lookups - before < 10_000, `looked up ${lookups - before} modules`);
});
