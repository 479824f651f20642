// Mistakes in batches: those that all items share reject the batch, those of one item end that item, and nothing breaks.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Batch, BatchOutcome, VivariumError } from "../../../src/index.ts";
import { mistakeOf, errorOf } from "../../support/errors.ts";
import { busySource } from "../../support/guests.ts";
import { startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();
const { batch } = runtime;
await runtime.create("a", { modules: { main: busySource } });
await runtime.create("b", {
  modules: { main: busySource },
  limits: { cpuMs: 5_000, timeoutMsMax: 1_000, timeoutMs: 900 },
});
const ids = ["a", "b"];

suite("what all items share", () => {
  for (const given of [undefined, null, 5, "ab", { length: 1 }, new Set(["a"])]) {
    test(`a list that is ${String(given)} is refused`, async () => {
      await mistakeOf(() => batch.create(given as never), "INVALID_OPTIONS");
      await mistakeOf(() => batch.destroy(given as never), "INVALID_OPTIONS");
      await mistakeOf(() => batch.call(given as never, "main.bump"), "INVALID_OPTIONS");
      await mistakeOf(() => batch.run(given as never, () => 1), "INVALID_OPTIONS");
      await mistakeOf(() => batch.hotReload(given as never, { main: "" }), "INVALID_OPTIONS");
    });
  }

  for (const [code, options] of [
    ["INVALID_LIMITS", { timeoutMs: -5 }],
    ["INVALID_LIMITS", { timeoutMs: 1.5 }],
    ["INVALID_LIMITS", { cpuMs: 0 }],
    ["INVALID_OPTIONS", { repeatable: "yes" }],
    ["INVALID_OPTIONS", { args: "ab" }],
    ["INVALID_OPTIONS", { signal: {} }],
    ["INVALID_OPTIONS", { concurrency: 0 }],
    ["UNSERIALIZABLE", { args: [() => 1] }],
  ] as const) {
    test(`${JSON.stringify(options)} is refused with ${code}, by call and by run, also for no items`, async () => {
      for (const list of [ids, []]) {
        await mistakeOf(() => batch.call(list, "main.bump", options as never), code);
        await mistakeOf(() => batch.run(list, () => 1, options as never), code);
      }
    });
  }

  for (const [modules, options] of [
    [undefined, {}],
    [{}, {}],
    [{ main: 5 }, {}],
    [{ main: "" }, { verify: 5 }],
    [{ main: "" }, { migrate: "x" }],
    [{ main: "" }, { dryRun: "x" }],
    [{ main: "" }, { mutation: 1n }],
    [{ main: "" }, { timeoutMs: 5 }],
  ] as const) {
    test(`a reload of ${JSON.stringify(modules)} with the option ${Object.keys(options).join()} is refused, also for no items`, async () => {
      for (const list of [ids, []])
        await mistakeOf(() => batch.hotReload(list, modules as never, options as never), "INVALID_OPTIONS");
    });
  }

  test("a target that names no export is refused", async () => {
    await mistakeOf(() => batch.call(ids, "main" as never), "INVALID_OPTIONS");
  });

  test("a function that cannot be shipped is refused, also for no items", async () => {
    for (const list of [ids, []])
      await mistakeOf(() => batch.run(list, Math.max as never), "INVALID_OPTIONS");
  });

  test("a batch that is refused as a whole is told as an event and leaves no run behind", async () => {
    const events: string[] = [];
    const stop = runtime.events.on("sandbox.batch.exception", ({ operation, code }) =>
      events.push(`${operation} ${code}`),
    );
    await errorOf(() => batch.call(ids, "main.bump", { timeoutMs: -5 }), "INVALID_LIMITS");
    await errorOf(() => batch.run(ids, Math.max as never), "INVALID_OPTIONS");
    await errorOf(() => batch.create([], { concurrency: 0 }), "INVALID_OPTIONS");
    stop();
    assert.deepEqual(events, ["call INVALID_LIMITS", "run INVALID_OPTIONS", "create INVALID_OPTIONS"]);
    assert.equal((await runtime.metrics()).runsUnderway, 0);
  });
});

suite("a batch that is refused", () => {
  const refused = (): Batch<BatchOutcome<unknown>> => batch.call(ids, "main.bump", { concurrency: 0 });

  test("is a batch all the same: nothing is thrown where it is made, and it has no items", async () => {
    const all = [
      refused(),
      batch.create(5 as never),
      batch.destroy(5 as never),
      batch.hotReload(ids, {}),
      batch.run(ids, Math.max as never),
      batch.evaluate(ids, 5 as never),
    ];
    for (const each of all) {
      assert.deepEqual(each.progress, { done: 0, size: 0 });
      await mistakeOf(() => each, "INVALID_OPTIONS");
    }
  });

  test("rejects then, catch and finally", async () => {
    const codeOf = (error: unknown): string => (error as VivariumError).code;
    assert.equal(await refused().then(() => "", codeOf), "INVALID_OPTIONS");
    assert.equal(await refused().catch(codeOf), "INVALID_OPTIONS");
    let isOver = false;
    const finished = refused().finally(() => (isOver = true));
    assert.equal(await finished.catch(codeOf), "INVALID_OPTIONS");
    assert.ok(isOver);
  });

  // The runner fails a test that leaves an unhandled rejection behind.
  test("throws at the first item when it is iterated, and is handled then", async () => {
    const iterator = refused()[Symbol.asyncIterator]();
    await mistakeOf(() => iterator.next(), "INVALID_OPTIONS");
    await mistakeOf(async () => {
      for await (const _ of refused()) assert.fail("it has no items");
    }, "INVALID_OPTIONS");
  });

  test("rejects with RUNTIME_CLOSED once the runtime is closed", async () => {
    const other = await startRuntime();
    await other.close();
    const closed = [
      other.batch.create([]),
      other.batch.call(ids, "main.bump"),
      other.batch.evaluate([], () => 1),
    ];
    for (const each of closed) await errorOf(() => each, "RUNTIME_CLOSED");
  });
});

suite("what is one item's own", () => {
  test("an id that is unknown or not admitted ends its item and no other", async () => {
    const results = await batch.call(["a", "nobody", "../etc", 5 as never, "a"], "main.spin", { args: [1] });
    assert.deepEqual(
      results.map((result) => (result.ok ? result.value : result.error.kind)),
      [1, "not-running", "not-running", "not-running", 1],
    );
    const destroyed = await batch.destroy(["nobody", "../etc"]);
    assert.deepEqual(
      destroyed.map((result) => (result.ok ? "ok" : result.error.code)),
      ["SANDBOX_NOT_FOUND", "INVALID_ID"],
    );
  });

  test("limits above one sandbox's ceiling end that item and no other", async () => {
    const results = await batch.call(ids, "main.spin", { args: [1], timeoutMs: 2_000 });
    assert.equal(results[0]?.ok, true);
    assert.ok(results[1]?.ok === false);
    assert.match(
      results[1].error.message,
      /Cannot set timeoutMs for one call as it must be at most 1000: got 2000/,
    );
  });

  test("processor time below every sandbox's ceiling is fine, whatever the runtime's own limit is", async () => {
    await using strict = await startRuntime({ limits: { cpuMs: 100 } });
    await strict.create("generous", { modules: { main: busySource }, limits: { cpuMs: 60_000 } });
    const [result] = await strict.batch.call(["generous"], "main.spin", { args: [1], cpuMs: 30_000 });
    assert.equal(result?.ok, true);
  });

  test("arguments that are made for each item may be wrong for one of them", async () => {
    const odd = [() => [1], () => "ab", () => [() => 1], () => undefined] as const;
    for (const [index, make] of odd.entries()) {
      const results = await batch.call(ids, "main.spin", {
        args: ((id: string) => (id === "a" ? make() : [1])) as never,
      });
      assert.equal(results[1]?.ok, true);
      assert.equal(results[0]?.ok, index === 0 || index === 3, `make ${index}`);
    }
  });

  for (const concurrency of [1, 1_024]) {
    test(`a function for arguments that throws ends its item and no other, ${concurrency} at a time`, async () => {
      const results = await batch.call(["a", "b", "a", "b"], "main.spin", {
        concurrency,
        args: (_, index) => {
          if (index % 2 === 1) throw new RangeError(`no arguments for ${index}`);
          return [1];
        },
      });
      assert.deepEqual(
        results.map(({ ok }) => ok),
        [true, false, true, false],
      );
      assert.ok(results[3]?.ok === false);
      assert.match(results[3].error.message, /no arguments for 3/);
    });
  }

  test("a function for modules that throws, or makes none, ends its item and no other", async () => {
    const results = await batch.hotReload(["a", "b", "a"], (_, index) => {
      if (index === 0) throw new RangeError("no modules for 0");
      return index === 1 ? ({} as never) : { extra: "export const x = 1;" };
    });
    assert.deepEqual(
      results.map((result) => (result.ok ? result.value.status : result.error.code)),
      ["INVALID_OPTIONS", "INVALID_OPTIONS", "reloaded"],
    );
  });

  test("a spec that is none ends its item, with the others created", async () => {
    const modules = { main: busySource };
    const results = await batch.create([
      null,
      { modules, id: "c" },
      5,
      { modules, extra: 1 },
      { id: "../x", modules },
    ] as never);
    assert.deepEqual(
      results.map((result) => (result.ok ? result.value.id : result.error.code)),
      ["INVALID_OPTIONS", "c", "INVALID_OPTIONS", "INVALID_OPTIONS", "INVALID_ID"],
    );
    await runtime.destroy("c");
  });

  test("a spec's own signal counts in a batch too", async () => {
    const modules = { main: busySource };
    const [first, second] = await batch.create([
      { modules, signal: AbortSignal.abort() },
      { modules, id: "d" },
    ]);
    assert.equal(first?.ok === false && first.error.code, "CANCELLED");
    assert.equal(second?.ok, true);
    await runtime.destroy("d");
  });
});
