// Events, logs and rows, as every runtime has them.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { AnyEvent } from "../../../src/index.ts";
import { errorOf } from "../../support/errors.ts";
import { until } from "../../support/waiting.ts";
import { newId, type Tried } from "./subject.ts";

const main = "export const f = () => 1;";

export function describeRecords(tried: Tried): void {
  suite("records", () => {
    test("events are heard from the moment on where somebody listens, until nobody does", async () => {
      const { runtime } = tried;
      const id = newId();
      const created: string[] = [];
      const all: AnyEvent[] = [];
      const off = runtime.events.on("sandbox.create.stop", ({ sandboxId }) => created.push(sandboxId));
      const offAny = runtime.events.onAny((any) => all.push(any));
      await using sandbox = await runtime.create(id, { modules: { main } });
      await until("it is told", () => created.includes(id));
      off();
      await sandbox.call("main.f");
      await until("the run is told", () =>
        all.some(
          (any) => any.name === "sandbox.run.stop" && any.event.sandboxId === id && any.event.result === "ok",
        ),
      );
      offAny();
      const heard = all.length;
      await using another = await runtime.create({ modules: { main } });
      assert.equal(created.includes(another.id), false);
      assert.equal(all.length, heard);
    });

    test("a subscriber that throws ends nothing, and one more hears what happens after it came", async () => {
      const { runtime } = tried;
      const heard: string[] = [];
      const offs = [
        runtime.events.on("sandbox.create.stop", () => {
          throw new Error("mine");
        }),
        runtime.events.on("sandbox.create.stop", ({ sandboxId }) => heard.push(`created ${sandboxId}`)),
      ];
      const first = await runtime.create({ modules: { main } });
      offs.push(
        runtime.events.on("sandbox.destroy.stop", ({ sandboxId }) => heard.push(`gone ${sandboxId}`)),
      );
      await first.destroy();
      await using second = await runtime.create({ modules: { main } });
      await until(
        "all is told",
        () => heard.includes(`created ${second.id}`) && heard.includes(`gone ${first.id}`),
      );
      for (const off of offs) off();
    });

    test("what is published is an event, and a listener that is none is refused", async () => {
      const { runtime, host } = tried;
      const heard: unknown[] = [];
      const off = host.events.on("fitness.adjusted", (event) => heard.push(event));
      const event = { sandboxId: "x", delta: 1, score: 2, reason: "tried" };
      runtime.events.publish("fitness.adjusted", event);
      await until("it is heard", () => heard.length > 0);
      assert.deepEqual(heard, [event]);
      off();
      assert.throws(() => runtime.events.onAny("no" as never), { code: "INVALID_OPTIONS" });
    });

    test("the audit log, the journal, documents, metrics, health and a sweep answer", async () => {
      const { runtime, host } = tried;
      await using sandbox = await runtime.create({ modules: { main } });
      await errorOf(() => sandbox.hotReload({ main: 'import "node:fs";' }), "SECURITY_REJECTED");
      const entries = await runtime.audit.query({ sandboxId: sandbox.id, kind: ["rejected"] });
      assert.ok(entries.length > 0 && entries.every((entry) => entry.sandboxId === sandbox.id));
      assert.deepEqual(await runtime.journal.entries({ limit: 5 }), await host.journal.entries({ limit: 5 }));
      const rows = new Map<string, unknown>([
        ["a", { n: 1 }],
        ["b", [2]],
      ]);
      await runtime.documents.write("tried", rows);
      assert.deepEqual(await runtime.documents.read("tried"), [...rows]);
      await runtime.documents.write("tried", new Map([["a", undefined]]));
      assert.deepEqual(await runtime.documents.read("tried", "a"), [["b", [2]]]);
      assert.equal((await runtime.metrics()).cells.length, (await host.metrics()).cells.length);
      assert.deepEqual(await runtime.health(), await host.health());
      assert.equal((await runtime.collect()).cause, (await host.collect()).cause);
      assert.equal(runtime.data === null, host.data === null);
      await errorOf(() => runtime.documents.write("tried", {} as never), "INVALID_OPTIONS");
    });
  });
}
