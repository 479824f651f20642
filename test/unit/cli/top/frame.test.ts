// Pages of `vivarium top` for terminals of all sizes and runtimes of all kinds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lineWidth, type Line } from "../../../../src/cli/display/lines.ts";
import { frame, type View } from "../../../../src/cli/top/frame.ts";
import { firstState } from "../../../../src/cli/top/state.ts";
import { runtimeMetrics, sandboxInfo } from "../../../support/sandbox-infos.ts";

const cell = {
  number: 1,
  pid: 4_242,
  node: "v26.0.0",
  rssBytes: 90 * 2 ** 20,
  sandboxes: 5,
  inFlight: 1,
  reserved: false,
  owner: null,
  blocked: false,
};
const sandboxes = Array.from({ length: 1_000 }, (_, at) =>
  sandboxInfo(`variant-${at}-${"x".repeat(at % 60)}`),
);
const view: View = {
  name: "http://127.0.0.1:7337",
  sample: {
    at: 0,
    intervalMs: 1_000,
    runsPerSecond: 1_234.5,
    evaluationsPerSecond: 7.25,
    total: 10_000,
    metrics: runtimeMetrics({
      sandboxes: { running: 9_990, failed: 10 },
      outcomes: { ok: 100_000, timeout: 3, crashed: 2 },
      runsUnderway: 4,
      cells: Array.from({ length: 9 }, (_, at) => ({ ...cell, number: at + 1 })),
    }),
    sandboxes,
  },
  sandboxes,
  state: firstState,
  latest: [{ at: 0, line: ["killed variant-1\u001b[2J: timeout"] }],
  message: undefined,
  intervalMs: 1_000,
};
const plain = (lines: readonly Line[]): string =>
  lines.map((line) => line.map((part) => (typeof part === "string" ? part : part.text)).join("")).join("\n");

for (const [columns, rows] of [
  [1, 1],
  [20, 5],
  [39, 40],
  [40, 12],
  [60, 12],
  [80, 24],
  [120, 40],
  [250, 80],
] as const)
  for (const page of ["table", "help", "confirm"] as const)
    test(`the page "${page}" fits a terminal of ${columns} × ${rows}`, () => {
      const lines = frame(
        { ...view, state: { ...firstState, page, selected: sandboxes[59]?.id ?? null } },
        { columns, rows },
      );
      assert.ok(lines.length <= rows, `${lines.length} lines`);
      for (const line of lines) assert.ok(lineWidth(line) <= columns, plain([line]));
    });

test("a page tells how many there are, how much is done, and how it ended", () => {
  const text = plain(frame(view, { columns: 100, rows: 40 }));
  assert.match(text, /^Sandboxes 10,000 {2}9,990 running {2}10 failed$/m);
  assert.match(text, /^Work +7\.3 evaluations\/s {2}1,235 runs\/s {2}4 underway {2}810\.0 MiB in 9 cells$/m);
  assert.match(text, /^Outcomes +ok 100,000 {2}timeout 3 {2}crashed 2$/m);
  assert.match(text, /… 6 more cells/);
  assert.match(text, /the oldest 1,000 of 10,000/);
  assert.match(text, /killed variant-1/);
});

test("the chosen sandbox is on the page and marked, wherever it is in the list", () => {
  for (const at of [0, 500, 999]) {
    const id = sandboxes[at]?.id ?? "";
    const lines = frame({ ...view, state: { ...firstState, selected: id } }, { columns: 120, rows: 30 });
    const marked = lines.filter((line) =>
      line.some((part) => typeof part !== "string" && part.style === "inverse"),
    );
    assert.equal(marked.length, 1);
    assert.ok(plain(marked).startsWith(`variant-${at}-`));
  }
});

test("a page says so where there is nothing, no right to the figures, or too little room", () => {
  const none = { ...view, sandboxes: [], latest: [] };
  assert.match(plain(frame(none, { columns: 80, rows: 24 })), /There are no sandboxes/);
  const failed = { ...none, state: { ...firstState, filter: "failed" as const } };
  assert.match(plain(frame(failed, { columns: 80, rows: 24 })), /No sandbox is failed/);
  assert.ok(view.sample !== undefined);
  const narrow = { ...view, sample: { ...view.sample, metrics: null } };
  assert.match(plain(frame(narrow, { columns: 80, rows: 24 })), /not for this token/);
  assert.match(plain(frame(view, { columns: 39, rows: 24 })), /too small[^]*39 × 24, needs 40 × 12/);
  assert.match(plain(frame({ ...view, sample: undefined }, { columns: 80, rows: 24 })), /Looks …/);
});
