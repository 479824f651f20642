// When cells use nearly all they may, room is made at once, and not all the time.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Bus } from "../../../../../src/observability/bus.ts";
import {
  Collector,
  type SweepCause,
} from "../../../../../src/orchestration/sandboxes/collection/collector.ts";
import { Registry } from "../../../../../src/orchestration/sandboxes/registry.ts";
import { FakeClock } from "../../../../../src/testing/index.ts";
import { createMain, startRuntime } from "../../../../support/runtimes.ts";
import { refusalOf } from "../../../../support/reloading.ts";
import { until } from "../../../../support/waiting.ts";

const MiB = 2 ** 20;

suite("a collector that feels pressure", () => {
  function started(): { clock: FakeClock; collector: Collector; causes: SweepCause[]; sheds: () => number } {
    const clock = new FakeClock();
    const bus = new Bus(() => clock.now());
    const causes: SweepCause[] = [];
    bus.on("gc.collected", ({ cause }) => causes.push(cause));
    let count = 0;
    const collector = new Collector({
      clock,
      bus,
      registry: new Registry(10),
      intervalMs: 60_000,
      memoryBytes: 1_000,
      shed: () => void count++,
    });
    return { clock, collector, causes, sheds: () => count };
  }

  test("sweeps and sheds at nine tenths, and not below", async () => {
    const { collector, causes, sheds } = started();
    collector.onMemoryUsed(899);
    assert.equal(sheds(), 0);
    collector.onMemoryUsed(900);
    await until("it swept", () => causes.length > 0);
    assert.deepEqual([causes, sheds()], [["pressure"], 1]);
  });

  test("waits for what that was worth before it does so again", () => {
    const { clock, collector, sheds } = started();
    for (let look = 0; look < 10; look++) {
      collector.onMemoryUsed(950);
      clock.advance(1_000);
    }
    assert.equal(sheds(), 2);
  });
});

test("under pressure failed sandboxes go before their time, and cached compilations", async () => {
  const gauge = await startRuntime();
  const idleBytes = await until("the memory of its cell was read", async () => {
    const [cell] = (await gauge.metrics()).cells;
    return cell !== undefined && cell.rssBytes > 0 && cell.rssBytes;
  });
  const memoryBytes = Math.round(idleBytes / 0.7);
  const runtime = await startRuntime({ capacity: { memoryBytes }, watchIntervalMs: 20 });
  const causes: string[] = [];
  runtime.events.on("gc.collected", ({ cause }) => causes.push(cause));
  await refusalOf(runtime.create("broken", { modules: { main: "throw new Error()" } }), "LOAD_FAILED");
  const hoarder = await createMain(
    runtime,
    `let kept; export const hoard = (bytes) => { kept = new Uint8Array(bytes).fill(1); return kept.length; };`,
    { memoryBytes: 512 * MiB },
  );
  assert.deepEqual([causes, (await runtime.metrics()).compile.entries], [[], 2]);
  await hoarder.call("main.hoard", { args: [memoryBytes / 2] });
  await until("it swept", () => causes.includes("pressure"));
  await until("the failed one is gone", async () => !(await runtime.has("broken")));
  assert.equal((await runtime.metrics()).compile.entries, 0);
  assert.equal((await hoarder.info()).status, "running");
});
