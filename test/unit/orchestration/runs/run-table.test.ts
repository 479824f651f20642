// The console lines of one sandbox are no work for the listeners of others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Bus } from "../../../../src/observability/bus.ts";
import { RunTable } from "../../../../src/orchestration/runs/run-table.ts";
import { FakeClock } from "../../../../src/testing/fake-clock.ts";
import { sandboxFor } from "../../../support/managed-sandboxes.ts";

test("RunTable passes a line to the listener of its sandbox and to no other, until it stops", () => {
  const clock = new FakeClock();
  const table = new RunTable({ clock, bus: new Bus(() => 0), runsMax: 1, onRun: () => {}, onEnd: () => {} });
  const heard: string[] = [];
  const stops = ["a", "b", "c"].map((id) =>
    table.onLineOf(id, ({ text }) => {
      heard.push(`${id}: ${text}`);
      throw new TypeError("a listener's own mistake");
    }),
  );
  const write = (id: string, text: string): void => {
    table.lines({ ...sandboxFor(id, {}), modules: new Map() }, undefined, {
      t: "log",
      key: 1,
      op: 1,
      lines: [[1, text]],
    });
  };
  write("b", "one");
  write("none", "two");
  write("c", "three");
  stops[1]?.();
  write("b", "four");
  assert.deepEqual(heard, ["b: one", "c: three"]);
});
