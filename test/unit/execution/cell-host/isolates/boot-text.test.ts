// The texts of the guest runtime as the build makes them: every isolate has a copy of the first, so its size counts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createContext, runInContext, runInNewContext } from "node:vm";
import { saved } from "../../../../../src/guest/late-scripts.ts";
import type { GuestTables } from "../../../../../src/guest/tables.ts";
import { classes } from "../../../../../src/model/wire/classes.ts";
import { encode } from "../../../../../src/model/wire/encode.ts";
import * as refusal from "../../../../../src/model/wire/refusal.ts";

const program = readFileSync("dist/programs/cell-host.js", "utf8");

function lineOf(constant: string): string {
  return new RegExp(`^const ${constant} = .*$`, "m").exec(program)?.[0] ?? assert.fail(`no ${constant}`);
}

// Compared as yes or no, as a failure would print the whole text.
test("the texts of the guest runtime have only letters that take one byte", () => {
  for (const constant of ["bootText", "extrasText", "tablesText", "processText"])
    assert.equal(/[^\0-\x7f]/.test(lineOf(constant)), false, constant);
});

test("the text that every isolate boots from does not contain what few guests use", () => {
  assert.equal(lineOf("extrasText").includes("canParse"), true);
  assert.equal(lineOf("bootText").includes("canParse"), false);
  assert.equal(lineOf("tablesText").includes("a reference to nothing"), true);
  assert.equal(lineOf("bootText").includes("a reference to nothing"), false);
});

test("late scripts use of the boot script what they are given, and nothing is given that none uses", () => {
  const given = new Set<string>(Object.keys(saved()));
  const used = new Set<string>();
  for (const constant of ["extrasText", "tablesText"])
    for (const [, name = ""] of lineOf(constant).matchAll(/\bit\.(\w+)/g)) used.add(name);
  assert.deepEqual([...used].sort(), [...given].sort());
});

test("the script of tables needs no global at all, as each may be a guest's by then", () => {
  const text = runInNewContext(lineOf("tablesText").replace("const tablesText = ", "")) as string;
  const context = createContext();
  const emptied = `(() => {
    const compile = Function, lists = Array.prototype, functions = compile.prototype, { iterator } = Symbol;
    const { deleteProperty } = Reflect, names = Object.getOwnPropertyNames(globalThis);
    for (const name of names) if (name !== "globalThis") deleteProperty(globalThis, name);
    lists[iterator] = functions.call = functions.apply = functions.bind = undefined;
    return compile;
  })()`;
  const compile = runInContext(emptied, context) as typeof Function;
  assert.equal(runInContext("typeof Map + typeof Object", context), "undefinedundefined");
  const make = compile("it", "refusal", "known", text)(saved(), refusal, { classes }) as () => GuestTables;
  const tables = make();
  const odd = [
    new Map([[1n, new Set([-0])]]),
    new Date(0),
    /x/g,
    new RangeError("r"),
    new Float16Array(2),
    undefined,
  ];
  const value = {
    odd,
    boxed: Object("text"),
    view: new DataView(new ArrayBuffer(3)),
    hole: Object.assign([], { 1: 1 }),
  };
  const terms = { bytesMax: 10_000, stacks: "kept" } as const;
  // Compared as texts, as its lists and objects are those of another realm.
  const crossed = tables.encodeTable(value, terms);
  assert.equal(crossed, encode(value, terms.bytesMax, terms.stacks));
  assert.equal(tables.encodeTable(tables.decode(crossed), terms), crossed);
  assert.throws(() => tables.encodeTable([new WeakMap()], terms), refusal.Refusal);
  assert.throws(() => tables.decode("V[5]"), /a reference to nothing/);
  assert.equal(tables.isPlain(Object.create({ own: 1 }) as object), true);
});
