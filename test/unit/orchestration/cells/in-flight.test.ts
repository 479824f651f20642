// What is counted of the tickets at a cell.
import assert from "node:assert/strict";
import { test } from "node:test";
import { InFlight } from "../../../../src/orchestration/cells/in-flight.ts";
import type { LoadTicket, RunTicket } from "../../../../src/orchestration/runs/ticket.ts";

test("loads on the main lane do not count among the runs there, which would hold up runs of others", () => {
  const inFlight = new InFlight();
  const counts = (): number[] => [inFlight.quick, inFlight.quickRuns, inFlight.heavy];
  const load = { kind: "load", lane: "sync" } as LoadTicket;
  const run = { kind: "run", lane: "sync", isHeavy: true } as RunTicket;
  const slow = { kind: "run", lane: "async", isHeavy: true } as RunTicket;
  for (const [index, ticket] of [load, run, slow].entries()) inFlight.add(ticket, index + 1, 0);
  assert.deepEqual(counts(), [2, 1, 1]);
  inFlight.remove(load);
  assert.deepEqual(counts(), [1, 1, 1]);
  inFlight.notePending(2, 0);
  assert.deepEqual(counts(), [0, 0, 0]);
  for (const ticket of [run, slow]) inFlight.remove(ticket);
  assert.deepEqual(counts(), [0, 0, 0]);
});
