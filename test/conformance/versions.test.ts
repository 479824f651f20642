// Versions: numbered, with a head of their own. What an earlier system of this kind got wrong is asked for by name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { applyPatch } from "diff";
import { createRuntime, MemoryStore, type HotReloadOptions, type Sandbox } from "../../src/index.ts";
import { stopwatch } from "../support/machine.ts";
import { ask, codeStateOf, refusalOf, runtimeForTests, shortly, type Sources } from "../support/reloading.ts";
import { turnsDuring } from "../support/waiting.ts";

const runtime = runtimeForTests({ versionsMax: 5 });
const create = (modules: Sources = { main: tagged(1) }): Promise<Sandbox> =>
  runtime.current.create({ modules });

function tagged(tag: string | number): string {
  return `export const tag = () => "${tag}";`;
}

test("after a rollback the version is the one that was rolled back to", async () => {
  await using sandbox = await create();
  await sandbox.hotReload({ main: tagged(2) });
  await sandbox.hotReload({ main: tagged(3) });
  assert.deepEqual(shortly(await sandbox.rollback("main", 1)), { status: "reloaded", modules: { main: 1 } });
  assert.equal(await sandbox.version("main"), 1);
  assert.equal((await sandbox.info()).modules["main"]?.version, 1);
  assert.deepEqual(
    (await sandbox.history("main")).map(({ version, current }) => [version, current]),
    [
      [1, true],
      [2, false],
      [3, false],
    ],
  );
  assert.equal(await ask(sandbox, "main.tag"), "1");
});

test("after a rollback the newest code can be loaded again and is loaded", async () => {
  await using sandbox = await create();
  await sandbox.hotReload({ main: tagged(2) });
  await sandbox.rollback("main", 1);
  const report = await sandbox.hotReload({ main: tagged(2) });
  assert.deepEqual(shortly(report), { status: "reloaded", modules: { main: 2 } });
  assert.equal(await ask(sandbox, "main.tag"), "2");
  assert.deepEqual(await sandbox.versions("main"), [1, 2]);
});

test("a version that failed is not current, not in the log, and can be tried again when its cause is gone", async () => {
  await using sandbox = await create();
  const before = await codeStateOf(sandbox);
  const picky = `if (globalThis.isReady !== true) throw new Error("not yet"); ${tagged(2)}`;
  await refusalOf(sandbox.hotReload({ main: picky }), "LOAD_FAILED");
  await refusalOf(sandbox.hotReload({ main: tagged(2) }, { verify: () => false }), "VERIFY_FAILED");
  assert.deepEqual(await codeStateOf(sandbox), before);
  await sandbox.run(() => {
    (globalThis as { isReady?: boolean }).isReady = true;
  });
  assert.deepEqual(shortly(await sandbox.hotReload({ main: picky })), {
    status: "reloaded",
    modules: { main: 2 },
  });
  assert.deepEqual(shortly(await sandbox.hotReload({ main: tagged(2) }, { verify: () => true })), {
    status: "reloaded",
    modules: { main: 3 },
  });
  assert.equal(await ask(sandbox, "main.tag"), "2");
});

test("an older source is its old version again, and that is the current one", async () => {
  await using sandbox = await create();
  await sandbox.hotReload({ main: tagged(2) });
  assert.deepEqual(shortly(await sandbox.hotReload({ main: tagged(1) })), {
    status: "reloaded",
    modules: { main: 1 },
  });
  assert.equal(await sandbox.version("main"), 1);
  assert.deepEqual(await sandbox.versions("main"), [1, 2]);
  await sandbox.hotReload({ main: tagged(3) });
  assert.equal((await sandbox.history("main")).at(-1)?.parent, 1, "what was current when it was made");
});

test("versions are found by the module's own name, whatever it is", async () => {
  const names = ["main", "a/b.c", "@scope/pkg", "x.json", "constructor", "__proto__", "toString", "$", "0"];
  const source = (name: string, tag: number) => (name.endsWith(".json") ? `{"tag":${tag}}` : tagged(tag));
  const modulesOf = (tag: number) => Object.fromEntries(names.map((name) => [name, source(name, tag)]));
  await using sandbox = await create(modulesOf(1));
  await sandbox.hotReload(modulesOf(2));
  for (const name of names) {
    assert.equal(await sandbox.version(name), 2, name);
    assert.deepEqual(await sandbox.versions(name), [1, 2], name);
    assert.equal(await sandbox.source(name), source(name, 2), name);
    assert.equal(await sandbox.source(name, 1), source(name, 1), name);
    if (!name.endsWith(".json")) assert.equal(await ask(sandbox, `${name}.tag`), "2", name);
  }
  const individual = JSON.parse(JSON.stringify(await sandbox.export())) as Awaited<
    ReturnType<Sandbox["export"]>
  >;
  await using copy = await runtime.current.import(individual, { id: "copy" });
  await using child = await runtime.current.fork(sandbox.id, { modules: { ["__proto__"]: tagged(3) } });
  for (const name of names) assert.equal(await copy.version(name), 2, name);
  assert.equal(await ask(copy, "__proto__.tag"), "2");
  assert.equal(await ask(child, "__proto__.tag"), "3");
});

test("linking is quick for modules in layers that all import all of the next, and for one large cycle", async () => {
  const layers = 30;
  const width = 8;
  const modules: Record<string, string> = { main: `import { n } from "./l0m0"; export const f = () => n();` };
  for (let layer = 0; layer < layers; layer++) {
    for (let i = 0; i < width; i++) {
      const next = Array.from(
        { length: width },
        (_, j) => `import { n as n${j} } from "./l${(layer + 1) % layers}m${j}";`,
      );
      const isLast = layer === layers - 1;
      modules[`l${layer}m${i}`] =
        `${isLast && i > 0 ? "" : next.join("")} export const n = () => ${isLast ? 1 : "n0()"};`;
    }
  }
  const took = stopwatch();
  await using sandbox = await create(modules);
  assert.equal(await ask(sandbox, "main.f"), 1);
  await sandbox.hotReload({ l15m0: `${modules["l15m0"]} // changed` });
  assert.equal(await ask(sandbox, "main.f"), 1);
  took.assertWithin(20_000, "linking took too long");
});

test("every option of a reload arrives, from the sandbox and from a batch; an unknown one is refused", async () => {
  await using sandbox = await create();
  const seen: string[] = [];
  const options: HotReloadOptions = {
    mutation: "point",
    verify: async (candidate) => {
      seen.push(await ask(candidate, "main.tag"));
      return true;
    },
  };
  await sandbox.hotReload({ main: tagged(2) }, options);
  const [item] = await runtime.current.batch.hotReload([sandbox.id], { main: tagged(3) }, options);
  assert.ok(item?.ok);
  assert.deepEqual(seen, ["2", "3"]);
  assert.deepEqual(
    (await sandbox.history("main")).map(({ mutation }) => mutation),
    [null, "point", "point"],
  );
  const [dry] = await runtime.current.batch.hotReload([sandbox.id], { main: tagged(4) }, { dryRun: true });
  assert.ok(dry?.ok && (await sandbox.version("main")) === 3);
  const unknown = { stateHandler: () => ({}) } as HotReloadOptions;
  await refusalOf(sandbox.hotReload({ main: tagged(4) }, unknown), "INVALID_OPTIONS");
  await assert.rejects(
    async () => runtime.current.batch.hotReload([sandbox.id], { main: tagged(4) }, unknown),
    /stateHandler/,
  );
  await refusalOf(sandbox.hotReload({ main: tagged(4) }, { verify: true as never }), "INVALID_OPTIONS");
  await refusalOf(sandbox.hotReload({}), "INVALID_OPTIONS");
  await refusalOf(sandbox.hotReload({ "../x": tagged(4) }), "INVALID_ID");
  await refusalOf(sandbox.hotReload({ main: 5 as never }), "INVALID_OPTIONS");
});

test("a restart keeps the reloaded code, the versions and a rolled-back head", async () => {
  await using sandbox = await create({ main: tagged(1), other: tagged("o") });
  await sandbox.hotReload({ main: tagged(2), more: tagged("m"), other: null });
  const reloaded = await codeStateOf(sandbox);
  await sandbox.restart();
  assert.deepEqual(await codeStateOf(sandbox), reloaded);
  assert.deepEqual([await ask(sandbox, "main.tag"), await ask(sandbox, "more.tag")], ["2", "m"]);
  await sandbox.rollbackTo(1);
  await sandbox.restart();
  assert.deepEqual([await ask(sandbox, "main.tag"), await ask(sandbox, "other.tag")], ["1", "o"]);
  assert.equal((await sandbox.info()).revision, 3);
});

test("rolling back one module leaves the variables of the others; repeating it changes nothing", async () => {
  const counting = "let n = 0; export const next = () => ++n;";
  await using sandbox = await create({ main: tagged(1), other: counting });
  await ask(sandbox, "other.next");
  await sandbox.hotReload({ main: tagged(2) });
  await sandbox.rollback("main", 1);
  assert.equal(await ask(sandbox, "other.next"), 2);
  assert.deepEqual(await sandbox.rollback("main", 1), {
    status: "unchanged",
    revision: 3,
    modules: { main: 1 },
  });
});

test("the newest versions are retained, and the current one however old it is", async () => {
  await using sandbox = await create();
  for (let i = 2; i <= 7; i++) await sandbox.hotReload({ main: tagged(i) });
  assert.deepEqual(await sandbox.versions("main"), [3, 4, 5, 6, 7]);
  await refusalOf(sandbox.rollback("main", 2), "VERSION_NOT_FOUND");
  await refusalOf(sandbox.rollbackTo(2), "VERSION_NOT_FOUND");
  await refusalOf(sandbox.source("main", 1), "VERSION_NOT_FOUND");
  await sandbox.rollback("main", 3);
  await sandbox.hotReload({ other: tagged("o") });
  assert.deepEqual(await sandbox.versions("main"), [3, 4, 5, 6, 7]);
  const again = await sandbox.hotReload({ main: tagged(1) });
  assert.deepEqual(shortly(again), { status: "reloaded", modules: { main: 8 } }, "a number is given once");
  assert.deepEqual(await sandbox.versions("main"), [4, 5, 6, 7, 8]);
});

test("a module that was removed keeps its history and comes back by its revision or its source", async () => {
  await using sandbox = await create({ main: tagged(1), part: tagged("p1") });
  await sandbox.hotReload({ part: tagged("p2") });
  await sandbox.hotReload({ part: null });
  await refusalOf(sandbox.version("part"), "VERSION_NOT_FOUND");
  assert.deepEqual(
    (await sandbox.history("part")).map(({ current }) => current),
    [false, false],
  );
  await sandbox.rollbackTo(2);
  assert.equal(await ask(sandbox, "part.tag"), "p2");
  await sandbox.hotReload({ part: null });
  assert.deepEqual(shortly(await sandbox.hotReload({ part: tagged("p1") })), {
    status: "reloaded",
    modules: { part: 1 },
  });
});

test("a sandbox whose last module was taken away restarts, and takes modules again", async () => {
  await using sandbox = await create();
  await sandbox.hotReload({ main: null });
  assert.deepEqual((await sandbox.info()).modules, {});
  await sandbox.restart();
  await sandbox.hotReload({ main: tagged(2) });
  assert.equal(await ask(sandbox, "main.tag"), "2");
});

test("sources and differences of versions are there to be read", async () => {
  await using sandbox = await create({ main: "export const a = 1;\nexport const b = 2;\n" });
  await sandbox.hotReload({ main: "export const a = 1;\nexport const b = 3;\n" });
  const diff = await sandbox.diff("main", 1, 2);
  assert.match(
    diff,
    /--- main\tversion 1\n\+\+\+ main\tversion 2\n@@ -1,2 \+1,2 @@\n export const a = 1;\n-export const b = 2;\n\+export const b = 3;/,
  );
  assert.equal(await sandbox.diff("main", 2, 2), "");
  const [, second] = await sandbox.history("main");
  assert.deepEqual(
    [second?.exports.toSorted(), second?.bytes, second?.checksum.length],
    [["a", "b"], 40, 64],
  );
  for (const wrong of [0, 3, 1.5, "1" as never, NaN])
    await refusalOf(sandbox.diff("main", 1, wrong), "VERSION_NOT_FOUND");
  await refusalOf(sandbox.history("none"), "VERSION_NOT_FOUND");
});

test("a diff of thousands of changed lines leads to the new source, and other work goes on meanwhile", async () => {
  const comments = (word: string): string =>
    Array.from({ length: 8_000 }, (_, n) => `// ${word} ${n}\n`).join("") + "export const a = 1;\n";
  await using sandbox = await create({ main: comments("old") });
  await sandbox.hotReload({ main: comments("new") });
  const { value: diff, turns } = await turnsDuring(() => sandbox.diff("main", 1, 2));
  assert.equal(applyPatch(comments("old"), diff), comments("new"));
  assert.ok(turns >= 2, `the event loop had ${turns} turns`);
});

test("what was reloaded or rolled back is there when the next runtime opens the same store", async () => {
  const store = new MemoryStore();
  const first = await createRuntime({ store, cells: { count: 1, spare: 0, warm: 1 } });
  const sandbox = await first.create("kept", {
    modules: { main: tagged(1), other: tagged("o") },
    limits: { fuel: 500 },
  });
  await sandbox.hotReload({ main: tagged(2) }, { mutation: { n: 2 } });
  await sandbox.hotReload({ main: tagged(3), other: null });
  await sandbox.rollback("main", 2);
  const before = await codeStateOf(sandbox);
  await first.close();
  await using second = await createRuntime({ store, cells: { count: 1, spare: 0, warm: 1 } });
  const again = await second.get("kept");
  assert.deepEqual(await codeStateOf(again), before);
  assert.equal(await ask(again, "main.tag"), "2");
  assert.equal((await again.call("main.tag")).usage.fuel, 1);
  await again.rollbackTo(1);
  assert.deepEqual([await ask(again, "main.tag"), await ask(again, "other.tag")], ["1", "o"]);
});
