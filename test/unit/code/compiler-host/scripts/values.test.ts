// The value of a script is what `eval` gives for the same statements, as Node itself evaluates them.
import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { rolldownBackend } from "../../../../../src/code/compiler-host/backends/rolldown.ts";
import { compileModule } from "../../../../../src/code/compiler-host/pipeline.ts";
import { reserved } from "../../../../../src/model/code/reserved.ts";

type Script = "script" | "kept";

async function compiled(source: string, script: Script, isMetered: boolean): Promise<string> {
  const task = { t: "module", id: 1, name: "script", source, isMetered, script } as const;
  const result = await compileModule(task, rolldownBackend);
  assert.ok("code" in result, `${source}: ${JSON.stringify(result)}`);
  return result.code;
}

// As the guest runtime does, for a script that awaits nothing.
async function valueIn(
  context: vm.Context,
  source: string,
  { script = "script", isMetered = false }: { readonly script?: Script; readonly isMetered?: boolean } = {},
): Promise<unknown> {
  const code = await compiled(source, script, isMetered);
  const body = `(function(${reserved.publish},${reserved.fuel}){"use strict";return ${code}})`;
  const globals = vm.runInContext("globalThis", context) as Record<string, unknown>;
  const make = vm.runInContext(body, context) as (
    publish: unknown,
    fuel: unknown,
  ) => (args: unknown[]) => () => Generator;
  const publish = (verb: number, first: string | string[], second: unknown): void => {
    const define = (name: string, value: unknown, writable: boolean): void =>
      void Object.defineProperty(globals, name, { value, writable, configurable: true, enumerable: true });
    if (verb === 0) for (const name of first) define(name, globals[name], true);
    else if (verb === 1) define(String(first), second, true);
    else define(String(first), globals[String(first)], false);
  };
  const running = make(publish, [1e9])([])();
  running.next();
  return running.next().value as unknown;
}

const asText = (value: unknown): string => (typeof value === "function" ? `function` : JSON.stringify(value));

const snippets = [
  "",
  "1",
  "1; 2",
  "1\n2\n",
  "'a' + 'b'",
  "1; var x = 2",
  "1; let x = 2",
  "1; function f() {}",
  "1; class A {}",
  "1; ;",
  "1; {}",
  "{ 1; { 2 } }",
  "1; if (true) { 2 }",
  "1; if (true) {}",
  "1; if (false) 2",
  "1; if (false) 2; else 3",
  "1; if (false) 2; else if (true) {} else 4",
  "for (let i = 0; i < 3; i++) i",
  "for (let i = 0; i < 3; i++) if (i < 2) i",
  "for (let i = 0; i < 3; i++) { i; if (i > 1) {} }",
  "for (const x of [1, 2]) x * 2",
  "for (const k in { a: 1 }) k",
  "1; for (const x of []) x",
  "1; while (false);",
  "let n = 0; while (n < 3) n++",
  "let n = 0; do { n++ } while (n < 3)",
  "let n = 0; do n++; while (n < 3) n * 10",
  "1; do { 2; break; 3 } while (true)",
  "1; do { break } while (true)",
  "for (let i = 0; ; i++) { if (i === 2) break; i }",
  "let i = 0; do { i++; if (i < 3) continue; 'end ' + i } while (i < 3)",
  "a: for (;;) { for (;;) { 5; break a } }",
  "a: { 1; break a; 2 }",
  "a: for (const x of [1, 2, 3]) { for (const y of [1, 2]) { if (x * y === 4) break a; x * y } }",
  "switch (2) { case 1: 1; case 2: 2; case 3: 3; break; default: 4 }",
  "1; switch (9) { case 1: 1 }",
  "switch (1) { case 1: { 7 } }",
  "try { 1 } catch { 2 }",
  "try { throw 1 } catch (e) { e + 1 }",
  "try { 1; throw 2 } catch {}",
  "5; try { 1; throw 2 } catch { var x }",
  "try { 1; throw 2 } catch{3}",
  "try { 1; throw 2 } catch (e) { if (false) 4 }",
  "try { 1; throw 2 } catch {} finally { 3 }",
  "a: try { 1; throw 2 } catch { break a }",
  "for (const x of [1, 2]) try { x; throw x } catch {}",
  "try { try { 1; throw 2 } catch { throw 3 } } catch {}",
  "try { 1 } finally { 2 }",
  "1; try {} finally { 2 }",
  "try { try { throw 1 } finally { 2 } } catch { 3 }",
  "'use strict'; 4",
  "'use strict'",
  "({ a: 1, b: [2] })",
  "[1, 2].map((x) => x * 2)",
  "1, 2",
  "(() => 5)()",
  "(function () { return 6 })()",
  "let a = 1\n;[2, 3].forEach((x) => (a += x))\na",
  "let a = 1, b = 2;\n[a, b] = [b, a];\n[a, b]",
  "`t${1 + 1}`",
  "/a+/.exec('caat')[0]",
  "const f = (n) => (n < 2 ? n : f(n - 1) + f(n - 2)); f(10)",
  "var x = 1; x++; x",
  "x = 5; var x",
  "if (true) { var hidden = 3 } hidden",
  "for (var i = 0; i < 3; i++);\ni",
  "for (var k of ['a', 'b']);\nk",
  "for (var k in { z: 1 });\nk",
  "for (var { p, q = 2 } of [{ p: 1 }]);\n[p, q]",
  "var { p, q: [r = 4] } = { p: 3, q: [] }; [p, r]",
  "let { length } = 'four'; length",
  "hoisted(); function hoisted() { return 'early' }",
  "function f() { return 1 }\n(f)()",
  "class A { static s = 1; m() { return A.s } }\nnew A().m()",
  "function* g() { yield 1; yield 2 }\n[...g()]",
  "const m = new Map([[1, 2]]); [...m]",
  "(() => {}).name",
  "const named = () => {}; named.name",
  "let other = function () {}; other.name",
  "(class {}).name",
  "() => 1",
  "function f(a) { return a }\nf",
  "1 // the end",
  "1 /* the end */",
  "var a\n= 1\na",
  "if (1) var single = 2\nsingle",
  "if (0) for (;;) var looped = 1\nelse 7",
  "if (1) for (var t = 0; t < 2; t++) var turn = t\nelse 7\nturn",
  "if (0) while (1) 1\nelse 8",
  "for (const x of [1, 2]) for (const y of [3]) x * y",
  "for (const x of [1, 2]) a: for (;;) { x; break a }",
  "do var done = 1\nwhile (0)\ndone",
  "label: var labelled = 2\nlabelled",
  "switch (1) { case 1: var cased = 8 }\ncased",
  "let async = 1; async",
  "for (var async of [7]);\nasync",
  "var of = 3; of",
  "typeof missing",
  "this === undefined",
  "(function () { return this === undefined })()",
] as const;

/** Module code is strict, `this` is undefined in it, and the rest is as it is in any code. */
const asEval = (source: string): string =>
  `(function () { "use strict"; return eval(${JSON.stringify(source)}) }).call(undefined)`;

for (const script of ["script", "kept"] as const)
  for (const isMetered of [false, true])
    test(`the value of a ${script} is that of eval, ${isMetered ? "with" : "without"} fuel`, async () => {
      for (const source of snippets) {
        const expected = vm.runInContext(asEval(source), vm.createContext()) as unknown;
        const value = await valueIn(vm.createContext(), source, { script, isMetered });
        assert.equal(asText(value), asText(expected), source);
      }
    });

test("an object alone is an object and not a block", async () => {
  for (const [source, value] of [
    ["{ a: 1 }", { a: 1 }],
    ["{}", {}],
    ["// first\n{ a: 1,\n b: { c: [2] } }\n", { a: 1, b: { c: [2] } }],
    ["{ a: (() => 4)() }", { a: 4 }],
    ["{ a: 1 };", 1],
    ["{ 1 }", 1],
  ] as const)
    assert.equal(asText(await valueIn(vm.createContext(), source)), asText(value), source);
});

test("what one script declares the next one sees, changes and declares again", async () => {
  const context = vm.createContext();
  const steps: readonly (readonly [source: string, value: unknown])[] = [
    ["const rate = 2; let n = 1; function twice(x) { return x * rate }\nclass P { v = n }", undefined],
    ["[twice(4), n, new P().v]", [8, 1, 1]],
    ["const rate = 5", undefined],
    ["twice(4)", 20],
    ["n += 2; n", 3],
    ["function twice(x) { return 'other ' + x }", undefined],
    ["twice(1)", "other 1"],
    ["let { a, b = a } = { a: 1 }, c", undefined],
    ["[a, b, typeof c]", [1, 1, "undefined"]],
    ["try { rate = 1 } catch (e) { e.name }", "TypeError"],
    ["const n = n + 1; n", 4],
  ];
  for (const [source, value] of steps)
    assert.equal(asText(await valueIn(context, source, { script: "kept" })), asText(value), source);
});

test("a function that is kept has its own name and text", async () => {
  const context = vm.createContext();
  await valueIn(context, "async function  go ( a ) { return a }", { script: "kept" });
  assert.equal(await valueIn(context, "go.constructor.name", { script: "kept" }), "AsyncFunction");
});
