// The usage of a run that the orchestrator ends itself, from what it measured; a cell's word counts within bounds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { usageUntil } from "../../../../src/orchestration/runs/run-usage.ts";
import type { RunTicket } from "../../../../src/orchestration/runs/ticket.ts";

const samples = {
  heapBytes: 1,
  heapPeakBytes: 2,
  externalBytes: 3,
  processes: 4,
  processesMax: 5,
  queueMax: 6,
};
const fields = { submittedMs: 100, sentMs: 110, sandbox: { usage: samples } };
const ticket = fields as unknown as RunTicket;
const nowMs = 1_000;

function timesOf(startedMs: number, cpuMs: number): readonly number[] {
  const usage = usageUntil(nowMs, ticket, { op: 1, startedMs, cpuMs });
  return [usage.queuedMs, usage.wallMs, usage.cpuMs];
}

test("a run that was inside has the times until its cell ended, and the latest samples", () => {
  const { outputBytes, fuel, ...rest } = usageUntil(nowMs, ticket, { op: 1, startedMs: 150, cpuMs: 400 });
  assert.deepEqual(rest, { queuedMs: 50, wallMs: 850, cpuMs: 400, ...samples });
  assert.deepEqual({ outputBytes, fuel }, { outputBytes: 0, fuel: null });
});

test("an entry before it was sent, or in the future, is not believed, nor more processor time than time", () => {
  assert.deepEqual(timesOf(0, 5_000), [10, 890, 890]);
  assert.deepEqual(timesOf(5_000, 5_000), [900, 0, 0]);
});

test("a run that waited inside for its timers has the time since its entry", () => {
  const pending = { ...fields, pendingSinceMs: 300 } as unknown as RunTicket;
  const { wallMs, cpuMs, queuedMs } = usageUntil(nowMs, pending, undefined);
  assert.deepEqual({ wallMs, cpuMs, queuedMs }, { wallMs: 700, cpuMs: 0, queuedMs: 200 });
});

test("a run that never entered has only waited", () => {
  const { wallMs, cpuMs, queuedMs } = usageUntil(nowMs, ticket, undefined);
  assert.deepEqual({ wallMs, cpuMs, queuedMs }, { wallMs: 0, cpuMs: 0, queuedMs: 900 });
});
