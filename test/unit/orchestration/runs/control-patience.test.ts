// How long a cell may owe the answer to a control operation before it counts as silent and is killed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../../src/testing/index.ts";
import { defaultLimits } from "../../../../src/model/limits.ts";
import type { Cell } from "../../../../src/execution/cell.ts";
import { CellQueue } from "../../../../src/orchestration/cells/cell-queue.ts";
import type { QueueListener } from "../../../../src/orchestration/cells/queue-listener.ts";
import type { ControlTicket, Place, TicketSandbox } from "../../../../src/orchestration/runs/ticket.ts";

test("a reload that waits behind a long run of its sandbox does not make its cell look silent", () => {
  const clock = new FakeClock();
  const queue = new CellQueue(
    { number: 1, send: () => {}, setInFlight: () => {} } as unknown as Cell,
    { clock, asyncLanes: 2, nextOp: () => 1, onBusy: () => {} },
    {} as QueueListener<CellQueue>,
  );
  const sandbox = { limits: defaultLimits } as TicketSandbox;
  const control: ControlTicket = {
    kind: "control",
    sandbox,
    place: {} as Place,
    lane: "async",
    budgetMs: defaultLimits.loadMs,
    settle: () => {},
    op: 0,
    sentMs: 0,
  };
  const sentMs = clock.monotonic();
  queue.control(control, (op) => ({ t: "settle", op, key: 1, isCommitted: true }));
  assert.equal(queue.isSilent(sentMs + defaultLimits.timeoutMsMax + defaultLimits.loadMs), false);
  assert.equal(queue.isSilent(sentMs + 2 * defaultLimits.timeoutMsMax), true);
});
