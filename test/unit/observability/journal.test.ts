// The journal: bounded, and played again as it was heard. Channels: what is emitted is published.
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { test } from "node:test";
import { Tracker } from "../../../src/evolution/index.ts";
import { Journal, publishDiagnostics, replayJournal, type AnyEvent } from "../../../src/index.ts";
import { Bus } from "../../../src/observability/bus.ts";
import { mistakeOf } from "../../support/errors.ts";
import { startRuntime } from "../../support/runtimes.ts";

test("Journal writes down what a runtime does, and replay tells it again in the same order, with its times", async () => {
  const runtime = await startRuntime();
  const journal = new Journal();
  const heard: AnyEvent[] = [];
  runtime.events.onAny((event) => heard.push(event));
  const stop = journal.follow(runtime.events);
  await runtime.create("one", { modules: { main: "export const f = () => 1;" } });
  await runtime.batch.evaluate(["one"], () => 5);
  await runtime.destroy("one");
  stop();
  const again: AnyEvent[] = [];
  const tracker = new Tracker();
  const count = replayJournal(journal.toText(), (events) => {
    events.onAny((event) => again.push(event));
    tracker.follow(events);
  });
  assert.equal(count, journal.heard);
  assert.deepEqual(again, JSON.parse(JSON.stringify(heard)));
  // Whoever listens to a replay knows what one who was there knows.
  assert.deepEqual([tracker.fitness.get("one")?.score, tracker.lineage.origin("one").isLiving], [5, false]);
});

test("Journal keeps within its bound, the latest events", () => {
  const bus = new Bus(() => 7);
  const journal = new Journal(2_000);
  journal.follow(bus);
  for (let number = 0; number < 100; number++) bus.emit("sandbox.create.start", { sandboxId: `s${number}` });
  const lines = journal.toText().trimEnd().split("\n");
  assert.ok(lines.length > 5 && lines.join("").length < 2_000);
  assert.match(lines.at(-1) ?? "", /"s99"/);
  assert.equal(journal.heard, 100);
});

test("replayJournal() refuses a line that is no event, and Journal a bound that is none", async () => {
  for (const text of [
    "{",
    '{"name":"sandbox.born","at":1,"event":{}}',
    '{"name":"sandbox.killed","at":"1","event":{}}',
  ])
    await mistakeOf(() => replayJournal(text, () => {}), "INVALID_OPTIONS");
  await mistakeOf(() => new Journal(0), "INVALID_OPTIONS");
});

test("publishDiagnostics() publishes every event on the channel of its name, until it is ended", () => {
  const bus = new Bus(() => 7);
  const stop = publishDiagnostics(bus);
  const heard: unknown[] = [];
  const listen = (message: unknown): void => void heard.push(message);
  subscribe("vivarium:sandbox.failed", listen);
  bus.emit("sandbox.failed", { sandboxId: "a", reason: "x" });
  bus.emit("sandbox.create.start", { sandboxId: "a" });
  stop();
  bus.emit("sandbox.failed", { sandboxId: "b", reason: "x" });
  unsubscribe("vivarium:sandbox.failed", listen);
  assert.deepEqual(heard, [{ name: "sandbox.failed", at: 7, event: { sandboxId: "a", reason: "x" } }]);
});
