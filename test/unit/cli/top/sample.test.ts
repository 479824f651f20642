// Samples of a runtime: rates are of the time between two looks.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuntimeMetrics } from "../../../../src/index.ts";
import { VivariumError } from "../../../../src/model/errors.ts";
import { Sampler } from "../../../../src/cli/top/sample.ts";
import { FakeClock } from "../../../../src/testing/fake-clock.ts";
import { runtimeMetrics, sandboxInfo } from "../../../support/sandbox-infos.ts";

function samplerOf(metrics: () => RuntimeMetrics) {
  const clock = new FakeClock();
  const asked: unknown[] = [];
  const runtime = {
    metrics: async () => metrics(),
    list: async (filter?: unknown) => {
      asked.push(filter);
      return [sandboxInfo("a")];
    },
  };
  return { clock, asked, sampler: new Sampler({ runtime, clock, limit: 5 }) };
}

test("rates are what was done since the last sample, and 0 in the first", async () => {
  let ok = 100;
  const { clock, sampler } = samplerOf(() =>
    runtimeMetrics({ outcomes: { ok, crashed: 1 }, sandboxes: { running: 7 } }),
  );
  const first = await sampler.take();
  assert.deepEqual([first.runsPerSecond, first.intervalMs, first.total], [0, 0, 7]);
  ok = 600;
  clock.advance(2_000);
  const second = await sampler.take();
  assert.deepEqual([second.runsPerSecond, second.intervalMs], [250, 2_000]);
  // A server that was restarted counts from the beginning.
  ok = 0;
  clock.advance(1_000);
  assert.equal((await sampler.take()).runsPerSecond, 0);
});

test("a status is asked for, and never more sandboxes than are wanted", async () => {
  const { asked, sampler } = samplerOf(() => runtimeMetrics());
  await sampler.take();
  await sampler.take("failed");
  assert.deepEqual(asked, [{ limit: 5 }, { limit: 5, status: "failed" }]);
});

test("without the right to figures of the whole runtime there are none; other errors are told", async () => {
  const forbidden = samplerOf(() => {
    throw new VivariumError("FORBIDDEN", "Cannot read metrics as the token must be of no tenant: it is of a");
  });
  const sample = await forbidden.sampler.take();
  assert.deepEqual([sample.metrics, sample.total], [null, 1]);
  const broken = samplerOf(() => {
    throw new VivariumError("CONNECTION_FAILED", "Cannot reach it as it must answer: it did not");
  });
  await assert.rejects(broken.sampler.take(), { code: "CONNECTION_FAILED" });
});
