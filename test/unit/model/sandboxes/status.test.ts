// The life cycle as one table: every status with every signal, and no move that is not listed here.
import assert from "node:assert/strict";
import { test } from "node:test";
import { statuses, transition, type Signal, type Status } from "../../../../src/model/sandboxes/status.ts";

const signals: readonly Signal[] = [
  "loaded",
  "failed",
  "reload",
  "reverted",
  "suspend",
  "resume",
  "restart",
  "stop",
  "stopped",
];

// One row per status, one column per signal in the order above; a dot is no move.
const expected: Readonly<Record<Status, string>> = {
  creating: "running failed . . . . . stopping .",
  running: ". failed reloading . suspended . creating stopping .",
  reloading: "running failed . running . . creating stopping .",
  suspended: ". failed . . . running creating stopping .",
  failed: ". . . . . . creating stopping .",
  stopping: ". . . . . . . . stopped",
  stopped: ". . . . . . . . .",
};

for (const status of statuses) {
  test(`a sandbox that is ${status} moves as in the table, for every signal`, () => {
    const row = signals.map((signal) => transition(status, signal) ?? ".");
    assert.equal(row.join(" "), expected[status]);
  });
}

test("the table has a row for every status and leads to no status without one", () => {
  assert.deepEqual([...statuses].sort(), Object.keys(expected).sort());
  for (const status of statuses)
    for (const signal of signals) {
      const next = transition(status, signal);
      assert.ok(next === undefined || statuses.includes(next));
    }
});

test("from every status but the last there is a way to stopped", () => {
  for (const start of statuses) {
    const reached = new Set<Status>([start]);
    for (const status of reached)
      for (const signal of signals) {
        const next = transition(status, signal);
        if (next !== undefined) reached.add(next);
      }
    assert.ok(reached.has("stopped"), start);
  }
});

test("transition() takes no signal from the names that every object has", () => {
  for (const name of ["toString", "constructor", "__proto__"])
    assert.equal(typeof transition("running", name as Signal) === "string", false);
});
