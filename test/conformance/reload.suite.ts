// What new code in a running sandbox means for the modules around it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sandbox } from "../../src/index.ts";
import { ask, failureKind, refusalOf, type Sources, type TestedBackend } from "../support/reloading.ts";
import { until } from "../support/waiting.ts";
import type { Runtime } from "../../src/index.ts";

export function reloadSuite(backend: TestedBackend, runtime: { readonly current: Runtime }): void {
  const create = (modules: Sources): Promise<Sandbox> => runtime.current.create({ modules });

  test(`${backend}: a dependent sees the new function without being evaluated again`, async () => {
    await using sandbox = await create({
      main: `import { price as cost } from "./price"; import * as all from "./price"; import fallback from "./price";
        let evaluated = 0; evaluated++;
        export const total = (n) => [cost(n), all.price(n), fallback(n), evaluated++];`,
      price: "export const price = (n) => n * 2; export default (n) => -n;",
    });
    assert.deepEqual(await ask(sandbox, "main.total", 10), [20, 20, -10, 1]);
    await sandbox.hotReload({ price: "export const price = (n) => n * 3; export { price as default };" });
    assert.deepEqual(await ask(sandbox, "main.total", 10), [30, 30, 30, 2]);
  });

  test(`${backend}: only the reloaded module's variables are initialized again`, async () => {
    const counting = (step: number) => `let n = 0; export const next = () => (n += ${step});`;
    await using sandbox = await create({
      a: counting(1),
      b: counting(1),
      main: `import * as a from "./a"; import * as b from "./b"; let n = 0;
        export const next = () => [a.next(), b.next(), ++n];`,
    });
    await ask(sandbox, "main.next");
    assert.deepEqual(await ask(sandbox, "main.next"), [2, 2, 2]);
    await sandbox.hotReload({ b: counting(10) });
    assert.deepEqual(await ask(sandbox, "main.next"), [3, 10, 3]);
  });

  test(`${backend}: a running call finishes in old code while new calls run the new`, async () => {
    const version = (tag: string) => `
      import { isOpen } from "./gate";
      const tag = "${tag}"; const inner = () => tag;
      export const slow = async () => {
        const before = inner();
        console.log("inside");
        while (!isOpen()) await new Promise((resolve) => setTimeout(resolve, 1));
        return [before, inner(), tag];
      };
      export const quick = () => tag;`;
    await using sandbox = await create({
      main: version("old"),
      gate: "let open = false; export const isOpen = () => open; export const release = () => { open = true };",
    });
    const running = ask(sandbox, "main.slow");
    await until("the call is inside", async () => (await sandbox.logs()).length > 0);
    await sandbox.hotReload({ main: version("new") });
    assert.equal(await ask(sandbox, "main.quick"), "new");
    await ask(sandbox, "gate.release");
    assert.deepEqual(await running, ["old", "old", "old"]);
    assert.deepEqual(await ask(sandbox, "main.slow"), ["new", "new", "new"]);
  });

  test(`${backend}: a call that never yields is waited for, and the reload comes after it`, async () => {
    await using sandbox = await create({
      main: "export const spin = (ms) => { const end = Date.now() + ms; while (Date.now() < end); return 'old' }",
    });
    await ask(sandbox, "main.spin", 50);
    const running = sandbox.call("main.spin", { args: [150] });
    const reloading = sandbox.hotReload({ main: "export const spin = () => 'new'" });
    const outcome = await running;
    assert.ok(outcome.ok && outcome.value === "old");
    await reloading;
    assert.equal(await ask(sandbox, "main.spin", 1), "new");
  });

  test(`${backend}: modules that import each other are reloaded singly and together`, async () => {
    const even = (tag: string) => `import { isOdd } from "./odd"; export const tag = "${tag}";
      export function isEven(n) { return n === 0 ? "even " + tag : isOdd(n - 1) }`;
    const odd = (
      tag: string,
    ) => `import { isEven, tag as other } from "./even"; export const both = () => "${tag}" + other;
      export function isOdd(n) { return n === 0 ? "odd ${tag}" : isEven(n - 1) }`;
    await using sandbox = await create({ even: even("1"), odd: odd("1") });
    assert.deepEqual(
      [await ask(sandbox, "even.isEven", 10), await ask(sandbox, "even.isEven", 7)],
      ["even 1", "odd 1"],
    );
    await sandbox.hotReload({ odd: odd("2") });
    assert.deepEqual([await ask(sandbox, "even.isEven", 7), await ask(sandbox, "odd.both")], ["odd 2", "21"]);
    await sandbox.hotReload({ even: even("3"), odd: odd("3") });
    assert.deepEqual([await ask(sandbox, "odd.isOdd", 7), await ask(sandbox, "odd.both")], ["even 3", "33"]);
    await sandbox.restart();
    assert.deepEqual([await ask(sandbox, "odd.isOdd", 7), await ask(sandbox, "odd.both")], ["even 3", "33"]);
  });

  test(`${backend}: modules that import each other and are new come in one reload`, async () => {
    await using sandbox = await create({ main: "export const f = () => 'alone'" });
    await sandbox.hotReload({
      ping: `import { pong } from "./pong"; export function ping(n) { return n === 0 ? "ping" : pong(n - 1) }`,
      pong: `import { ping } from "./ping"; export function pong(n) { return n === 0 ? "pong" : ping(n - 1) }`,
      main: `import { ping } from "./ping"; export const f = () => ping(5)`,
    });
    assert.equal(await ask(sandbox, "main.f"), "pong");
  });

  test(`${backend}: a module may import itself`, async () => {
    const main = (tag: string) =>
      `import * as self from "./main"; export const tag = "${tag}"; export const f = () => self.tag;`;
    await using sandbox = await create({ main: main("one") });
    assert.equal(await ask(sandbox, "main.f"), "one");
    await sandbox.hotReload({ main: main("two") });
    assert.equal(await ask(sandbox, "main.f"), "two");
  });

  test(`${backend}: export * follows names that come and go, through any number of modules`, async () => {
    await using sandbox = await create({
      top: `export * from "./middle"; export const own = () => "top";`,
      middle: `export * from "./base";`,
      base: `export const a = () => "a1"; export const own = () => "base"; export default 1;`,
    });
    assert.deepEqual([await ask(sandbox, "top.a"), await ask(sandbox, "top.own")], ["a1", "top"]);
    assert.equal(await failureKind(sandbox, "top.default"), "not-found");
    await sandbox.hotReload({ base: `export const b = () => "b2"; export const own = () => "base";` });
    assert.deepEqual([await ask(sandbox, "top.b"), await ask(sandbox, "top.own")], ["b2", "top"]);
    assert.equal(await failureKind(sandbox, "top.a"), "not-found");
    await sandbox.rollback("base", 1);
    assert.equal(await ask(sandbox, "top.a"), "a1");
    assert.equal(await failureKind(sandbox, "top.b"), "not-found");
  });

  test(`${backend}: export * follows whatever the order in which the modules came`, async () => {
    await using sandbox = await create({
      base: `export const a = () => 1`,
      top: `export const z = 1`,
      middle: "export {}",
    });
    await sandbox.hotReload({ middle: null });
    await sandbox.hotReload({ top: `export * from "./middle"`, middle: `export * from "./base"` });
    assert.equal(await ask(sandbox, "top.a"), 1);
    await sandbox.hotReload({ base: `export const a = () => 2; export const b = () => 3` });
    assert.deepEqual([await ask(sandbox, "top.a"), await ask(sandbox, "top.b")], [2, 3]);
  });

  test(`${backend}: modules that re-export each other's names drop a name that was removed`, async () => {
    await using sandbox = await create({
      left: `export * from "./right"; export const l = () => "l";`,
      right: `export * from "./left"; export const r = () => "r"; export const x = () => "x";`,
    });
    assert.deepEqual([await ask(sandbox, "left.x"), await ask(sandbox, "right.l")], ["x", "l"]);
    await sandbox.hotReload({ right: `export * from "./left"; export const r = () => "r2";` });
    assert.deepEqual([await ask(sandbox, "left.r"), await ask(sandbox, "right.l")], ["r2", "l"]);
    assert.equal(await failureKind(sandbox, "left.x"), "not-found");
    assert.equal(await failureKind(sandbox, "right.x"), "not-found");
  });

  test(`${backend}: a new module's imports that come back to it through one that stays mean its new variables`, async () => {
    await using sandbox = await create({
      main: "export const old = 1;",
      through: `export * from "./main"; export * as space from "./main";`,
      again: `export { old as first } from "./main";`,
    });
    const main = `import { a as b, space } from "./through"; import { first } from "./again";
      export let a = "x"; let early; try { first } catch (error) { early = error.name } export const old = 2;
      export const peek = () => [b, first, space.a, early];`;
    await sandbox.hotReload({ main });
    assert.deepEqual(await ask(sandbox, "main.peek"), ["x", 2, "x", "ReferenceError"]);
  });

  test(`${backend}: modules come and go; what is still imported cannot be taken away`, async () => {
    await using sandbox = await create({
      main: `import { x } from "./old"; export const f = () => x;`,
      old: "export const x = 1",
    });
    const error = await refusalOf(sandbox.hotReload({ old: null }), "LOAD_FAILED");
    assert.equal(error.phase, "link");
    assert.equal(await ask(sandbox, "main.f"), 1);
    const report = await sandbox.hotReload({
      main: `import { y } from "./fresh"; export const f = () => y;`,
      fresh: "export const y = 2",
      old: null,
    });
    assert.deepEqual(report, { status: "reloaded", revision: 2, modules: { main: 2, fresh: 1, old: null } });
    assert.equal(await ask(sandbox, "main.f"), 2);
    assert.equal(await failureKind(sandbox, "old.x"), "not-found");
    assert.deepEqual(Object.keys((await sandbox.info()).modules).toSorted(), ["fresh", "main"]);
    assert.deepEqual(
      await sandbox.run((modules) => Object.keys(modules).toSorted()).then((o) => o.ok && o.value),
      ["fresh", "main"],
    );
  });

  test(`${backend}: import() finds the code of now, under one namespace for good`, async () => {
    await using sandbox = await create({
      main: `let kept; export const load = async (name) => { const m = await import(name); kept ??= m; return [m.tag, kept.tag, kept === m] };`,
      part: `export const tag = "one";`,
    });
    assert.deepEqual(await ask(sandbox, "main.load", "./part"), ["one", "one", true]);
    await sandbox.hotReload({ part: `export const tag = "two";` });
    assert.deepEqual(await ask(sandbox, "main.load", "./part.js"), ["two", "two", true]);
    await sandbox.hotReload({ part: null });
    assert.equal(await failureKind(sandbox, "main.load", "./part"), "crashed");
  });

  test(`${backend}: a top-level await is waited for, at creation and at a reload`, async () => {
    const part = (tag: string) => `
      const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      await wait(5); export const tag = await wait(5).then(() => "${tag}"); export let n = 0; export const add = () => ++n;`;
    await using sandbox = await create({
      main: `import { tag, n, add } from "./part"; export const seen = tag; export const f = () => [seen, tag, add(), n];`,
      part: part("one"),
    });
    assert.deepEqual(await ask(sandbox, "main.f"), ["one", "one", 1, 1]);
    await sandbox.hotReload({ part: part("two") });
    assert.deepEqual(await ask(sandbox, "main.f"), ["one", "two", 1, 1]);
  });

  test(`${backend}: modules of one reload are evaluated dependencies first, and all of them`, async () => {
    const names = Array.from({ length: 10 }, (_, i) => `m${i}`);
    const modules = (tag: string): Record<string, string> =>
      Object.fromEntries(
        names.map((name, i) => {
          const next = i < 9 ? `import { chain as next } from "./m${i + 1}";` : "const next = () => [];";
          return [
            name,
            `${next} console.log("${tag}", "${name}"); export const chain = () => ["${tag}", ...next()];`,
          ];
        }),
      );
    await using sandbox = await create(modules("a"));
    const evaluated = async () => (await sandbox.logs()).map(({ text }) => text);
    const before = (await evaluated()).length;
    await sandbox.hotReload(modules("b"));
    assert.deepEqual(
      (await evaluated()).slice(before),
      names.toReversed().map((name) => `b ${name}`),
    );
    assert.deepEqual(
      await ask(sandbox, "m0.chain"),
      Array.from({ length: 10 }, () => "b"),
    );
    await sandbox.hotReload({ m4: modules("c")["m4"] as string });
    assert.deepEqual(
      await ask(sandbox, "m0.chain"),
      names.map((name) => (name === "m4" ? "c" : "b")),
    );
    assert.equal((await evaluated()).at(-1), "c m4");
  });

  test(`${backend}: a guest that freezes its namespaces cannot wedge its sandbox`, async () => {
    const part = (tag: string) =>
      `export const tag = () => "${tag}"; ${tag === "one" ? "" : "export const more = 1;"}`;
    for (const how of ["freeze", "seal", "preventExtensions"] as const) {
      await using sandbox = await create({
        main: `import * as b from "./b"; import { tag as a } from "./a"; import { tag as c } from "./c";
          export const f = () => [a(), b.tag(), c()]; export const spoil = () => { Object.${how}(b) };`,
        a: part("one"),
        b: part("one"),
        c: part("one"),
      });
      await ask(sandbox, "main.spoil");
      const [ended] = await Promise.allSettled([
        sandbox.hotReload({ a: part("two"), b: part("two"), c: part("two") }),
      ]);
      const tag = ended.status === "fulfilled" ? "two" : "one";
      const { modules, rebuilds } = await sandbox.info();
      assert.deepEqual(await ask(sandbox, "main.f"), [tag, tag, tag], `${how}: ${rebuilds}`);
      assert.deepEqual(
        ["a", "b", "c"].map((name) => modules[name]?.version),
        tag === "two" ? [2, 2, 2] : [1, 1, 1],
      );
      await sandbox.hotReload({ b: part("three") });
      assert.deepEqual(await ask(sandbox, "main.f"), [tag, "three", tag]);
    }
  });
}
