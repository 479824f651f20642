// Streams through the public interface: parts when they are asked for, and one defined end for whatever comes in between.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createRuntime } from "../../src/index.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { drain, failureOf, streamSource } from "../support/stream-guests.ts";
import { fulfilled, until } from "../support/waiting.ts";

const runtime = await startRuntime();

const main = () => createMain(runtime, streamSource, { memoryBytes: 32 * 2 ** 20 });

suite("a stream gives its parts", () => {
  test("of async generators, generators and whatever is iterable", async () => {
    await using sandbox = await main();
    assert.deepEqual(await drain(sandbox.stream<string>("main.slow", { args: [2] })), ["part 0", "part 1"]);
    assert.deepEqual(await drain(sandbox.stream<number>("main.quick", { args: [3] })), [0, 1, 2]);
    assert.deepEqual(await drain(sandbox.stream("main.list")), [1, 2, { three: 3 }]);
    assert.deepEqual(await drain(sandbox.stream("main.later")), ["a", "b"]);
  });

  test("when they are asked for, and no sooner", async () => {
    await using sandbox = await main();
    const stream = sandbox.stream("main.quick", { args: [100] });
    assert.deepEqual((await sandbox.call("main.count")).ok, true);
    await stream.next();
    await stream.next();
    const outcome = await sandbox.call("main.count");
    assert.equal(outcome.ok && outcome.value, 2);
    await stream.return();
  });

  test("in order to callers that ask for several at once, and then what the generator returned", async () => {
    await using sandbox = await main();
    const stream = sandbox.stream("main.slow", { args: [2] });
    assert.deepEqual(await Promise.all(Array.from({ length: 4 }, () => stream.next())), [
      { done: false, value: "part 0" },
      { done: false, value: "part 1" },
      { done: true, value: "returned" },
      { done: true, value: undefined },
    ]);
  });

  test("while other runs and streams of the sandbox go on", async () => {
    await using sandbox = await main();
    const streams = [0, 1, 2].map(() => drain(sandbox.stream("main.slow", { args: [5] })));
    const outcome = await sandbox.call("main.count");
    assert.ok(outcome.ok);
    for (const parts of await Promise.all(streams)) assert.equal(parts.length, 5);
  });

  test("each as a run of its own in usage and events", async () => {
    await using sandbox = await main();
    const targets: string[] = [];
    const stop = runtime.events.on("sandbox.run.stop", ({ sandboxId, target }) => {
      if (sandboxId === sandbox.id) targets.push(target);
    });
    await drain(sandbox.stream("main.quick", { args: [3] }));
    stop();
    assert.deepEqual(targets, Array(4).fill("main.quick"));
  });
});

suite("whoever stops ends the generator", () => {
  test("by break: its finally blocks have run", async () => {
    await using sandbox = await main();
    for await (const part of sandbox.stream("main.slow", { args: [9] })) {
      assert.equal(part, "part 0");
      break;
    }
    const ends = await sandbox.call("main.ends");
    assert.deepEqual(ends.ok && ends.value, ["finally"]);
  });

  test("by throwing, and what it throws arrives", async () => {
    await using sandbox = await main();
    await assert.rejects(async () => {
      for await (const _ of sandbox.stream("main.slow", { args: [9] })) throw new TypeError("the caller's");
    }, /the caller's/);
    const ends = await sandbox.call("main.ends");
    assert.deepEqual(ends.ok && ends.value, ["finally"]);
  });

  test("by leaving the scope that holds it", async () => {
    await using sandbox = await main();
    {
      await using stream = sandbox.stream("main.slow", { args: [9] });
      await stream.next();
    }
    const ends = await sandbox.call("main.ends");
    assert.deepEqual(ends.ok && ends.value, ["finally"]);
  });

  test("and what a finally block throws is told", async () => {
    await using sandbox = await main();
    const stream = sandbox.stream("main.badFinally");
    await stream.next();
    const failure = await failureOf(stream.return());
    assert.deepEqual([failure.kind, failure.thrown?.message], ["crashed", "in finally"]);
  });

  test("and return() before the first part runs nothing", async () => {
    await using sandbox = await main();
    const stream = sandbox.stream("main.quick", { args: [3] });
    assert.deepEqual(await stream.return("mine"), { done: true, value: "mine" });
    assert.deepEqual(await stream.next(), { done: true, value: undefined });
    const outcome = await sandbox.call("main.count");
    assert.equal(outcome.ok && outcome.value, 0);
  });
});

suite("a stream has one end when in the middle comes", () => {
  test("its signal: at once, also while nobody asks", async () => {
    await using sandbox = await main();
    const waiting = new AbortController();
    const stream = sandbox.stream("main.stuck", { signal: waiting.signal });
    await stream.next();
    const next = failureOf(stream.next());
    waiting.abort();
    const failure = await next;
    assert.deepEqual([failure.kind, failure.reason], ["cancelled", "signal"]);

    const idle = new AbortController();
    const other = sandbox.stream("main.slow", { args: [9], signal: idle.signal });
    await other.next();
    idle.abort();
    await until("its finally block has run", async () => (await sandbox.logs()).length > 0);
    assert.equal((await failureOf(other.next())).reason, "signal");
    assert.equal(
      (await failureOf(sandbox.stream("main.slow", { signal: idle.signal }).next())).reason,
      "signal",
    );
  });

  test("a reload: it goes on in the code that it began with", async () => {
    await using sandbox = await main();
    const stream = sandbox.stream("main.slow", { args: [3] });
    await stream.next();
    await sandbox.hotReload({ main: `export async function* slow() { yield "new"; }` });
    assert.deepEqual(await drain(stream), ["part 1", "part 2"]);
    assert.deepEqual(await drain(sandbox.stream("main.slow")), ["new"]);
  });

  test("a restart: its generator is gone", async () => {
    await using sandbox = await main();
    const stream = sandbox.stream("main.slow", { args: [9] });
    await stream.next();
    await sandbox.restart();
    const failure = await failureOf(stream.next());
    assert.equal(failure.kind, "cell-lost");
    assert.match(failure.message, /was loaded again since the last one/);
    assert.deepEqual(await stream.next(), { done: true, value: undefined });
  });

  test("another run that costs the isolate: its generator is gone, and the sandbox is not loaded for that", async () => {
    await using sandbox = await main();
    const stream = sandbox.stream("main.slow", { args: [9] });
    await stream.next();
    const outcome = await sandbox.run(() => {
      const all: number[][] = [];
      for (;;) all.push(Array.from({ length: 100_000 }, () => 1));
    });
    assert.equal(outcome.ok || outcome.error.kind, "memory");
    assert.equal((await failureOf(stream.next())).kind, "cell-lost");
    assert.deepEqual(await stream.return(), { done: true, value: undefined });
  });

  test("a suspension: parts wait until it is over", async () => {
    await using sandbox = await main();
    const stream = sandbox.stream("main.slow", { args: [2] });
    await stream.next();
    await sandbox.suspend();
    const next = stream.next();
    await sandbox.resume();
    assert.deepEqual(await fulfilled("the next part", next), { done: false, value: "part 1" });
    await stream.return();
  });

  test("a reader that stops while the sandbox is suspended, without waiting for it to be resumed", async () => {
    await using sandbox = await main();
    const stream = sandbox.stream("main.slow", { args: [9] });
    await stream.next();
    await sandbox.suspend();
    // A run waits for a minute.
    assert.deepEqual(await fulfilled("return()", stream.return(), 30_000), { done: true, value: undefined });
    await sandbox.resume();
    assert.ok((await sandbox.call("main.count")).ok);
  });

  test("the end of the sandbox, whether or not somebody waits", async () => {
    const sandbox = await main();
    const waiting = sandbox.stream("main.stuck");
    const idle = sandbox.stream("main.slow", { args: [9] });
    await waiting.next();
    await idle.next();
    const next = failureOf(waiting.next());
    await sandbox.destroy();
    const failure = await next;
    assert.deepEqual([failure.kind, failure.reason], ["cancelled", "destroyed"]);
    assert.equal((await failureOf(idle.next())).kind, "not-running");
    assert.deepEqual(await fulfilled("return()", idle.return()), { done: true, value: undefined });
  });

  test("the end of the runtime, whether or not somebody waits", async () => {
    const own = await createRuntime({ cells: { count: 1, spare: 0 } });
    const sandbox = await createMain(own, streamSource);
    const waiting = sandbox.stream("main.stuck");
    const idle = sandbox.stream("main.slow", { args: [9] });
    await waiting.next();
    await idle.next();
    const next = failureOf(waiting.next());
    await fulfilled("close()", own.close());
    assert.deepEqual([(await next).kind, (await next).reason], ["cancelled", "closed"]);
    assert.equal((await failureOf(idle.next())).reason, "closed");
    await assert.rejects(sandbox.stream("main.quick").next(), { code: "RUNTIME_CLOSED" });
  });
});

test("a stream of a deterministic sandbox is the same each time, and its parts do not repeat each other", async () => {
  const code = `export function* dice() { for (let i = 0; i < 4; i++) yield Math.random(); }`;
  const once = async (): Promise<unknown[]> => {
    await using sandbox = await runtime.create({ modules: { main: code }, deterministic: { seed: 7 } });
    return await drain(sandbox.stream("main.dice"));
  };
  const first = await once();
  assert.deepEqual(await once(), first);
  assert.equal(new Set(first).size, 4);
});
