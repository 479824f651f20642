// What the view of the machine makes of the server's answers and of events: what neither says is unknown, and never 0.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { EventLog } from "../../../dashboard/src/model/event-log.ts";
import {
  cellRows,
  durationBars,
  latestOf,
  layerRows,
  meanMs,
  statusOf,
  tally,
} from "../../../dashboard/src/views/machine/machine.ts";
import type { AnyEvent, Health } from "../../../src/index.ts";

const started = (cell: number, pid: number, at: number): AnyEvent => ({
  name: "cell.started",
  at,
  event: { cell, pid, durationMs: 80 },
});
const exited = (cell: number, pid: number, at: number): AnyEvent => ({
  name: "cell.exited",
  at,
  event: { cell, pid, cause: "memory", detail: "", sandboxes: 1 },
});
const logOf = (...events: readonly AnyEvent[]): EventLog => {
  const log = new EventLog();
  for (const any of events) log.push(any);
  return log;
};
const reported = {
  ...{ number: 1, pid: 10, node: "v26.0.0", rssBytes: 0, sandboxes: 0, inFlight: 0 },
  ...{ reserved: false, owner: null, blocked: false },
};

suite("cellRows", () => {
  test("says since when a cell lives where its start was told of", () => {
    const log = logOf(started(1, 9, 5), exited(1, 9, 6), started(1, 10, 7));
    const other = {
      ...reported,
      number: 2,
      pid: 11,
      rssBytes: 5,
      owner: "red",
      reserved: true,
      blocked: true,
    };
    const rows = cellRows({ cells: [reported, other] }, log);
    assert.deepEqual(
      rows.map(({ since }) => since),
      [7, null],
    );
    assert.deepEqual(rows[1]?.notes, ["reserved", "of red", "▲ does not answer"]);
  });

  test("does not take memory that was not measured for none, nor sandboxes that are none for unknown", () => {
    const rows = cellRows({ cells: [reported] }, logOf());
    assert.deepEqual([rows[0]?.rssBytes, rows[0]?.sandboxes], [null, 0]);
  });

  test("has what events tell where the server says nothing", () => {
    const rows = cellRows(
      null,
      logOf(started(2, 21, 1), started(1, 20, 2), exited(2, 21, 3), started(2, 22, 4)),
    );
    assert.deepEqual(
      rows.map(({ number, pid, since }) => [number, pid, since]),
      [
        [1, 20, 2],
        [2, 22, 4],
      ],
    );
    assert.deepEqual([rows[0]?.sandboxes, rows[0]?.rssBytes, rows[0]?.node], [null, null, null]);
  });
});

test("durations are bars between the first and the last that has a run", () => {
  const bars = durationBars({ bounds: [1, 10, 1_000], counts: [0, 2, 0, 4], sumMs: 60 });
  assert.deepEqual(bars, [
    { label: "up to 10 ms", count: 2, share: 0.5 },
    { label: "up to 1 s", count: 0, share: 0 },
    { label: "over 1 s", count: 4, share: 1 },
  ]);
  assert.deepEqual(durationBars({ bounds: [1], counts: [0, 0], sumMs: 0 }), []);
  assert.equal(meanMs({ bounds: [1], counts: [0, 0], sumMs: 0 }), null);
  assert.equal(meanMs({ bounds: [1], counts: [1, 3], sumMs: 60 }), 15);
});

test("layers are those that hold and those that are missing, each with its reason", () => {
  const strange = "wall" as Health["jail"]["layers"][number];
  const rows = layerRows({
    layers: ["tether", strange],
    missing: [{ layer: "seal", why: "no filters here" }],
  });
  assert.deepEqual(
    rows.map(({ layer, isOn }) => [layer, isOn]),
    [
      ["tether", true],
      ["wall", true],
      ["seal", false],
    ],
  );
  assert.match(rows[0]?.about ?? "", /^stops outliving/);
  assert.match(rows[2]?.about ?? "", /^no filters here; it would stop/);
});

test("a status that is not known is said as it is", () => {
  assert.equal(statusOf("ok").tone, "good");
  assert.equal(statusOf("later" as Health["status"]).text, "later");
});

test("tallies have the most frequent first and nothing that never happened", () => {
  assert.deepEqual(tally({ a: 1, b: 0, c: 3, d: undefined }), [
    ["c", 3],
    ["a", 1],
  ]);
  assert.deepEqual(
    latestOf(logOf(started(1, 1, 1), exited(1, 1, 2), started(2, 2, 3)), ["cell.started"], 1).map(
      ({ at }) => at,
    ),
    [3],
  );
});
