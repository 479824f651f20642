// How long a cell may owe the answer to a control operation before it counts as silent and is killed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../src/testing/index.ts";
import { defaultLimits } from "../../../src/model/limits.ts";
import type { Cell } from "../../../src/execution/cell.ts";
import { CellQueue } from "../../../src/orchestration/cells/cell-queue.ts";
import type { QueueListener } from "../../../src/orchestration/cells/queue-listener.ts";
import type { ManagedSandbox } from "../../../src/orchestration/sandboxes/managed-sandbox.ts";
import type { Place } from "../../../src/orchestration/cells/assignment.ts";
import { ControlTicket } from "../../../src/orchestration/runs/ticket.ts";

test("a reload that waits behind a long run of its sandbox does not make its cell look silent", () => {
  const clock = new FakeClock();
  const queue = new CellQueue(
    1,
    { clock, asyncLanes: 2, nextOp: () => 1, onBusy: () => {} },
    {} as QueueListener,
  );
  queue.open({ send: () => {}, setInFlight: () => {} } as unknown as Cell);
  const sandbox = { key: 1, limits: defaultLimits } as ManagedSandbox;
  const control = new ControlTicket(sandbox, {
    place: {} as Place,
    lane: "async",
    budgetMs: defaultLimits.loadMs,
    settle: () => {},
  });
  const sentMs = clock.monotonic();
  queue.control(control, (op) => ({ t: "settle", op, key: 1, isCommitted: true }));
  assert.equal(queue.isSilent(sentMs + defaultLimits.maxTimeoutMs + defaultLimits.loadMs), false);
  assert.equal(queue.isSilent(sentMs + 2 * defaultLimits.maxTimeoutMs), true);
});
