// Events reach whoever subscribed, and no subscriber can hurt the emitter or another subscriber.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Bus, type AnyEvent } from "../../../src/observability/bus.ts";
import { eventNames, eventDescriptions, type EventMap } from "../../../src/observability/catalogue.ts";
import { mistakeOf } from "../../support/errors.ts";

const event = { sandboxId: "a" };

test("Bus calls the subscribers of a name, and nobody else, with the event itself", () => {
  const bus = new Bus(() => 0);
  const got: unknown[] = [];
  bus.on("sandbox.create.start", (each) => got.push(each));
  bus.on("sandbox.destroy.start", () => assert.fail("another name"));
  bus.emit("sandbox.create.start", event);
  assert.equal(got.length, 1);
  assert.equal(got[0], event);
});

test("Bus calls those who subscribed to all with name and time", () => {
  const bus = new Bus(() => 42);
  const got: AnyEvent[] = [];
  bus.onAny((each) => got.push(each));
  bus.emit("sandbox.create.start", event);
  assert.deepEqual(got, [{ name: "sandbox.create.start", at: 42, event }]);
});

test("Bus calls no subscriber whose subscription was ended, also when it ends within an event", () => {
  const bus = new Bus(() => 0);
  let count = 0;
  const stop = bus.on("sandbox.create.start", () => {
    count++;
    stop();
  });
  const stopAny = bus.onAny(() => {
    count++;
    stopAny();
  });
  bus.emit("sandbox.create.start", event);
  bus.emit("sandbox.create.start", event);
  stop();
  assert.equal(count, 2);
});

test("Bus hears a name when anyone listens to it or to all", () => {
  const bus = new Bus(() => 0);
  assert.equal(bus.hears("sandbox.create.start"), false);
  const stop = bus.on("sandbox.create.start", () => {});
  assert.deepEqual([bus.hears("sandbox.create.start"), bus.hears("sandbox.run.start")], [true, false]);
  stop();
  assert.equal(bus.hears("sandbox.create.start"), false);
  bus.onAny(() => {});
  assert.equal(bus.hears("sandbox.run.start"), true);
});

test("a subscriber that throws reaches neither the emitter nor the other subscribers, and is counted", () => {
  const bus = new Bus(() => 0);
  let calls = 0;
  bus.on("sandbox.create.start", () => {
    throw new RangeError("mine");
  });
  bus.on("sandbox.create.start", () => calls++);
  bus.onAny(() => {
    throw new RangeError("mine too");
  });
  bus.onAny(() => calls++);
  bus.emit("sandbox.create.start", event);
  assert.equal(calls, 2);
  assert.equal(bus.subscriberFailures, 2);
});

test("a subscriber that rejects later reaches nobody and is counted", async () => {
  const bus = new Bus(() => 0);
  const rejections: unknown[] = [];
  const note = (reason: unknown): number => rejections.push(reason);
  process.on("unhandledRejection", note);
  bus.on("sandbox.create.start", (async () => {
    await Promise.resolve();
    throw new RangeError("later");
  }) as () => void);
  bus.emit("sandbox.create.start", event);
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  assert.equal(bus.subscriberFailures, 1);
  assert.deepEqual(rejections, []);
});

test("the catalogue has a sentence for every event", () => {
  assert.ok(eventNames.length > 20);
  for (const name of eventNames) assert.match(eventDescriptions[name], /^[A-Z].+\.$/, name);
});

test("Bus lets outsiders tell what may be told, with nothing beside it, and refuses everything else", async () => {
  const bus = new Bus(() => 0);
  const got: AnyEvent[] = [];
  bus.onAny((each) => got.push(each));
  const adjusted: EventMap["fitness.adjusted"] = { sandboxId: "a", delta: 1, score: 2, reason: "luck" };
  bus.publish("fitness.adjusted", { ...adjusted, extra: process } as typeof adjusted);
  assert.deepEqual(got, [{ name: "fitness.adjusted", at: 0, event: adjusted }]);
  for (const wrong of [{ sandboxId: 1 }, { delta: Number.NaN }, { score: null }, { reason: "" }])
    await mistakeOf(
      () => bus.publish("fitness.adjusted", { ...adjusted, ...wrong } as never),
      "INVALID_OPTIONS",
    );
  await mistakeOf(() => bus.publish("cell.exited" as never, adjusted as never), "INVALID_OPTIONS");
  assert.equal(got.length, 1);
});
