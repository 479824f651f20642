// Counters are what the events add up to.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Bus } from "../../../src/observability/bus.ts";
import { Metrics } from "../../../src/observability/metrics.ts";

function started(fitness = true): { readonly bus: Bus; readonly metrics: Metrics } {
  const bus = new Bus(() => 0);
  return { bus, metrics: new Metrics(bus, { fitness }) };
}

test("Metrics begin with nothing", () => {
  const { runDurations, ...counts } = started().metrics.counters();
  assert.deepEqual([runDurations.sumMs, runDurations.counts.length], [0, runDurations.bounds.length + 1]);
  assert.deepEqual(counts, {
    outcomes: {},
    killed: {},
    cellsExited: {},
    created: 0,
    loadErrors: 0,
    destroyed: 0,
    restarts: 0,
    rebuilds: 0,
    cellsStarted: 0,
    quarantined: 0,
    collected: 0,
    fitness: {},
  });
});

test("Metrics count every event under its own name", () => {
  const { bus, metrics } = started();
  metrics.noteRuns("ok", 1, 1);
  metrics.noteRuns("ok", 1.5, 1);
  metrics.noteRuns("timeout", 99_000, 1);
  for (const reason of ["memory", "memory", "cpu"] as const)
    bus.emit("sandbox.killed", { sandboxId: "a", reason });
  for (const result of ["ok", "PARSE_FAILED", "LOAD_FAILED"])
    bus.emit("sandbox.create.stop", { sandboxId: "a", durationMs: 1, result });
  bus.emit("sandbox.destroy.stop", { sandboxId: "a", durationMs: 1, result: "ok", reason: "" });
  bus.emit("sandbox.restart.stop", { sandboxId: "a", durationMs: 1, result: "ok" });
  bus.emit("sandbox.rebuilt", { sandboxId: "a", rebuilds: 1, reason: "memory" });
  bus.emit("cell.started", { cell: 1, pid: 1, durationMs: 1 });
  for (const cause of ["memory", "exit", "exit"])
    bus.emit("cell.exited", { cell: 1, pid: 1, cause, detail: "", sandboxes: 0 });
  bus.emit("cell.quarantined", { sandboxId: "a", cell: 1, why: "" });
  bus.emit("gc.collected", {
    cause: "timer",
    expired: 2,
    failed: 3,
    unretained: 4,
    policyFailures: [],
    tombstones: 0,
    durationMs: 1,
  });
  const { runDurations, ...counts } = metrics.counters();
  assert.deepEqual([runDurations.counts[0], runDurations.counts[1], runDurations.counts.at(-1)], [1, 1, 1]);
  assert.equal(runDurations.sumMs, 99_002.5);
  assert.deepEqual(counts, {
    outcomes: { ok: 2, timeout: 1 },
    killed: { memory: 2, cpu: 1 },
    cellsExited: { memory: 1, exit: 2 },
    created: 1,
    loadErrors: 2,
    destroyed: 1,
    restarts: 1,
    rebuilds: 1,
    cellsStarted: 1,
    quarantined: 1,
    collected: 9,
    fitness: {},
  });
});

test("Metrics give a picture of the moment that later events do not change", () => {
  const { bus, metrics } = started();
  const before = metrics.counters();
  bus.emit("sandbox.killed", { sandboxId: "a", reason: "cpu" });
  assert.deepEqual(before.killed, {});
});

const computed = {
  sandboxId: "a",
  components: {},
  revision: 1,
  generation: 0,
  createdAt: 1,
  evaluatedAt: 1,
  durationMs: 1,
  population: "north",
  message: null,
} as const;

test("Metrics keep scores and failures of each population apart", () => {
  const { bus, metrics } = started();
  for (const score of [1, 2, 4]) bus.emit("fitness.computed", { ...computed, score, result: "ok" });
  bus.emit("fitness.computed", { ...computed, score: null, result: "timeout" });
  // What the caller takes a failure for is no score.
  bus.emit("fitness.computed", { ...computed, score: 99, result: "crashed" });
  bus.emit("fitness.computed", { ...computed, score: null, result: "load", population: "south" });
  const { north, south } = metrics.counters().fitness;
  assert.deepEqual(north?.results, { ok: 3, timeout: 1, crashed: 1 });
  assert.deepEqual([north?.scores.min, north?.scores.max, north?.scores.sum], [1, 4, 7]);
  assert.deepEqual(south, {
    results: { load: 1 },
    scores: { bounds: [], counts: [0], sum: 0, min: null, max: null },
  });
});

test("Metrics keep a hundred populations, and let go of the one that was silent for longest", () => {
  const { bus, metrics } = started();
  const evaluate = (population: string): void =>
    bus.emit("fitness.computed", { ...computed, score: 1, result: "ok", population });
  for (let number = 0; number < 100; number++) evaluate(`p${number}`);
  evaluate("p0");
  evaluate("one more");
  const { fitness } = metrics.counters();
  assert.equal(Object.keys(fitness).length, 100);
  assert.equal(fitness["p0"]?.results["ok"], 2);
  assert.equal(fitness["p1"], undefined);
});

test("Metrics keep no scores where they are told not to", () => {
  const { bus, metrics } = started(false);
  bus.emit("fitness.computed", { ...computed, score: 1, result: "ok" });
  assert.deepEqual(metrics.counters().fitness, {});
});
