// Scripts that try to get out of the function they run in, to confuse the compiler, or to reach what is not theirs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { reservedPrefix } from "../../src/model/code/reserved.ts";
import type { Outcome } from "../../src/index.ts";
import { failureOf, valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const sandbox = await runtime.create({ modules: { main: "export const secret = 1;" } });
const session = await runtime.session();

/** Each way that a script takes. */
const ways: Readonly<Record<string, (source: string) => Promise<Outcome>>> = {
  once: (source) => runtime.once(source),
  run: (source) => sandbox.run(source),
  session: (source) => session.run(source),
};

const unbalanced = [
  "})(); globalThis.out = 1; (function* () {",
  "}); out(); ({",
  "} catch { 1 } finally {",
  "} } } 1",
  "{{{ 1",
  "return 1 }; function* x() {",
  "]; out(); [",
  ")]; out(); [(",
  "1)]; out(); [(2",
  "`",
  "`${",
  "/* open",
  "'open",
  "/open",
  "1 /* \u0001*/ */",
  "*/ 1 /*",
  "yield 1",
  "yield",
  "break",
  "continue",
  "break out; ",
  "super.x",
  "new.target",
  "let await = 1",
  "await: 1",
  "function await() {}",
  "let arguments = 1",
  "eval = 1",
  "let x; let x",
  "with ({}) {}",
  "010",
  "if (1) import x from 'main'",
  "{ import 'main' }",
  "() => { import x from 'main' }",
  "let yield = 1",
  "let let = 1",
  "class A { static { return 1 } }",
  "class A { x = await 1 }",
  "async () => { yield 1 }",
  "delete secret",
  "<div>{</div>",
];

test("what is no program by itself is refused as such, and never closes what is around it", async () => {
  for (const [way, run] of Object.entries(ways))
    for (const source of unbalanced) {
      const { kind, diagnostics = [] } = failureOf(await run(source));
      assert.equal(kind, "compile", `${way}: ${source}`);
      assert.equal(diagnostics.length > 0, true, source);
    }
  assert.equal(valueOf(await session.run("typeof out")), "undefined");
});

test("names of the compiler can neither be used nor seen", async () => {
  for (const run of Object.values(ways)) {
    for (const source of [
      `${reservedPrefix}result`,
      `let ${reservedPrefix}result = [1]`,
      `__vivarium_publish(0, ["x"])`,
      String.raw`\u005f_vivarium_publish(1, "x", 2)`,
      `globalThis["${reservedPrefix}publish"]`,
    ])
      assert.equal(failureOf(await run(source)).kind, "compile", source);
    const text = valueOf(
      await run(`function shown(a) { return a }
const arrow = () => { for (;;) break; return arguments };
let frames = "";
try { null.x } catch (error) { frames = error.stack }
String(shown) + String(arrow) + frames + Object.getOwnPropertyNames(globalThis).join()`),
    );
    assert.doesNotMatch(String(text), /__vivarium|isolated-vm/);
    assert.match(String(text), /^function shown\(a\) \{ return a \}/);
  }
});

test("the text of a page or another tool's is only text", async () => {
  for (const run of Object.values(ways)) {
    assert.equal(valueOf(await run(`"</script><!-- " + "--> ]]>"`)), "</script><!-- --> ]]>");
    assert.equal(valueOf(await run("let a = 1, b = 2;\na<!--b\n+ a")), false);
    assert.equal(valueOf(await run("1\r\n2\u2028")), 2);
    assert.equal(valueOf(await run("\uFEFF3")), 3);
  }
});

test("names that mean something elsewhere are names", async () => {
  const source = `let constructor = 1, toString = 2, valueOf = 3, __proto__ = 4, hasOwnProperty = 5;
let args = 6, async = 7, of = 8, get = 9, set = 10, from = 11, module = 12, exports = 13, require = 14, process = 15;
const name = 16, console = 17, Object = 18, Promise = 19, Symbol = 20, Array = 21, Error = 22;
[constructor, toString, valueOf, __proto__, hasOwnProperty, args, async, of, get, set, from, module, exports, require,
  process, name, console, Object, Promise, Symbol, Array, Error].join()`;
  const expected = Array.from({ length: 22 }, (_, index) => index + 1).join();
  for (const form of ["once", "run"] as const)
    assert.equal(valueOf((await ways[form]?.(source)) as Outcome), expected);
  await using own = await runtime.session();
  assert.equal(valueOf(await own.run(source)), expected);
  assert.equal(
    valueOf(await own.run("let globalThis = 23, undefinedNot; [globalThis, Error, args].join()")),
    "23,22,6",
  );
  for (const name of ["undefined", "NaN", "Infinity"]) {
    const { kind, message } = failureOf(await own.run(`1;\nvar ${name} = 1`));
    assert.deepEqual([kind, message.endsWith(":2:5)")], ["compile", true], message);
  }
  assert.equal(
    valueOf(await own.run("async function f() { await 1; return [Array, typeof undefined].join() }\nf()")),
    "21,undefined",
  );
});

test("a session whose global object was frozen or trapped is its own script's failure", async () => {
  await using own = await runtime.session();
  valueOf(await own.run("Object.defineProperty(globalThis, 'fixed', { value: 1 }); 0"));
  assert.match(failureOf(await own.run("let fixed = 2")).message, /Cannot redefine property: fixed/);
  valueOf(
    await own.run(
      "Object.defineProperty(globalThis, 'odd', { get() { throw 'trap' }, configurable: true }); 0",
    ),
  );
  assert.equal(failureOf(await own.run("let odd = 2")).kind, "crashed");
  valueOf(await own.run("Object.preventExtensions(globalThis); 0"));
  assert.equal(failureOf(await own.run("let later = 2")).kind, "crashed");
  assert.equal(valueOf(await own.run("1 + 1")), 2);
});

test("scripts that break the language's own functions are answered all the same", async () => {
  await using own = await runtime.session();
  valueOf(
    await own.run(`Object.defineProperty(Object.prototype, "value", { get() { throw "trap" }, set() { throw "trap" } });
for (const it of [Array.prototype, Object.prototype, Map.prototype, Promise.prototype, Function.prototype,
  Object.getPrototypeOf(function* () {}).prototype, Reflect, Object])
  for (const key of Object.getOwnPropertyNames(it))
    try { if (typeof it[key] === "function" && key !== "constructor") it[key] = () => { throw "broken" } } catch {}
0`),
  );
  assert.equal(valueOf(await own.run("let a = 1; const b = 2; function f() { return a + b }\nf()")), 3);
  assert.equal(valueOf(await own.run("const c = await f(); c + a")), 4);
});

test("a very long script and ten thousand declarations are run", async () => {
  const long = `${"let total = 0;\n"}${"total += 1;\n".repeat(20_000)}total`;
  const many = `${Array.from({ length: 10_000 }, (_, i) => `const name${i} = ${i};`).join("\n")}\nname9999`;
  for (const run of Object.values(ways)) {
    assert.equal(valueOf(await run(long)), 20_000);
    assert.equal(valueOf(await run(many)), 9_999);
  }
  assert.equal(valueOf(await session.run("name1234")), 1_234);
  const nested = `${"if (1) ".repeat(2_000)}5`;
  const outcome = await runtime.once(nested);
  if (outcome.ok) assert.equal(outcome.value, 5);
  else assert.equal(outcome.error.kind, "compile");
});

test("the gate sees scripts as it sees modules", async () => {
  await using strict = await runtime.session({ profile: "high" });
  for (const source of ["import 'node:fs'; 1", "await import('node:fs')"]) {
    for (const run of [...Object.values(ways), (text: string) => strict.run(text)]) {
      const { kind, diagnostics } = failureOf(await run(source));
      assert.equal(kind, "rejected", source);
      assert.match(diagnostics?.[0]?.module ?? "", /^script/);
    }
  }
});
