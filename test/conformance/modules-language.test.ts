// Modules mean in a sandbox what they mean in every engine: how their source is read and shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { moduleGuestsIn } from "../support/module-guests.ts";
import { ask, refusalOf, runtimeForTests } from "../support/reloading.ts";

const runtime = runtimeForTests();
const { create, valueOf } = moduleGuestsIn(runtime);

test("a top-level await takes an expression in brackets of any kind, and one without", async () => {
  for (const extension of ["", ".js", ".mjs", ".ts"]) {
    const modules = {
      [`main${extension}`]: `
        const x = [1, 2];
        const all = [await (/x/.test("x")), await ({ a: 1 }), await ([...x]), await /y/.test("x"), await [3]];
        export default () => all;`,
    };
    await using sandbox = await create(modules);
    const value = await ask(sandbox, `main${extension}.default`);
    assert.deepEqual(value, [true, { a: 1 }, [1, 2], false, [3]], extension);
  }
});

test("a module may begin with #!, and what follows keeps its line", async () => {
  await using sandbox = await create({
    main: "#!/usr/bin/env node\nexport const f = () => { throw new Error('x') }",
  });
  const outcome = await sandbox.call("main.f");
  assert.ok(!outcome.ok && outcome.error.kind === "crashed");
  assert.match(outcome.error.thrown?.stack ?? "", /at f \(main:2:32\)/);
});

test("an import named __proto__ in an object literal is a property", async () => {
  const modules = {
    main: 'import { __proto__ } from "./b"; export const f = () => Object.keys({ __proto__ });',
    b: "const q = 1; export { q as __proto__ };",
  };
  assert.deepEqual(await valueOf(modules), ["__proto__"]);
});

test("JavaScript is read as JavaScript, TypeScript as TypeScript, by the name of the module or by what it holds", async () => {
  const compared =
    "const f2 = 1, a = 2, b = 3, c = 4; const g = (...all) => all; export const f = () => g(f2<a,b>(c));";
  assert.deepEqual(await valueOf({ main: compared }), [true, false]);
  const isCall =
    "const f2 = <T, U>(n: number) => n; type a = 1; type b = 2; const c = 4; const g = (...all: number[]) => all; export const f = () => g(f2<a,b>(c));";
  assert.deepEqual(await valueOf({ main: isCall }), [4]);
  await using sandbox = await create({
    "set.js":
      "export const f = () => { const o = { set x(v = 1) { this.y = v } }; o.x = undefined; return o.y };",
    "cast.ts": "export const f = () => <number>5;",
  });
  assert.deepEqual([await ask(sandbox, "set.js.f"), await ask(sandbox, "cast.ts.f")], [1, 5]);
  for (const name of ["main.js", "main.mjs"]) {
    const error = await refusalOf(create({ [name]: "export const x: number = 1;" }), "PARSE_FAILED");
    assert.equal(error.diagnostics[0]?.line, 1);
  }
});

test("octal escapes and literals are refused, in TypeScript too", async () => {
  for (const source of [
    String.raw`export const a = "\01";`,
    "export const a = 010;",
    String.raw`export const a = "\8";`,
  ]) {
    for (const name of ["main", "main.js", "main.ts"])
      await refusalOf(create({ [name]: source }), "PARSE_FAILED");
  }
  await refusalOf(create({ main: String.raw`const n: number = 1; export const a = "\01";` }), "PARSE_FAILED");
});

test("Function.prototype.toString shows the source as it was written, with fuel and without", async () => {
  const functions = [
    "function a(x, /* c */ y) { n++; for (const i of [1]) n += i; while (false) ; return import.meta.url + x }",
    "(b) => { n = b; [n] = [1]; ({ n } = { n: 2 }); return import(b) }",
    "c => d => c + d + n++",
    "class E { #x = 1; static { n = 5 } m() { return this.#x } get [n = 3]() { return 1 } }",
    "async function* g() { for await (const x of []) yield x; return arguments }",
  ];
  const main = `export let n = 0; const all = [${functions.join(", ")}]; export const f = () => all.map(String);`;
  for (const fuel of [null, 10_000]) assert.deepEqual(await valueOf({ main }, fuel), functions);
  const isEval = "() => eval('n = 4')";
  assert.equal(
    await valueOf({
      main: `export let n = 0; const all = ${isEval}; export const f = () => all.toString();`,
    }),
    isEval,
  );
  const own =
    "export const f = () => [Function.prototype.toString.toString(), Function.prototype.toString.name]";
  assert.deepEqual(await valueOf({ main: own }), ["function toString() { [native code] }", "toString"]);
  const anonymous =
    "export const f = () => self.toString(); import self from './main'; export default function () { return  1 }";
  assert.equal(await valueOf({ main: anonymous }), "function () { return  1 }");
});

test("a function that is assigned to an exported variable gets its name", async () => {
  const modules = {
    main: "export let a, b, c; a = () => 1; [b = function () {}] = []; ({ c = class {} } = {}); export const f = () => [a.name, b.name, c.name];",
  };
  assert.deepEqual(await valueOf(modules), ["a", "b", "c"]);
});

test("no name of the rewriting can be reached or seen", async () => {
  const names = [
    "fuel__",
    "spend__",
    "publish",
    "import",
    "arguments",
    "zone",
    "writes",
    "constant",
    "publish_all",
    "default",
  ];
  const modules = {
    main: `import "./b"; export let n = 0; n = 1; export default function () {}
      const prefix = "__viv" + "arium_";
      export const f = () => ${JSON.stringify(names)}.map((name) => eval("typeof " + prefix + name)).concat(eval('eval("typeof " + prefix + "fuel__")'));
      export const stack = () => { try { null.x } catch (error) { return error.stack } };
      export const early = () => eval("n = 2, new Error('x').stack");`,
    b: 'import { n, f } from "./main"; export let told; try { n } catch (error) { told = error.stack }',
  };
  await using sandbox = await create(modules);
  assert.deepEqual(new Set(await ask<string[]>(sandbox, "main.f")), new Set(["undefined"]));
  const stacks = await sandbox.run((all) => [
    (all["b"] as never)["told"],
    (all["main"] as { stack: () => string }).stack(),
  ]);
  assert.ok(stacks.ok);
  assert.doesNotMatch(JSON.stringify([stacks.value, await ask(sandbox, "main.early")]), /vivarium_/);
});

test("what is only an operator in a module is no comment", async () => {
  assert.deepEqual(await valueOf({ main: "let y = 2; const x = 0; export const f = () => [x<!--y, y];" }), [
    false,
    1,
  ]);
});

test("a semicolon that is left out stays where the language puts it", async () => {
  const modules = {
    main: `import { a } from "./b"
(() => {})()
export const g = (n) => { return n }
(a)
export let k = () => 1
[1].length
export default class { }
(0)
export { a }
(1)
export const f = () => [typeof g, k.length, a]`,
    b: "export const a = 1",
  };
  assert.deepEqual(await valueOf(modules).catch((error: unknown) => String(error)), ["function", 0, 1]);
});

test("import() reads of its attributes those that are enumerable texts by key, and nothing else", async () => {
  const main = `
    const read = [];
    const attributes = new Proxy({ [Symbol()]: 1, shown: "a" }, {
      get: (target, key) => { read.push(key); return target[key]; },
    });
    Object.defineProperty(attributes, "hidden", { value: 1, configurable: true });
    export const f = async () => {
      await import("./other", { with: attributes });
      return [read, await import("./other", { with: { a: 1 } }).catch(String)];
    };`;
  assert.deepEqual(await valueOf({ main, other: "" }), [
    ["shown"],
    "TypeError: Import attribute values must be strings",
  ]);
});

test("a FinalizationRegistry has the prototype that the language gives it", async () => {
  const main = `
    function Target() {}
    Target.prototype = null;
    class Sub extends FinalizationRegistry {}
    export const f = () => {
      const made = Reflect.construct(FinalizationRegistry, [() => {}], Target);
      made.register({}, 1);
      let refused; try { FinalizationRegistry(() => {}); } catch (error) { refused = error.name; }
      const { name, length, prototype } = FinalizationRegistry;
      return [
        Object.getPrototypeOf(made) === prototype, prototype.constructor === FinalizationRegistry, refused, name, length,
        Object.getPrototypeOf(new Sub(() => {})) === Sub.prototype, new Sub(() => {}).unregister({}),
      ];
    };`;
  const expected = [true, true, "TypeError", "FinalizationRegistry", 1, true, false];
  assert.deepEqual(await valueOf({ main }), expected);
});
