// Modules mean in a sandbox what they mean in every engine: how they are linked, evaluated and reloaded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { moduleGuestsIn } from "../support/module-guests.ts";
import { ask, refusalOf, runtimeForTests, type Sources } from "../support/reloading.ts";

const runtime = runtimeForTests();
const { create, valueOf } = moduleGuestsIn(runtime);

test("a module with a default import and a namespace in one statement has both", async () => {
  const modules = {
    main: 'import d, * as ns from "./b"; export const f = () => [d, ns.x, ns.default === d];',
    b: "export default 5; export const x = 6;",
  };
  assert.deepEqual(await valueOf(modules), [5, 6, true]);
});

test("functions are there across a cycle before their module is evaluated, other variables are not", async () => {
  const modules = {
    main: `import { seen, g } from "./b"; export function f() { return [seen, g()] }
      export const x = 3; export class K {} export default function () { return "d" } export var v = 4;`,
    b: `import { f, x, K, v } from "./main"; import d from "./main"; import * as ns from "./main";
      const told = (act) => { try { return act() } catch (error) { return error.name + ": " + error.message } };
      export const seen = [typeof f, d(), d.name, told(() => x), told(() => new K()), told(() => ns.x), told(() => v), told(() => typeof x)];
      export const g = () => [x, typeof K, v, ns.x];`,
  };
  const dead = (name: string): string => `ReferenceError: Cannot access '${name}' before initialization`;
  assert.deepEqual(await valueOf(modules), [
    ["function", "d", "default", dead("x"), dead("K"), dead("x"), undefined, dead("x")],
    [3, "function", 4, 3],
  ]);
});

test("an import that no module exports is refused with the module, the specifier and the names that exist", async () => {
  const missing = {
    main: 'import { nope } from "./b"; export const f = () => nope;',
    b: "export const x = 1, y = 2;",
  };
  const error = await refusalOf(create(missing), "LOAD_FAILED");
  assert.equal(error.phase, "link");
  assert.equal(
    error.message.includes('Cannot import "nope" from "./b" into "main" as that module exports x, y'),
    true,
  );
  const passed = { main: 'export { nope as f } from "./b";', b: "export default 1;" };
  assert.match(
    (await refusalOf(create(passed), "LOAD_FAILED")).message,
    /"nope" from "\.\/b" into "main".* default$/,
  );
  const isDefault = {
    main: 'import d from "./b"; export const f = () => d;',
    b: 'export * from "./c";',
    c: "export default 1",
  };
  assert.match(
    (await refusalOf(create(isDefault), "LOAD_FAILED")).message,
    /"default" from "\.\/b" .* exports nothing/,
  );
});

test("an import that two modules export by one name is refused; the same variable on two ways is not", async () => {
  const modules = (d: string): Sources => ({
    main: 'import { x } from "./b"; export const f = () => x;',
    b: 'export * from "./c"; export * from "./d";',
    c: "export const x = 1, y = 2;",
    d,
  });
  const error = await refusalOf(create(modules("export const x = 2;")), "LOAD_FAILED");
  assert.match(error.message, /"x" from "\.\/b" into "main" as several modules export it.*exports y$/);
  assert.equal(await valueOf(modules('export { x } from "./c";')), 1);
});

test("modules that export everything of each other do so once", async () => {
  const modules = {
    main: 'import * as b from "./b"; import { q, z } from "./c"; export const f = () => [Object.keys(b), q, z];',
    b: 'export * from "./c"; export const z = 1;',
    c: 'export * from "./b"; export * from "./c"; export const q = 4;',
  };
  assert.deepEqual(await valueOf(modules), [["q", "z"], 4, 1]);
});

test("a namespace is sealed, sorted and without prototype, and no other module can overwrite it", async () => {
  const modules = {
    main: `import * as ns from "./b"; import { a } from "./b";
      const told = (act) => { try { return act() } catch (error) { return error.name } };
      export const f = () => [Reflect.ownKeys(ns).map(String), Object.getPrototypeOf(ns), Object.isSealed(ns),
        ns[Symbol.toStringTag], told(() => { ns.a = 1 }), told(() => { delete ns.a }), told(() => { ns.extra = 1 }),
        told(() => Object.defineProperty(ns, "a", { value: 5 })), a, ns.a, "missing" in ns, ns.missing];`,
    b: 'export const z = 1; export const a = 2; const odd = 3; export { odd as "an odd name" };',
  };
  const keys = ["a", "an odd name", "z", "Symbol(Symbol.toStringTag)"];
  const errors = ["TypeError", "TypeError", "TypeError", "TypeError"];
  assert.deepEqual(await valueOf(modules), [keys, null, true, "Module", ...errors, 2, 2, false, undefined]);
});

test("what a module exports by default has the name that the language gives it", async () => {
  const sources = {
    default: [
      "export default () => 1",
      "export default (function () {})",
      "export default class {}",
      "export default function () {}",
      "export default async function* () {}",
      "export default function /* ( */ * () {}",
    ],
    own: [
      "export default function own() {}",
      "export default class own {}",
      "const own = () => 1; export default own",
      "export default class { static name = 'own' }",
    ],
  };
  for (const [name, all] of Object.entries(sources)) {
    for (const b of all) {
      const main =
        'import d from "./b"; export const f = () => [d.name, Object.getOwnPropertyNames(d).includes("name")];';
      assert.deepEqual(await valueOf({ main, b }), [name, true], b);
    }
  }
});

test("every way to write an exported variable is seen by those that import it", async () => {
  const writes = [
    "n = 7",
    "n += 7",
    "n ||= 7",
    "n ??= 7; n = 7",
    "[n] = [7]",
    "({ n } = { n: 7 })",
    "({ n = 7 } = {})",
    "({ a: n = 7 } = {})",
    "[...[n]] = [7]",
    "for (n of [1, 7]);",
    "for (n in { 7: 1 }) n = +n",
    "for ([n] of [[7]]) {}",
    "(n) = 7",
    "n = 6; ++n",
    "n = 6; n++",
    "const inner = () => { n = 7 }; inner()",
    "try { [n, m] = { [Symbol.iterator]: () => ({ i: 0, next() { if (this.i++) throw 1; return { value: 7 } } }) } } catch {}",
    "eval('n = 7')",
    "try { eval('n = 7; throw 1') } catch {}",
  ];
  for (const write of writes) {
    const modules = {
      main: 'import { n, change } from "./b"; import * as ns from "./b"; export const f = () => { change(); return [n, ns.n] };',
      b: `export let n = 0; let m; export const change = () => { ${write} }; export { n as same };`,
    };
    assert.deepEqual(await valueOf(modules), [7, 7], write);
  }
});

test("a variable of the same name that is not the exported one is left alone", async () => {
  const modules = {
    main: 'import { n, change } from "./b"; export const f = () => [change(), n];',
    b: `export let n = 1;
      export const change = () => [((n) => (n = 2))(0), (() => { let n; n = 3; return n })(), (() => { for (let n of [4]) n++; { class n { static x = 5 } } try { throw 6 } catch (n) { n = 7; return n } })(), (function n() { return typeof n })()];`,
  };
  assert.deepEqual(await valueOf(modules), [[2, 3, 7, "function"], 1]);
});

test("var is published wherever it is declared", async () => {
  const modules = {
    main: 'import { a, b, c, d, e } from "./b"; export const f = () => [a, b, c, d, e];',
    b: "if (true) { var a = 1 } for (var b = 0; b < 2; b++); for (var c of [1, 3]) ; { var { d } = { d: 4 } } export { a, b, c, d, e }; var e",
  };
  assert.deepEqual(await valueOf(modules), [1, 2, 3, 4, undefined]);
});

test("an import cannot be assigned to, in any way", async () => {
  const modules = {
    main: `import { x } from "./b"; import * as ns from "./b";
      const told = (act) => { try { act(); return "done" } catch (error) { return error.name + ": " + error.message } };
      export const f = () => [told(() => { x = 1 }), told(() => { x++ }), told(() => { [x] = [1] }), told(() => { for (x of [1]); }), told(() => { ns = 1 }), told(() => { x ||= 2 }), x];`,
    b: "export const x = 6;",
  };
  const refused = "TypeError: Assignment to constant variable.";
  assert.deepEqual(await valueOf(modules), [refused, refused, refused, refused, refused, "done", 6]);
});

test("import() waits for a module that is still being evaluated, and siblings of one that awaits go on", async () => {
  const modules = {
    main: 'import "./slow"; import "./quick"; import { log } from "./log"; log.push("main"); export const f = () => log;',
    slow: 'import { log } from "./log"; log.push("slow begins"); await 0; log.push("slow ends"); const late = await import("./late"); log.push(late.x);',
    quick: 'import { log } from "./log"; log.push("quick");',
    log: "export const log = [];",
    late: 'export const x = "late"; await new Promise((done) => setTimeout(done, 1));',
  };
  assert.deepEqual(await valueOf(modules), ["slow begins", "quick", "slow ends", "late", "main"]);
});

test("for await and await using are waited for at the top level", async () => {
  const modules = {
    main: `import { total } from "./b"; export const f = () => total;`,
    b: "export let total = 0; for await (const n of [1, Promise.resolve(2)]) total += n; { await using x = { [Symbol.asyncDispose]: async () => { total += 10 } } }",
  };
  assert.equal(await valueOf(modules), 13);
});

test("a reload that drops a name which a dependent imports is refused, and nothing changes", async () => {
  await using sandbox = await create({
    main: 'import { x } from "./b"; export const f = () => x;',
    b: "export const x = 1; export const y = 2;",
  });
  const error = await refusalOf(sandbox.hotReload({ b: "export const y = 3;" }), "LOAD_FAILED");
  assert.match(error.message, /"x" from "\.\/b" into "main" as that module exports y/);
  assert.equal(await ask(sandbox, "main.f"), 1);
});

test("a namespace that is kept aside follows reloads as long as the names are the same", async () => {
  const b = (tag: number): string => `export let tag = ${tag}; export const set = (n) => { tag = n };`;
  await using sandbox = await create({
    main: 'import * as ns from "./b"; const kept = ns; export const f = () => [kept.tag, ns.tag, kept === ns];',
    b: b(1),
  });
  await sandbox.hotReload({ b: b(2) });
  assert.deepEqual(await ask(sandbox, "main.f"), [2, 2, true]);
  await ask(sandbox, "b.set", 9);
  assert.deepEqual(await ask(sandbox, "main.f"), [9, 9, true]);
  await sandbox.hotReload({ b: `${b(3)} export const more = 1;` });
  assert.deepEqual(await ask(sandbox, "main.f"), [9, 3, false]);
});
