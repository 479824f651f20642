// What stands beside a runtime (trackers, shadows, journals, capabilities, clocks) refuses as a runtime does: unknown options,
// wrong types, and arguments of another form.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as otel from "@opentelemetry/api";
import { fetchCapability, filesCapability } from "../../../src/index.ts";
import { paretoFronts, Shadow, Tracker } from "../../../src/evolution/index.ts";
import { instrument, Journal } from "../../../src/telemetry/index.ts";
import { FakeClock } from "../../../src/testing/index.ts";
import { mistakeOf } from "../../support/errors.ts";
import { refuseAll, type RefusalRow } from "../../support/refusals.ts";
import { startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();
const sandbox = await runtime.create("kept", { modules: { main: "export const f = 1;" } });
const tracker = new Tracker();
tracker.lineage.born({ id: "a" });
tracker.populations.register("island", ["a"]);
const functions = { production: () => 1, variant: async () => ({}) };
const origins = ["https://example.com"];

const rows: Readonly<Record<string, RefusalRow>> = {
  "fetchCapability()": [
    (more: object) => fetchCapability({ origins, ...more }),
    [
      ["options.origins", { origins: "https://example.com" }],
      ["options.origins", { origins: ["example.com"] }],
      ["options.privateOrigins", { privateOrigins: ["https://other.example"] }],
      ["options.bodyBytesMax", { bodyBytesMax: -1 }],
      ["options.timeoutMs", { timeoutMs: 0.5 }],
    ],
  ],
  "new Tracker()": [
    (options) => new Tracker(options),
    [
      ["options.direction", { direction: "up" }],
      ["options.individualsMax", { individualsMax: 10.5 }],
      ["options.mutationBytesMax", { mutationBytesMax: -1 }],
      ["options.retainGenerations", { retainGenerations: "3" }],
      ["options.now", { now: 5 }],
    ],
  ],
  "populations.register()": [
    (options) => tracker.populations.register("new", [], options),
    [
      ["options.generation", { generation: -1 }],
      ["options.parentPopulationId", { parentPopulationId: 5 }],
    ],
  ],
  "fitness.statistics()": [(of) => tracker.fitness.statistics(of), [["of.generation", { generation: "1" }]]],
  "fitness.record()": [
    (more: object) => tracker.fitness.record({ id: "a", score: 1, result: "ok", ...more }),
    [
      ["entry.revision", { revision: -1 }],
      ["entry.evaluatedAt", { evaluatedAt: "now" }],
      ["entry.components.size", { components: { size: "big" } }],
    ],
  ],
  "lineage.born()": [
    (more: object) => tracker.lineage.born({ id: "new", ...more }),
    [
      ["birth.generation", { generation: -1 }],
      ["birth.parentIds", { parentIds: "a" }],
      ["birth.id", { id: 5 }],
    ],
  ],
  "new Shadow()": [
    (more: object) => new Shadow({ ...functions, ...more } as never),
    [
      ["options.production", { production: undefined }],
      ["options.variant", { variant: "f" }],
      ["options.isMatch", { isMatch: true }],
      ["options.window", { window: 0.5 }],
      ["options.underwayMax", { underwayMax: -1 }],
      ["options.matchRateAbove", { matchRateAbove: "1" }],
      ["options.timeRatioBelow", { timeRatioBelow: -1 }],
      ["options.monotonic", { monotonic: 5 }],
    ],
  ],
  "new Journal()": [(options) => new Journal(runtime.events, options), [["options.bytes", { bytes: -1 }]]],
  "new FakeClock()": [(options) => new FakeClock(options), [["options.now", { now: "1" }]]],
};

refuseAll(rows);

const { events } = runtime;
const { fitness, populations } = tracker;
const entries = [{ id: "a", values: [1] }];

/** Arguments that are not in an options object. */
const others: Readonly<Record<string, readonly [option: string, act: () => unknown]>> = {
  "events.on() of an unknown event": ["name", () => events.on("sandbox.run.end" as never, () => {})],
  "events.on() of a name that every object has": ["name", () => events.on("toString" as never, () => {})],
  "events.on() without a function": ["act", () => events.on("cell.started", "log" as never)],
  "events.onAny() without a function": ["act", () => events.onAny(undefined as never)],
  "events.publish() of a runtime's own event": [
    "name",
    () => events.publish("cell.started" as never, {} as never),
  ],
  "events.publish() of nothing": ["event", () => events.publish("fitness.adjusted", null as never)],
  "retention() without a function": ["policy", () => runtime.retention({} as never)],
  "autoReload() without a yes or no": ["autoReload.isOn", () => sandbox.autoReload("on" as never)],
  "tracker.follow() of a runtime": ["events", () => tracker.follow(runtime as never)],
  "tracker.follow() of nothing": ["events", () => tracker.follow(undefined as never)],
  "new Journal() of nothing": ["events", () => new Journal(undefined as never)],
  "instrument() of nothing": ["runtime", () => instrument(undefined as never, {} as never)],
  "instrument() without an API": ["api.trace", () => instrument(runtime, undefined as never)],
  "lineage.born() of nothing": ["birth", () => tracker.lineage.born(undefined as never)],
  "fitness.record() of nothing": ["entry", () => fitness.record(undefined as never)],
  "populations.register() of a text": ["sandboxIds", () => populations.register("new", "abc")],
  "populations.register() without a name": ["id", () => populations.register(5 as never, [])],
  "populations.advance() of no texts": ["sandboxIds", () => populations.advance("island", [5] as never)],
  "populations.add() of nothing": ["sandboxIds", () => populations.add("island", undefined as never)],
  "populations.planRing() of half a sandbox": ["count", () => populations.planRing(["island"], 0.5)],
  "populations.migrate() in an unknown way": ["how", () => populations.migrate([], "mvoe" as never)],
  "fitness.top() of a negative number": ["count", () => fitness.top(-1)],
  "fitness.statistics() of an unknown word": ["of", () => fitness.statistics("everyone" as never)],
  "fitness.record() of an unknown result": [
    "result",
    () => fitness.record({ id: "a", score: null, result: "tired" as never }),
  ],
  "fitness.composite() with a weight of no number": [
    "weights.size",
    () => fitness.composite(["a"], { size: "1" as never }),
  ],
  "fitness.fronts() in an unknown direction": [
    "directions[0]",
    () => fitness.fronts([], { size: "up" as never }),
  ],
  "paretoFronts() of half a front": ["limit", () => paretoFronts(entries, ["maximise"], 0.5)],
  "paretoFronts() in an unknown direction": ["directions[0]", () => paretoFronts(entries, ["up" as never])],
  "new Journal() of a runtime": ["events", () => new Journal(runtime as never)],
  "journal.entries() after no number": ["after", () => new Journal(events).entries("1" as never)],
  "journal.replay() without a function": ["act", () => new Journal(events).replay(5 as never)],
  "instrument() without the API": ["api.trace", () => instrument(runtime, {} as never)],
  "instrument() of events": ["runtime", () => instrument(events as never, otel)],
  "filesCapability() of a list": ["files", () => filesCapability(["a.txt"] as never)],
  "filesCapability() of a number": ["files.a", () => filesCapability({ a: 5 } as never)],
};

for (const [name, [option, act]] of Object.entries(others)) {
  test(`${name} is refused`, async () => {
    const error = await mistakeOf(act, "INVALID_OPTIONS");
    assert.equal((error as { option?: unknown }).option, option);
  });
}

test("after all these mistakes a tracker has what it had", () => {
  assert.deepEqual(populations.ids(), ["island"]);
  assert.deepEqual([populations.members("island"), tracker.size().individuals], [["a"], 1]);
});
