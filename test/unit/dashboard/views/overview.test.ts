// The figures of the overview: pace, progress, improvement, what dies, the distribution, and the excerpt of a program.
import assert from "node:assert/strict";
import { ServerClock } from "../../../../dashboard/src/model/server-clock.ts";
import { test } from "node:test";
import { runEntry, type RunEntry } from "../../../../src/model/run-entry.ts";
import { killRows, outcomeRows } from "../../../../dashboard/src/views/overview/deaths.ts";
import { excerptOf } from "../../../../dashboard/src/views/overview/excerpt.ts";
import {
  improvementText,
  newestRun,
  paceOf,
  rateAt,
} from "../../../../dashboard/src/views/overview/figures.ts";
import { histogramOf } from "../../../../dashboard/src/views/overview/histogram.ts";
import { sortedRuns } from "../../../../dashboard/src/views/runs/sort.ts";

const options = { evaluated: 0, rate: null, now: 100_000, startedAt: null, evaluatedInAll: null };
const runOf = (value: Partial<RunEntry>): RunEntry => runEntry("a", value);

test("the newest run is the one that said something last", () => {
  const runs = [runEntry("old", { updatedAt: 1 }), runEntry("new", { updatedAt: 9 }), runEntry("silent", {})];
  assert.equal(newestRun(runs)?.name, "new");
  assert.equal(newestRun([]), null);
  assert.deepEqual(
    sortedRuns(runs.toReversed()).map(({ name }) => name),
    ["new", "old", "silent"],
  );
});

test("the rate is that of the last ten seconds", () => {
  const slices = Array.from({ length: 60 }, (_, second) => ({
    at: second * 1_000,
    counts: [second < 50 ? 100 : 5],
  }));
  assert.equal(rateAt({ slices, sliceMs: 1_000 }, 60_000), 5);
});

test("the rate of a beginning is that since the first evaluation, and that of long ago is nothing", () => {
  const slices = [{ at: 1_000, counts: [6] }];
  assert.equal(rateAt({ slices, sliceMs: 1_000 }, 3_000), 3);
  assert.equal(rateAt({ slices, sliceMs: 1_000 }, 60_000), 0);
  assert.equal(rateAt({ slices: [], sliceMs: 1_000 }, 60_000), null);
});

test("slices longer than ten seconds are counted whole", () => {
  const slices = [
    { at: 0, counts: [640] },
    { at: 64_000, counts: [32] },
  ];
  assert.equal(rateAt({ slices, sliceMs: 64_000 }, 72_000), (32 + 640) / 72);
});

test("the server's time follows from its events, whatever the clock of the page", () => {
  const clock = new ServerClock();
  assert.equal(clock.now(5_000), 5_000);
  clock.observe(9_000, 6_000);
  assert.equal(clock.now(6_500), 9_500);
  // One that comes late says less than it is.
  clock.observe(9_000, 8_000);
  assert.equal(clock.now(8_000), 11_000);
  // A clock was set back.
  clock.observe(3_000, 70_000);
  assert.equal(clock.now(70_000), 3_000);
});

test("the improvement is told against the first generation", () => {
  assert.equal(improvementText(8, 6), "25 % lower than the best of the first generation, 8");
  assert.equal(improvementText(0, 6), "6 higher than the best of the first generation, 0");
  assert.equal(improvementText(-4, -1), "3 higher than the best of the first generation, -4");
  assert.equal(improvementText(5, 5), "still 5, as the best of the first generation");
  assert.equal(improvementText(Number.NaN, 5), null);
});

test("progress is unknown where no budget is known", () => {
  const pace = paceOf(runOf({ evaluations: 50, durationMs: 1_000 }), options);
  assert.deepEqual([pace.share, pace.leftMs, pace.evaluations, pace.duration], [null, null, null, null]);
});

test("the time left follows from the pace, or from the budget of time where that ends first", () => {
  const run = { evaluations: 50, evaluationsMax: 200, durationMs: 10_000, updatedAt: 100_000 };
  assert.equal(paceOf(runOf(run), options).leftMs, 30_000);
  assert.equal(paceOf(runOf(run), options).share, 0.25);
  const timed = paceOf(runOf({ ...run, durationMsMax: 20_000 }), { ...options, now: 104_000 });
  assert.deepEqual([timed.leftMs, timed.share], [6_000, 0.7]);
});

test("the time left is unknown before anything was evaluated", () => {
  assert.equal(paceOf(runOf({ evaluations: 0, evaluationsMax: 9 }), options).leftMs, null);
});

test("what is done has no time left, but at a time before it was done it has", () => {
  const run = runOf({ state: "done", evaluations: 200, evaluationsMax: 200, durationMs: 10_000 });
  const { isDone, leftMs } = paceOf(run, options);
  assert.deepEqual([isDone, leftMs], [true, null]);
  const earlier = paceOf(run, { ...options, evaluated: 50, startedAt: 90_000, evaluatedInAll: 200 });
  assert.deepEqual([earlier.isDone, earlier.leftMs, earlier.share], [false, 30_000, 0.25]);
});

test("what the run had done before is its share, as a run may count otherwise than the page", () => {
  const run = runOf({ state: "done", evaluations: 202, evaluationsMax: 200, durationMs: 10_000 });
  const document = { ...options, startedAt: 90_000, evaluatedInAll: 300 };
  const earlier = paceOf(run, { ...document, evaluated: 150 });
  assert.deepEqual([earlier.evaluations, earlier.isEarlier], [{ done: 101, max: 200 }, true]);
  // Nothing was evaluated afterwards, whatever else happened.
  const end = paceOf(run, { ...document, evaluated: 300 });
  assert.deepEqual([end.evaluations, end.isEarlier, end.isDone], [{ done: 202, max: 200 }, false, true]);
  const silent = paceOf(runOf({ evaluationsMax: 600 }), { ...document, evaluated: 150 });
  assert.deepEqual(silent.evaluations, { done: 150, max: 600 });
});

test("what dies is told with its meaning and share, scores first and then the most frequent", () => {
  const rows = outcomeRows(
    new Map([
      ["memory", 1],
      ["timeout", 3],
      ["ok", 4],
      ["never", 0],
      ["constructor", 2],
    ]),
  );
  assert.deepEqual(
    rows.map(({ kind, share }) => [kind, share]),
    [
      ["ok", 0.4],
      ["timeout", 0.3],
      ["constructor", 0.2],
      ["memory", 0.1],
    ],
  );
  assert.match(rows[1]?.meaning ?? "", /deadline/);
  assert.match(rows[2]?.meaning ?? "", /does not know/);
});

test("each reason of a kill has a meaning", () => {
  const reasons = ["timeout", "cpu", "fuel", "processes", "queue", "memory", "output", "crashed"];
  for (const { kind, meaning } of killRows(new Map(reasons.map((reason) => [reason, 1]))))
    assert.doesNotMatch(meaning, /does not know/, kind);
});

test("a histogram counts each score once, and says what lies far away", () => {
  const scores = Float64Array.from([...Array.from({ length: 100 }, (_, at) => at / 10), 1e6]);
  const histogram = histogramOf(scores, "minimise");
  const within = histogram?.counts.reduce((sum, count) => sum + count, 0);
  assert.deepEqual([within, histogram?.below, histogram?.above], [100, 0, 1]);
  assert.deepEqual([histogram?.scored, histogram?.lowest, histogram?.highest], [101, 0, 1e6]);
  assert.equal(histogramOf(new Float64Array(), "maximise"), null);
});

test("an excerpt has the first lines with nothing hidden in them, and says how many it left out", () => {
  const source = `${Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n")}\n`;
  const excerpt = excerptOf({ candidate: source }, null, 5);
  assert.deepEqual([excerpt?.text.split("\n").length, excerpt?.left, excerpt?.module], [5, 15, "candidate"]);
  assert.equal(excerptOf({ a: "let x; // \u202e" })?.text, "let x; // \\u202e");
  assert.equal(excerptOf({}), null);
  const [before, after] = [
    { lib: "long ".repeat(9), rule: "a" },
    { lib: "long ".repeat(9), rule: "b" },
  ];
  assert.equal(excerptOf(after, before)?.module, "rule");
  assert.equal(excerptOf({ ...before, lib: "other ".repeat(9) }, before)?.module, "lib");
  assert.equal(excerptOf(before)?.module, "rule");
});

test("a line or a source of a megabyte is cut", () => {
  assert.ok((excerptOf({ a: "x".repeat(1e6) })?.text.length ?? 0) < 200);
  assert.equal(excerptOf({ a: "x\n".repeat(1e6) }, null, 10)?.left, 1e6 - 10);
});
