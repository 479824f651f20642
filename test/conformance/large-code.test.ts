// Code as large as its limit allows: the engine cannot be interrupted while it parses it, which must affect no other run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runInThisContext } from "node:vm";
import { ask, runtimeForTests } from "../support/reloading.ts";

const runtime = runtimeForTests({ limits: { sourceBytes: 4 * 2 ** 20, compileMs: 30_000, loadMs: 20_000 } });

// So many kilobytes of functions, none like another.
function functionsOf(kilobytes: number): string {
  const lines: string[] = [];
  for (let bytes = 0, i = 0; bytes < kilobytes * 1_024; i++) {
    const line = `const f${i} = (a, b) => { let s = 0; for (let i = 0; i < a; i++) { if (i % ${i + 2} === b) s += i * ${i}; else s -= [a, b, i].map((x) => x + ${i}).length; } return s };`;
    lines.push(line);
    bytes += line.length + 1;
  }
  return lines.join("\n");
}

test("a module of some megabytes is created and reloaded, and its cell stays", async () => {
  const { cellsExited } = await runtime.current.metrics();
  const large = functionsOf(1_500);
  await using neighbour = await runtime.current.create({
    modules: { main: "export const f = () => 'here'" },
  });
  await using sandbox = await runtime.current.create({
    modules: { main: `${large}\nexport const f = () => f7(100, 1);` },
  });
  const first = await ask(sandbox, "main.f");
  await sandbox.hotReload({ main: `${large}\nexport const f = () => [f7(100, 1)];` });
  assert.deepEqual(await ask(sandbox, "main.f"), [first]);
  assert.equal(await ask(neighbour, "main.f"), "here");
  assert.deepEqual((await runtime.current.metrics()).cellsExited, cellsExited);
});

test("a function of some megabytes is shipped and run, and its cell stays", async () => {
  const { cellsExited } = await runtime.current.metrics();
  await using sandbox = await runtime.current.create({ modules: { main: "export const x = 1" } });
  const large = runInThisContext(`() => { ${functionsOf(1_500)}\nreturn typeof f7; }`) as () => string;
  const outcome = await sandbox.run(large);
  assert.ok(outcome.ok && outcome.value === "function", JSON.stringify(outcome).slice(0, 500));
  assert.deepEqual((await runtime.current.metrics()).cellsExited, cellsExited);
});

test("a throw in a module of a megabyte is told in the lines of its source, with fuel and without", async () => {
  const large = functionsOf(1_000);
  const line = large.split("\n").length + 2;
  for (const fuel of [null, 1_000_000]) {
    await using sandbox = await runtime.current.create({
      modules: { main: `${large}\nexport const f = (): never => {\n  throw new Error("here");\n};` },
      limits: { fuel },
    });
    const outcome = await sandbox.call("main.f");
    assert.ok(!outcome.ok && outcome.error.kind === "crashed", JSON.stringify(outcome).slice(0, 500));
    assert.match(outcome.error.thrown?.stack ?? "", new RegExp(`main:${line}:9`));
  }
});
