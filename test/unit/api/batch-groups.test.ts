// What the runs of a batch have in common is sent once, as their sandboxes have it in common.
import assert from "node:assert/strict";
import { test } from "node:test";
import { completeConfig } from "../../../src/api/options/config.ts";
import { assemble, launcherFor, openJail } from "../../../src/api/wiring/create-runtime.ts";
import type { CellLauncher } from "../../../src/execution/cell.ts";
import { Watchdog } from "../../../src/execution/enforcement/watchdog.ts";
import type { Command, RunGroup } from "../../../src/execution/protocol/messages.ts";
import type { Runtime } from "../../../src/index.ts";
import { valueOf } from "../../support/outcomes.ts";

/** A runtime with one cell, and the groups of each frame of runs that the cell is sent. */
async function startHeard(): Promise<{
  readonly runtime: Runtime;
  readonly frames: (readonly RunGroup[])[];
}> {
  const frames: (readonly RunGroup[])[] = [];
  // On a machine that is busy elsewhere a run may be cut in an ordinary slice, and is then sent again.
  const config = completeConfig({ cells: { count: 1, spare: 0, sliceMs: 1_000 } });
  const guards = { jail: openJail(config), watchdog: new Watchdog() };
  const real = launcherFor(config, guards);
  const launch: CellLauncher = async (number, listener) => {
    const cell = await real(number, listener);
    const pass = cell.send.bind(cell);
    const send = (command: Command): void => {
      if (command.t === "run") frames.push(command.groups);
      pass(command);
    };
    return Object.assign(cell, { send });
  };
  return { runtime: await assemble(config, { ...guards, launch }), frames };
}

test("batch.call sends the runs of sandboxes with equal limits as one group, also where limits were changed", async () => {
  const { runtime, frames } = await startHeard();
  await using _ = runtime;
  const modules = { main: "export const double = (n) => n * 2;" };
  const specOf = (timeoutMs: number): { modules: typeof modules; limits: { timeoutMs: number } } => ({
    modules,
    limits: { timeoutMs },
  });
  const made = await runtime.batch.create([4_000, 4_000, 4_000, 5_000, 5_000, 6_000].map(specOf));
  const ids = made.map(({ sandboxId }) => sandboxId);
  const sandbox = await runtime.get(ids[5] ?? "");
  await sandbox.updateLimits({ timeoutMs: 5_000 });
  for (let round = 0; round < 3; round++) {
    frames.length = 0;
    for (const outcome of await runtime.batch.call(ids, "main.double", { args: [21] }))
      assert.equal(valueOf(outcome), 42);
    assert.equal(frames.flat().flatMap(({ keys }) => keys).length, 6);
    for (const groups of frames) {
      const bounds = groups.map(({ timeoutMs, lane }) => `${timeoutMs} ${lane}`);
      assert.deepEqual(bounds, [...new Set(bounds)]);
    }
  }
});
