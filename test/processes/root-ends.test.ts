// What a root process threw, where it ends the sandbox with it: callers are told it as they are of a run.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoadError } from "../../src/index.ts";
import { errorOf } from "../support/errors.ts";
import { failureOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();

function spec(callbacks: string): { readonly modules: Readonly<Record<string, string>>; supervisor: string } {
  const main = `import { server } from "vivarium/guest";
class Boom extends Error { name = "Boom"; code = "E7"; }
export default server({ ${callbacks} });`;
  return { modules: { main }, supervisor: "main" };
}

test("an ask that ends the root has what it threw, with its lines, code and cause", async () => {
  const handle = 'handleCall: () => { throw new Boom("bang", { cause: new RangeError("deep") }); }';
  const sandbox = await runtime.create(spec(`init: () => 0, ${handle}`));
  const failure = failureOf(await sandbox.ask("root", 1));
  assert.equal(failure.message, "Cannot go on as its tree of processes ended: Boom: bang");
  const { name, message, code, cause, stack = "" } = failure.thrown ?? {};
  const causes = [cause?.name, cause?.message];
  assert.deepEqual([name, message, code, ...causes], ["Boom", "bang", "E7", "RangeError", "deep"]);
  assert.match(stack, /main:3:\d+/);
});

test("an ask that ends the root with more than may be told has the text, and what fits of the rest", async () => {
  const handle =
    'handleCall: (size) => { throw Object.assign(new Boom("\\0".repeat(size)), { note: "x".repeat(4_000) }); }';
  for (const [size, told] of [
    [100, true],
    [2_000, false],
  ] as const) {
    const sandbox = await runtime.create(spec(`init: () => 0, ${handle}`));
    const failure = failureOf(await sandbox.ask("root", size));
    assert.match(failure.message, /tree of processes ended: Boom: \0{100}/);
    assert.equal(failure.thrown?.name === "Boom", told);
  }
});

test("a root that ends by a reason of its own has its text and nothing thrown", async () => {
  const sandbox = await runtime.create(
    spec(`init: () => 0, handleCall: () => ({ reply: 1, state: 0, stop: '["no"]' })`),
  );
  const failed = new Promise<string>((resolve) => {
    runtime.events.on("sandbox.failed", ({ sandboxId, reason }) => {
      if (sandboxId === sandbox.id) resolve(reason);
    });
  });
  await sandbox.ask("root", 1);
  assert.equal(await failed, 'Cannot go on as its tree of processes ended: ["no"]');
});

test("a creation whose root does not start has what its init threw as the cause", async () => {
  const error = await errorOf(
    () => runtime.create(spec('init: () => { throw new Boom("no start"); }')),
    "LOAD_FAILED",
  );
  const { thrown } = (error as LoadError).failure ?? {};
  assert.equal(thrown?.message, "Cannot start the tree: Boom: no start");
  assert.equal(thrown?.cause?.code, "E7");
  assert.match(thrown?.cause?.stack ?? "", /main:3:\d+/);
});

test("a root ends its sandbox although its guest has changed how lists become text", async () => {
  const change = "Object.defineProperty(Array.prototype, 'toJSON', { value: () => undefined });";
  const sandbox = await runtime.create(
    spec(`init: () => 0, handleCall: () => { ${change} throw new Boom("bang"); }`),
  );
  const failure = failureOf(await sandbox.ask("root", 1));
  assert.match(failure.message, /tree of processes ended/);
});
