// A cell that ends after its watchdog was closed: its end is still reported, and no error is left unhandled.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Death } from "../../src/execution/cell.ts";
import { Watchdog } from "../../src/execution/enforcement/watchdog.ts";
import { launchProcessCell } from "../../src/execution/process-cell.ts";
import { unjailedCellLaunch } from "../../src/execution/cell-launch.ts";
import { systemClock } from "../../src/std/clock.ts";
import { fulfilled } from "../support/waiting.ts";

test("a cell whose watchdog was closed first reports its end", async () => {
  const watchdog = new Watchdog();
  const { promise, resolve } = Promise.withResolvers<Death>();
  const cell = await launchProcessCell(
    {
      number: 1,
      clock: systemClock,
      watchdog,
      startMs: 30_000,
      rssBytesMax: 2 ** 30,
      start: { t: "start", asyncLanes: 1, sliceMs: 25, warm: 0, warmMemoryBytes: 2 ** 25 },
      launch: unjailedCellLaunch(systemClock),
    },
    { onReport: () => {}, onDeath: resolve },
  );
  await watchdog.close();
  cell.kill("unwanted");
  const death = await fulfilled("the end", promise);
  assert.equal(death.cause, "unwanted");
  assert.deepEqual(death.inside, []);
});
