// What is counted of the tickets at a cell.
import assert from "node:assert/strict";
import { test } from "node:test";
import { InFlight } from "../../../../src/orchestration/cells/in-flight.ts";
import type { LoadTicket, RunTicket } from "../../../../src/orchestration/runs/ticket.ts";

test("loads on the main lane do not count among the runs there, which would hold up runs of others", () => {
  const inFlight = new InFlight();
  const counts = (): number[] => [inFlight.quick, inFlight.runs[0] ?? 0, inFlight.runs[3] ?? 0];
  const load = { kind: "load", lane: "sync" } as LoadTicket;
  const run = { kind: "run", lane: "sync", level: 3 } as RunTicket;
  const slow = { kind: "run", lane: "async", level: 3 } as RunTicket;
  for (const [index, ticket] of [load, run, slow].entries()) inFlight.add(ticket, index + 1, 0);
  assert.deepEqual(counts(), [2, 0, 1]);
  inFlight.remove(load);
  assert.deepEqual(counts(), [1, 0, 1]);
  inFlight.notePending(2, 0);
  assert.deepEqual(counts(), [0, 0, 0]);
  for (const ticket of [run, slow]) inFlight.remove(ticket);
  assert.deepEqual(counts(), [0, 0, 0]);
});

test("a run that waits for its sandbox holds up no others, and is counted no more however it goes on", () => {
  const inFlight = new InFlight();
  const counts = (): number[] => [inFlight.quick, inFlight.runs[0] ?? 0, inFlight.runs[3] ?? 0];
  const ended = { kind: "run", lane: "sync", level: 3 } as RunTicket;
  const pending = { kind: "run", lane: "sync", level: 0 } as RunTicket;
  const slow = { kind: "run", lane: "async", level: 0 } as RunTicket;
  for (const [index, ticket] of [ended, pending, slow].entries()) inFlight.add(ticket, index + 1, 0);
  assert.deepEqual(counts(), [2, 1, 1]);
  assert.deepEqual(
    [1, 2, 1, 3, 4].map((op) => inFlight.noteWaiting(op)),
    [ended, pending, undefined, undefined, undefined],
  );
  assert.deepEqual(counts(), [2, 0, 0]);
  inFlight.remove(ended);
  inFlight.notePending(2, 0);
  pending.isAside = false;
  assert.equal(inFlight.noteWaiting(2), undefined);
  inFlight.remove(pending);
  assert.deepEqual(counts(), [0, 0, 0]);
  // Sent anew, it counts anew.
  inFlight.add(ended, 5, 0);
  assert.deepEqual(counts(), [1, 0, 1]);
});
