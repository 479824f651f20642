// Ids of sandboxes and names of modules: which are admitted, who has one, and when it is free again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SandboxExistsError, SandboxNotFoundError } from "../../../src/index.ts";
import { errorOf, mistakeOf } from "../../support/errors.ts";
import { valueOf } from "../../support/outcomes.ts";
import { startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();
const modules = { main: "export const f = () => 1;" };

const badIds: readonly unknown[] = [
  "",
  "x".repeat(129),
  "a b",
  "a\n",
  "a\0b",
  "\u001b[31m",
  "../etc/passwd",
  "a/b",
  "a\\b",
  "größe",
  "日本",
  "😀",
  "\u202eabc",
  5,
  null,
  {},
  ["a"],
];

for (const id of badIds) {
  test(`${JSON.stringify(id).slice(0, 30)} is refused as an id, wherever one is given`, async () => {
    const given = id as string;
    for (const act of [
      () => runtime.create(given, { modules }),
      () => runtime.get(given),
      () => runtime.has(given),
      () => runtime.info(given),
      () => runtime.logs(given),
      () => runtime.restart(given),
      () => runtime.destroy(given),
      // Fork takes a list of ids, too.
      () => runtime.fork(Array.isArray(id) ? [given] : given),
      () => runtime.create({ modules, ancestry: { parentIds: [given] } }),
    ])
      await mistakeOf(act, "INVALID_ID");
  });
}

test("an id that is admitted to its last letter is kept as it is", async () => {
  for (const id of ["a", "x".repeat(128), "..", "evo-001:a.b_C", "__proto__", "constructor"]) {
    await using sandbox = await runtime.create(id, { modules });
    assert.equal(sandbox.id, id);
    assert.equal((await runtime.info(id)).id, id);
    assert.equal(valueOf(await sandbox.call("main.f")), 1);
  }
});

test("without an id one is made up, and no two are alike", async () => {
  const sandboxes = await Promise.all(Array.from({ length: 10 }, () => runtime.create({ modules })));
  assert.equal(new Set(sandboxes.map(({ id }) => id)).size, 10);
  for (const sandbox of sandboxes) {
    assert.equal(await runtime.has(sandbox.id), true);
    await sandbox.destroy();
  }
});

test("an id that nobody has is not found", async () => {
  assert.equal(await runtime.has("nobody"), false);
  for (const act of [
    () => runtime.get("nobody"),
    () => runtime.info("nobody"),
    () => runtime.logs("nobody"),
    () => runtime.restart("nobody"),
    () => runtime.destroy("nobody"),
    () => runtime.fork("nobody"),
  ]) {
    const error = await errorOf(act, "SANDBOX_NOT_FOUND");
    assert.ok(error instanceof SandboxNotFoundError);
    assert.equal(error.sandboxId, "nobody");
    assert.equal(error.message, 'Cannot find sandbox "nobody"');
  }
});

test("an id is taken once, also by two who ask at the same time, and by a failed record", async () => {
  const attempts = await Promise.allSettled([1, 2, 3].map(() => runtime.create("taken", { modules })));
  assert.deepEqual(attempts.map(({ status }) => status).sort(), ["fulfilled", "rejected", "rejected"]);
  const error = await errorOf(() => runtime.create("taken", { modules }), "SANDBOX_EXISTS");
  assert.ok(error instanceof SandboxExistsError);
  assert.equal(error.sandboxId, "taken");
  await runtime.destroy("taken");
  await errorOf(() => runtime.create("broken", { modules: { main: "export const = 1" } }), "PARSE_FAILED");
  await errorOf(() => runtime.create("broken", { modules }), "SANDBOX_EXISTS");
  await runtime.destroy("broken");
  await (await runtime.create("broken", { modules })).destroy();
});

test("an id is free again once its sandbox is destroyed, and the new one begins anew", async () => {
  const source = "let count = 0; export const bump = () => ++count;";
  for (let round = 0; round < 3; round++) {
    const sandbox = await runtime.create("again", {
      modules: { main: source },
      labels: { round: String(round) },
    });
    assert.equal(valueOf(await sandbox.call("main.bump")), 1);
    assert.equal((await runtime.info("again")).labels["round"], String(round));
    await sandbox.destroy();
  }
});

for (const name of [
  "",
  "../a",
  "a/../b",
  "/a",
  ".a",
  "a b",
  "a\n",
  "größe",
  "x".repeat(257),
  "a:b",
  "#run",
]) {
  test(`${JSON.stringify(name).slice(0, 30)} is refused as a module's name`, async () => {
    const source = "export const f = 1;";
    await mistakeOf(() => runtime.create({ modules: { [name]: source } }), "INVALID_ID");
    await using sandbox = await runtime.create({ modules });
    await mistakeOf(() => sandbox.module(name), "INVALID_ID");
    await mistakeOf(() => runtime.fork(sandbox.id, { modules: { [name]: source } }), "INVALID_ID");
  });
}

test("modules may be named like the properties of every object", async () => {
  const odd = JSON.parse(
    '{"__proto__":"export const f = () => 1","constructor":"export const f = () => 2"}',
  ) as object;
  await using sandbox = await runtime.create({ modules: { ...odd, toString: "export const f = () => 3" } });
  for (const [name, value] of Object.entries({ ["__proto__"]: 1, constructor: 2, toString: 3 }))
    assert.equal(valueOf(await sandbox.call(`${name}.f`)), value);
  await using child = await runtime.fork(sandbox.id, {
    modules: JSON.parse('{"__proto__":"export const f = () => 4"}') as Record<string, string>,
  });
  assert.equal(valueOf(await child.call("__proto__.f")), 4);
  assert.equal(valueOf(await child.call("toString.f")), 3);
  assert.deepEqual(Object.keys((await child.info()).modules).sort(), [
    "__proto__",
    "constructor",
    "toString",
  ]);
});

test("a sandbox needs at least one module", async () => {
  for (const given of [{}, [], null, undefined, "export const f = 1", 5])
    await mistakeOf(() => runtime.create({ modules: given } as never), "INVALID_OPTIONS");
  await mistakeOf(() => runtime.create({} as never), "INVALID_OPTIONS");
});
