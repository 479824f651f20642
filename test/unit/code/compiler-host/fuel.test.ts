// Fuel as it is inserted: whatever enters a function or turns a loop costs some, and what a program means stays as it was.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { runInNewContext } from "node:vm";
import { parseSync } from "rolldown/utils";
import { insertFuel } from "../../../../src/code/compiler-host/fuel.ts";
import { Edits } from "../../../../src/code/compiler-host/linking/edits.ts";
import { childrenOf, type Node } from "../../../../src/code/compiler-host/syntax.ts";
import { reserved } from "../../../../src/model/code/reserved.ts";

const plenty = 10_000_000;

/** The value of the last expression of a program with fuel, and how much of it was used. */
function run(code: string): { readonly value: unknown; readonly used: number } {
  const cell = [plenty];
  const spend = (): never => {
    throw new RangeError("the fuel is used up");
  };
  const edits = new Edits(code);
  const nodes: Node[] = [parseSync("module.js", code).program];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    insertFuel(node, edits);
    nodes.push(...childrenOf(node).toReversed());
  }
  const names = { [reserved.fuel]: cell, [reserved.spend]: spend };
  const value: unknown = runInNewContext(edits.apply().text, names);
  return { value, used: plenty - (cell[0] ?? 0) };
}

const used = (code: string): number => run(code).used;

/** Each calls itself until the stack is full, once. */
const recursions: Readonly<Record<string, string>> = {
  "a default value of an arrow function": "const f = (a = f()) => 1; f();",
  "a default value of a function": "function f(a = f()) {} f();",
  "a default value after others": "const f = (a, b = 2, c = f(b)) => 1; f();",
  "a default value of a method": "const o = { f(a = this.f()) {} }; o.f();",
  "a default value of a constructor": "class A { constructor(a = new A()) {} } new A();",
  "a default value of a setter": "const o = { set x([a = (this.x = [])]) {} }; o.x = [];",
  "a default value of a generator": "function* f(a = f()) {} f();",
  "a default value of an async generator": "async function* f(a = f()) {} try { f(); } catch {}",
  "a default value inside a pattern": "const f = ({ a = f({}) }) => 1; f({});",
  "a default value inside nested patterns":
    "const f = ({ a: [{ b = f({ a: [{}] }) }] }) => 1; f({ a: [{}] });",
  "a default value of a whole pattern": "const f = ({ a } = f()) => 1; f();",
  "a default value in a rest of an array": "const f = (...[a = f()]) => 1; f();",
  "a computed key of a pattern": "const f = ({ [f({})]: a }) => 1; f({});",
  "a class as a default value, by what it extends": "const f = (a = class extends f() {}) => 1; f();",
  "a class as a default value, by a computed key": "const f = (a = class { [f()]() {} }) => 1; f();",
  "a class as a default value, by a static field": "const f = (a = class { static x = f(); }) => 1; f();",
  "a field": "class A { x = new A(); } new A();",
  "a private field": "class A { #x = new A(); } new A();",
  "a field with a computed name": "class A { ['x'] = new A(); } new A();",
  "a field of an anonymous class": "const A = class { x = new A(); }; new A();",
  "a field whose value is a class": "class A { x = class extends new A() {}; } new A();",
  "a field whose function is called at once": "class A { x = (() => new A())(); } new A();",
  "a static block": "const f = () => { class A { static { f(); } } }; f();",
  "a getter": "const o = { get x() { return this.x; } }; o.x;",
  "a tag of a template": "const t = () => t`x`; t`x`;",
  "a computed key of an object": "const f = () => ({ [f()]: 1 }); f();",
  "a generator that delegates": "function* g() { yield* g(); } g().next();",
  "an async function": "let n = 0; const f = async () => { if (n++ < 1_000) await f(); }; f();",
};

suite("recursion costs fuel", () => {
  for (const [what, code] of Object.entries(recursions)) {
    test(`through ${what}`, () => {
      const fuel = used(`try { ${code} } catch {}`);
      assert.ok(fuel > 500, `it used ${fuel}`);
    });
  }
});

suite("fuel is as documented", () => {
  for (const [what, code, fuel] of [
    ["the entry of a function", "const f = () => 1; f(); f();", 2],
    ["a turn of a loop", "for (let i = 0; i < 5; i++); do {} while (false);", 6],
    ["a static block", "class A { static {} static { /* { */ 1; } static /* { */ {} }", 3],
    ["a default value that is computed", "const f = (a = 1 + 1) => a; f(); f(5);", 3],
    [
      "a field that is computed, of each instance",
      "class A { x = 1 + 1; static y = [1]; } new A(); new A();",
      3,
    ],
    [
      "nothing: a default value or field that is plain",
      "const g = 1; const f = (a = 1, b = g) => a; class A { x = 0; y; } new A(); f();",
      1,
    ],
    [
      "nothing: a default value or field that is a function",
      "const f = (a = () => 1) => 1; class A { x = function () {}; } new A(); f();",
      1,
    ],
  ] as const) {
    test(what, () => assert.equal(used(code), fuel));
  }
});

suite("a program with fuel means the same", () => {
  for (const [what, code, value] of [
    [
      "functions that are default values keep their names",
      "((a = () => 1, b = class {}, c = function () {}) => [a.name, b.name, c.name].join())()",
      "a,b,c",
    ],
    [
      "functions that are fields keep their names",
      "class A { x = () => 1; y = class { static z = 1; }; } const a = new A(); a.x.name + a.y.name",
      "xy",
    ],
    ["parameters count as before", "((a, b = 1 + 1, c) => 1).length", 1],
    [
      "default values see parameters before them, and this",
      "const f = function (a, b = [a, this.c]) { return b.join(); }; f.call({ c: 2 }, 1)",
      "1,2",
    ],
    [
      "fields see this and super",
      "class B { get v() { return 3; } } class A extends B { x = [super.v, this.v]; } new A().x.join()",
      "3,3",
    ],
    [
      "directives without a semicolon stay directives",
      `(function () { "use strict"\n return this; })()`,
      undefined,
    ],
    ["directives with one too", `(function () { "use strict"; return this; })()`, undefined],
    [
      "a loop and the function in it may end at the same character",
      "let g; for (let i = 0; i < 1; i++) g = (x) => x\ng(4)",
      4,
    ],
    ["sequences in brackets as default values", "((a = (1, 2)) => a)()", 2],
  ] as const) {
    test(what, () => assert.equal(run(code).value, value));
  }
});
