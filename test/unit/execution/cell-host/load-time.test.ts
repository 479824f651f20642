// Whose time a load is: that of its code, and not what the machine takes to prepare it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Activity } from "../../../../src/execution/cell-host/activity.ts";
import type { Box } from "../../../../src/execution/cell-host/box.ts";
import { loadFlow } from "../../../../src/execution/cell-host/flows/code-flows.ts";
import type { LoadCommand } from "../../../../src/execution/protocol/messages.ts";
import { FakeClock } from "../../../../src/testing/fake-clock.ts";

const loadMs = 5_000;
const factory = { derefInto: () => "factory" };
const guest = { load: 1 };
const box = { guest, limits: { resultBytes: 1 }, isLoaded: false, processRuntime: undefined };
const command = {
  op: 1,
  character: {},
  features: [],
  processes: null,
  modules: [["main", "text"]],
} as unknown as LoadCommand;

/** The times that the entries of a load were given, each of them kept waiting by the machine. */
function budgetsOf(waitMs: number): number[] {
  const clock = new FakeClock();
  const plan = { op: 1, lane: "async", timeoutMs: loadMs, cpuMs: null, sliceMs: 25, kind: "load" } as const;
  const activity = new Activity(plan, { startedMs: 0, cpuMs: 0, outputBytes: 0 }, clock);
  const flow = loadFlow(box as unknown as Box, activity, command);
  const budgets: number[] = [];
  // The module's script, and its top level.
  for (let entry = 0, step = flow.next(); entry < 2 && step.done !== true; entry++) {
    budgets.push(step.value.budgetMs);
    if (entry === 1) break;
    clock.advance(waitMs);
    step = flow.next({ end: "returned", answer: factory });
  }
  return budgets;
}

test("the top level has the whole of loadMs, however long it took to come to it", () => {
  assert.equal(budgetsOf(0).at(-1), loadMs);
  assert.equal(budgetsOf(1_200).at(-1), loadMs);
});

test("what is prepared before it, by nobody's fault, has no less", () => {
  const [module = 0] = budgetsOf(0);
  assert.ok(module >= loadMs, `${module}`);
});
