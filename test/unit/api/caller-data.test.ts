// What callers pass stays theirs: what they do to it afterwards, holes in lists and explicit undefined change nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, fetchCapability, InvalidOptionsError } from "../../../src/index.ts";
import { valueOf } from "../../support/outcomes.ts";
import { startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();
const modules = { main: "export const f = (...args: unknown[]) => args;" };
const one = { cells: { count: 1, spare: 0, warm: 0 } };

test("call() sends the arguments as they were when it was called", async () => {
  await using sandbox = await runtime.create({ modules });
  const args: unknown[] = [1, "two"];
  const called = sandbox.call("main.f", { args });
  args[0] = 5n;
  args.push(() => {});
  assert.deepEqual(valueOf(await called), [1, "two"]);
});

test("a batch works on the ids that it was given, whatever becomes of the list", async () => {
  await using first = await runtime.create({ modules });
  await using second = await runtime.create({ modules });
  const ids = [first.id, second.id];
  const batch = runtime.batch.call(ids, "main.f", { concurrency: 1 });
  ids[1] = "nobody";
  assert.deepEqual(
    (await batch).map(({ sandboxId, ok }) => [sandboxId, ok]),
    [
      [first.id, true],
      [second.id, true],
    ],
  );
});

test("an exported restart rule can be changed without changing the next sandbox's", async () => {
  await using first = await runtime.create({ modules, restart: {} });
  const exported = await first.export();
  const usual = [...(exported.restart?.on ?? [])];
  assert.ok(usual.length > 0 && exported.restart !== undefined);
  (exported.restart.on as unknown[]).length = 0;
  await using second = await runtime.create({ modules, restart: {} });
  assert.deepEqual((await second.export()).restart?.on, usual);
  assert.deepEqual((await first.export()).restart?.on, usual);
});

/** A list with these items after a hole, which no literal may have here. */
function withHole<const T>(item: T): T[] {
  const list: T[] = [];
  list[1] = item;
  return list;
}

const holes: Readonly<Record<string, () => PromiseLike<unknown>>> = {
  "restart.on": () => runtime.create({ modules, restart: { on: withHole("crashed") } }),
  "ancestry.parentIds": () => runtime.create({ modules, ancestry: { parentIds: withHole("a") } }),
  capabilities: () => runtime.create({ modules, capabilities: withHole("clock") }),
  npmImports: () => createRuntime({ npmImports: withHole("a"), ...one }),
  "profiles.mine.scan.rules": () =>
    createRuntime({
      profiles: { mine: { scan: { rules: withHole({ name: "a", sees: "import", decision: "warn" }) } } },
      ...one,
    }),
  "fitness.tests": () =>
    runtime.batch.evaluate(["a"], { tests: withHole({ name: "a", call: "main.f", expected: 1 }) }),
  "fitness.stages": () =>
    runtime.batch.evaluate(["a"], { stages: withHole({ name: "a", fitness: () => 1 }) }),
};
for (const [where, act] of Object.entries(holes))
  test(`a hole in the list ${where} is refused like any other item that is missing`, async () => {
    await assert.rejects(async () => act(), { name: /^Invalid(?:Options|Id|Profile)Error$/ });
  });

test("a limit that is undefined leaves the profile's own in force", async () => {
  await using strict = await createRuntime({
    ...one,
    profile: "high",
    limits: { memoryBytes: undefined } as never,
    profiles: { mine: { base: "high", limits: { timeoutMsMax: undefined } as never } },
  });
  await using usual = await strict.create({ modules });
  await using own = await strict.create({ modules, profile: "mine" });
  assert.equal((await usual.info()).limits.memoryBytes, 64 * 2 ** 20);
  assert.equal((await own.info()).limits.timeoutMsMax, 60_000);
});

test("fetchCapability() refuses to be made without origins", () => {
  for (const options of [undefined, {}, { origins: undefined }])
    assert.throws(() => fetchCapability(options as never), InvalidOptionsError);
});
