// Every bound of a stream, and every option of it, is enforced.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { GuestFailure } from "../../src/index.ts";
import { askedMax, streamsMax } from "../../src/model/runs/stream-bounds.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { drain, failureOf, streamSource } from "../support/stream-guests.ts";
import { until } from "../support/waiting.ts";

const runtime = await startRuntime();
const main = () => createMain(runtime, streamSource, { memoryBytes: 32 * 2 ** 20 });

suite("a stream ends at each of its bounds", () => {
  const endsAt = async (
    target: `main.${string}`,
    options: object,
  ): Promise<{ readonly failure: GuestFailure; readonly parts: number }> => {
    await using sandbox = await main();
    let parts = 0;
    const failure = await failureOf(
      (async () => {
        for await (const _ of sandbox.stream(target, options)) parts++;
      })(),
    );
    // The sandbox is whole afterwards.
    assert.ok((await sandbox.call("main.count")).ok);
    return { failure, parts };
  };

  test("timeoutMs of a part", async () => {
    for (const target of ["main.stuck", "main.spins"] as const) {
      const { failure, parts } = await endsAt(target, { timeoutMs: 500 });
      assert.deepEqual([failure.kind, failure.limit, parts], ["timeout", "timeoutMs", 1], target);
    }
  });

  test("deadlineMs of the whole", async () => {
    const { failure } = await endsAt("main.slow", { args: [1e9], deadlineMs: 200 });
    assert.deepEqual([failure.kind, failure.reason], ["cancelled", "deadline"]);
    assert.match(failure.message, /deadlineMs, 200/);
  });

  test("partsMax", async () => {
    const { failure, parts } = await endsAt("main.quick", { args: [1e6], partsMax: 3 });
    assert.deepEqual([failure.kind, parts], ["output-limit", 3]);
    assert.match(failure.message, /partsMax, 3/);
  });

  test("bytesMax", async () => {
    const { failure, parts } = await endsAt("main.big", { args: [1_000], bytesMax: 5_500 });
    assert.deepEqual([failure.kind, parts], ["output-limit", 5]);
    assert.match(failure.message, /bytesMax, 5500/);
  });

  test("resultBytes of a part", async () => {
    await using sandbox = await createMain(runtime, streamSource, { resultBytes: 1_024 });
    const failure = await failureOf(drain(sandbox.stream("main.big", { args: [2_000] })));
    assert.deepEqual([failure.kind, failure.limit], ["output-limit", "resultBytes"]);
  });

  test("a part that is no data", async () => {
    const { failure, parts } = await endsAt("main.odd", {});
    assert.deepEqual([failure.kind, parts], ["unserializable", 1]);
    assert.match(failure.message, /result\.value\.f is a function/);
  });

  test("fuel of a part", async () => {
    await using sandbox = await createMain(runtime, streamSource, { fuel: 10_000 });
    const failure = await failureOf(drain(sandbox.stream("main.spins")));
    assert.equal(failure.kind, "fuel");
  });

  test("memory", async () => {
    const { failure, parts } = await endsAt("main.hungry", {});
    assert.deepEqual([failure.kind, parts], ["memory", 1]);
  });

  test("what the guest throws", async () => {
    const { failure, parts } = await endsAt("main.throws", {});
    assert.deepEqual([failure.kind, failure.thrown?.code, parts], ["crashed", 3, 1]);
    assert.match(failure.thrown?.stack ?? "", /main:\d+:\d+/);
  });

  test("a function that gives nothing to iterate, and one that is not there", async () => {
    for (const target of ["main.number", "main.text"] as const)
      assert.match((await endsAt(target, {})).failure.message, /must return an iterable or async iterable/);
    assert.equal((await endsAt("main.missing", {})).failure.kind, "not-found");
  });

  test("idleMs while nobody asks: the generator ends, and the next caller is told why", async () => {
    await using sandbox = await main();
    const stream = sandbox.stream("main.slow", { args: [9], idleMs: 20 });
    await stream.next();
    await until("its finally block has run", async () => (await sandbox.logs()).length > 0);
    const failure = await failureOf(stream.next());
    assert.deepEqual([failure.kind, failure.reason], ["cancelled", "idle"]);
    assert.deepEqual(await stream.next(), { done: true, value: undefined });
  });

  test("the number of streams in one sandbox", async () => {
    await using sandbox = await main();
    const streams = Array.from({ length: streamsMax }, () => sandbox.stream("main.quick", { args: [9] }));
    await Promise.all(streams.map((stream) => stream.next()));
    const failure = await failureOf(sandbox.stream("main.quick", { args: [9] }).next());
    assert.deepEqual([failure.kind, failure.reason], ["cancelled", "queue"]);
    await streams[0]?.return();
    assert.deepEqual(await drain(sandbox.stream("main.quick", { args: [1] })), [0]);
  });
});

suite("stream() refuses", () => {
  const mistakes: readonly (readonly [options: object, message: RegExp])[] = [
    [{ partsMax: 0 }, /partsMax as it must be 1–/],
    [{ deadlineMs: -1 }, /deadlineMs as it must be 1–/],
    [{ repeatable: true }, /option "repeatable" .* it is not known here \(here: .*deadlineMs/],
    [{ timeoutMs: 1e9 }, /timeoutMs/],
    [{ args: "text" }, /args as they must be a list/],
    [{ args: [() => 1] }, /args\[0\] as it must be data/],
    [{ signal: 5 }, /signal as it must be an AbortSignal/],
  ];
  for (const [options, message] of mistakes)
    test(`wrong options with the rule: ${String(message)}`, async () => {
      await using sandbox = await main();
      assert.throws(() => sandbox.stream("main.quick", options), message);
    });
});

suite(`at most ${askedMax} calls of next() of one stream wait`, () => {
  test("and each gets its part, in order", async () => {
    await using sandbox = await main();
    const stream = sandbox.stream<number>("main.quick", { args: [1e6] });
    const asked = Array.from({ length: askedMax }, () => stream.next());
    const parts = await Promise.all(asked);
    assert.deepEqual(
      parts.map(({ value }) => value),
      Array.from(parts.keys()),
    );
    await stream.return();
  });

  test("another one is refused at once, and the stream goes on", async () => {
    await using sandbox = await main();
    const stream = sandbox.stream<number>("main.quick", { args: [1e6] });
    const asked = Array.from({ length: askedMax }, () => stream.next());
    const failure = await failureOf(stream.next());
    assert.deepEqual([failure.kind, failure.reason], ["cancelled", "queue"]);
    assert.match(failure.message, /at most 1000 calls of next\(\) .* may wait/);
    await Promise.all(asked);
    assert.deepEqual(await stream.next(), { done: false, value: askedMax });
    await stream.return();
  });

  test("and a return() behind them, after which they are as at any end", async () => {
    await using sandbox = await main();
    const stream = sandbox.stream<number>("main.quick", { args: [3] });
    const asked = Array.from({ length: askedMax }, () => stream.next());
    const returned = stream.return("enough");
    const refused = await failureOf(stream.return());
    assert.equal(refused.reason, "queue");
    assert.deepEqual(await returned, { done: true, value: "enough" });
    assert.deepEqual((await Promise.all(asked)).at(-1), { done: true, value: undefined });
    assert.deepEqual(await stream.return(), { done: true, value: undefined });
  });
});
