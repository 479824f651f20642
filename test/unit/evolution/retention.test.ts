// The collector asks which of the living nobody needs any more; a tracker answers by generations.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../src/testing/index.ts";
import { Tracker } from "../../../src/evolution/index.ts";
import type { Runtime } from "../../../src/index.ts";
import { mistakeOf } from "../../support/errors.ts";
import { busySource } from "../../support/guests.ts";
import { startRuntime } from "../../support/runtimes.ts";
import { until } from "../../support/waiting.ts";

const intervalMs = 1_000;
const clock = new FakeClock();
const runtime = await startRuntime({ clock, collector: { intervalMs } });

async function create(...ids: readonly string[]): Promise<void> {
  const modules = { main: busySource };
  for (const result of await runtime.batch.create(ids.map((id) => ({ id, modules })))) assert.ok(result.ok);
}

const living = async (): Promise<string[]> => (await runtime.list()).map(({ id }) => id);

/** A tracker that the runtime's collector listens to, until the test is over and all is gone. */
function tracking(): { readonly tracker: Tracker } & AsyncDisposable {
  const tracker = new Tracker({ retainGenerations: 2 });
  const ends = [tracker.follow(runtime.events), runtime.retention(tracker.retention)];
  return {
    tracker,
    async [Symbol.asyncDispose]() {
      for (const end of ends) end();
      await runtime.batch.destroy(await living());
    },
  };
}

test("collect() destroys the members of past generations whom no population retains, and nobody else", async () => {
  await using tracked = tracking();
  const { populations } = tracked.tracker;
  await create("a0", "b0", "elite", "guest", "a1", "a2", "stranger", "removed");
  populations.register("north", ["a0", "b0", "elite", "guest", "removed"]);
  populations.register("south", ["guest"]);
  populations.remove("north", ["removed"]);
  populations.advance("north", ["a1", "elite"]);
  assert.equal((await runtime.collect()).unretained, 0);
  populations.advance("north", ["a2"]);

  const told: number[] = [];
  const stop = runtime.events.on("gc.collected", ({ unretained }) => told.push(unretained));
  const before = (await runtime.metrics()).collected;
  const report = await runtime.collect();
  stop();
  assert.deepEqual([report.unretained, report.expired, report.policyFailures], [2, 0, []]);
  assert.deepEqual(told, [2]);
  assert.equal((await runtime.metrics()).collected, before + 2);
  assert.deepEqual(await living(), ["elite", "guest", "a1", "a2", "stranger", "removed"]);
  assert.equal((await runtime.info("a0")).reason, "collected: retention");
});

test("the collector does so by itself at its interval", async () => {
  await using tracked = tracking();
  const { populations } = tracked.tracker;
  await create("old", "new");
  populations.register("north", ["old"]);
  populations.advance("north", []);
  populations.advance("north", ["new"]);
  clock.advance(intervalMs);
  await until("the old one is gone", async () => !(await runtime.has("old")));
  assert.deepEqual(await living(), ["new"]);
});

test("whoever has the id of a dead member is left alone, and a dropped population's members too", async () => {
  await using tracked = tracking();
  const { populations } = tracked.tracker;
  await create("a", "b", "c");
  populations.register("north", ["a", "b"]);
  populations.register("south", ["c"]);
  populations.drop("south");
  await runtime.destroy("a");
  await create("a");
  for (let time = 0; time < 3; time++) populations.advance("north", []);
  assert.equal((await runtime.collect()).unretained, 1);
  assert.deepEqual((await living()).sort(), ["a", "c"]);
  // Who is named again is a member again, whichever life it is.
  populations.add("north", ["a"]);
  for (let time = 0; time < 2; time++) populations.advance("north", []);
  assert.equal((await runtime.collect()).unretained, 1);
});

test("one that runs something stays until it is done", async () => {
  await using tracked = tracking();
  const { populations } = tracked.tracker;
  await create("busy");
  populations.register("north", ["busy"]);
  for (let time = 0; time < 2; time++) populations.advance("north", []);
  const sandbox = await runtime.get("busy");
  const signal = new AbortController();
  const run = sandbox.call("main.never", { signal: signal.signal });
  assert.equal((await runtime.collect()).unretained, 0);
  signal.abort();
  await run;
  assert.equal((await runtime.collect()).unretained, 1);
});

test("a policy that fails lets nobody go, is told in the report, and keeps no other from being heard", async () => {
  await create("kept", "let-go");
  const ends = (
    [
      () => {
        throw new TypeError("no idea");
      },
      () => undefined as never,
      () => Promise.resolve(["kept"]) as never,
      function* () {
        yield "kept";
        throw new TypeError("half an answer");
      },
      () => ["let-go", "nobody", 5 as never],
    ] satisfies Parameters<Runtime["retention"]>[0][]
  ).map((policy) => runtime.retention(policy));
  const { unretained, policyFailures } = await runtime.collect();
  assert.equal(unretained, 1);
  assert.equal(policyFailures.length, 4);
  assert.match(policyFailures.join("\n"), /no idea[^]*not iterable[^]*half an answer/);
  for (const end of ends) end();
  assert.deepEqual((await runtime.collect()).policyFailures, []);
  assert.deepEqual(await living(), ["kept"]);
  await runtime.destroy("kept");
});

test("retention() takes functions, sixteen at most, and the same one as often as it is given", async () => {
  await mistakeOf(() => runtime.retention("all" as never), "INVALID_OPTIONS");
  let asked = 0;
  const policy = (): readonly string[] => {
    asked++;
    return [];
  };
  const ends = Array.from({ length: 16 }, () => runtime.retention(policy));
  await mistakeOf(() => runtime.retention(policy), "INVALID_OPTIONS");
  ends[0]?.();
  await runtime.collect();
  assert.equal(asked, 15);
  for (const end of ends) end();
});
