// When cells are started: the first at once, the others when somebody needs them, or soon after.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Cell, Death } from "../../../../src/execution/cell.ts";
import { Bus } from "../../../../src/observability/bus.ts";
import { CellPool } from "../../../../src/orchestration/cells/cell-pool.ts";
import type { PoolListener } from "../../../../src/orchestration/cells/queue-listener.ts";
import type { CellQueue } from "../../../../src/orchestration/cells/cell-queue.ts";
import type { SandboxInCell } from "../../../../src/orchestration/cells/sandbox-in-cell.ts";
import { FakeClock } from "../../../../src/testing/fake-clock.ts";

const othersAfterMs = 250;
const shared = 2;
const spare = 1;
const death = { cause: "exit", detail: "", inside: [] } as unknown as Death;

class Stage {
  readonly clock = new FakeClock();
  /** The numbers of the cells that were started. */
  readonly started: number[] = [];
  readonly pool: CellPool;

  constructor() {
    const launch = (number: number): Promise<Cell> => {
      this.started.push(number);
      const cell = { number, facts: { pid: number }, kill: () => {}, rssBytes: () => 0 };
      return Promise.resolve(cell as unknown as Cell);
    };
    const listener = { onReady: () => {}, onUnavailable: () => {} } as unknown as PoolListener<CellQueue>;
    const { clock } = this;
    const bus = new Bus(() => clock.now());
    const sizes = { shared, spare, sandboxesPerCell: 100, ownedMax: 4, asyncLanes: 2 };
    const options = { clock, bus, launch, nextOp: () => 1, onBusy: () => {}, ...sizes };
    this.pool = new CellPool(options, listener);
  }

  /** Puts a sandbox into the cell that is chosen for it. */
  place(): CellQueue {
    const queue = this.pool.pick() ?? assert.fail("no cell");
    queue.sandboxes.set(queue.sandboxes.size + 1, {} as SandboxInCell);
    return queue;
  }
}

async function stageWithOne(): Promise<Stage> {
  const stage = new Stage();
  await stage.pool.start();
  await turn();
  return stage;
}

suite("the cells beside the first", () => {
  test("are started when it has been there for a moment", async () => {
    const stage = await stageWithOne();
    stage.place();
    await turn();
    assert.deepEqual(stage.started, [1]);
    stage.clock.advance(othersAfterMs);
    await turn();
    assert.deepEqual(stage.started, [1, 2, 3]);
  });

  test("are started at once when there is a second sandbox", async () => {
    const stage = await stageWithOne();
    stage.place();
    stage.place();
    await turn();
    assert.deepEqual(stage.started, [1, 2, 3]);
    // That moment is not waited for once more.
    stage.clock.advance(othersAfterMs);
    await turn();
    assert.deepEqual(stage.started, [1, 2, 3]);
  });

  test("are started at once for a sandbox that must be alone, and for one of a tenant", async () => {
    for (const pick of [
      ({ pool }: Stage) => pool.pickReserved(null),
      ({ pool }: Stage) => pool.pickOwned("tenant"),
    ]) {
      const stage = await stageWithOne();
      assert.equal(pick(stage), undefined);
      await turn();
      assert.ok(stage.started.length > 1, "none was started");
    }
  });

  test("are started at once when the first is gone", async () => {
    const stage = await stageWithOne();
    stage.clock.advance(othersAfterMs - 1);
    stage.pool.remove(stage.place(), { ...death, cause: "memory" } as unknown as Death);
    await turn();
    assert.deepEqual(stage.started, [1, 2, 3, 4]);
  });

  test("are not started when the pool is closed before", async () => {
    const stage = await stageWithOne();
    const first = stage.place();
    const closed = stage.pool.close(1_000);
    stage.pool.remove(first, death);
    await closed;
    stage.clock.advance(othersAfterMs);
    await turn();
    assert.deepEqual(stage.started, [1]);
  });
});
