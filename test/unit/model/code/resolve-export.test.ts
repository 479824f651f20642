// A name means one variable, however many modules pass it on; or none, or too many.
import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveExport, type ExportTable } from "../../../../src/model/code/resolve-export.ts";

interface Module {
  readonly own?: Readonly<Record<string, object>>;
  readonly from?: Readonly<Record<string, readonly [Module, string | null]>>;
  stars?: readonly Module[];
}

const table: ExportTable<Module, object> = {
  own: (module, name) => module.own?.[name],
  reexport: (module, name) => module.from?.[name],
  stars: (module) => module.stars ?? [],
  namespace: (module) => module,
};

test("resolveExport() follows re-exports and stars to the variable", () => {
  const x = {};
  const base: Module = { own: { x, default: {} } };
  const middle: Module = { stars: [base], from: { y: [base, "x"], all: [base, null] } };
  const top: Module = { stars: [middle, base] };
  assert.deepEqual(resolveExport(table, top, "x"), { variable: x });
  assert.deepEqual(resolveExport(table, top, "y"), { variable: x });
  assert.deepEqual(resolveExport(table, top, "all"), { variable: base });
  assert.deepEqual(resolveExport(table, top, null), { variable: top });
  assert.equal(resolveExport(table, top, "default"), "missing");
  assert.equal(resolveExport(table, top, "nope"), "missing");
});

test("resolveExport() finds two variables of one name ambiguous, and a module's own name is not", () => {
  const one: Module = { own: { x: {} } };
  const two: Module = { own: { x: {} } };
  assert.equal(resolveExport(table, { stars: [one, two] }, "x"), "ambiguous");
  assert.equal(typeof resolveExport(table, { stars: [one, two], own: { x: {} } }, "x"), "object");
});

test("resolveExport() ends in cycles of stars and of re-exports, and in chains of any length", () => {
  const left: Module = { stars: [] };
  const right: Module = { stars: [left], own: { x: {} } };
  left.stars = [right, left];
  assert.equal(typeof resolveExport(table, left, "x"), "object");
  assert.equal(resolveExport(table, left, "y"), "missing");
  const from: Record<string, readonly [Module, string]> = {};
  const self: Module = { from };
  from["x"] = [self, "y"];
  from["y"] = [self, "x"];
  assert.equal(resolveExport(table, self, "x"), "missing");
  let chain: Module = { own: { x: {} } };
  for (let i = 0; i < 50_000; i++) chain = i % 2 === 0 ? { stars: [chain] } : { from: { x: [chain, "x"] } };
  assert.equal(typeof resolveExport(table, chain, "x"), "object");
});
