// A disk that takes half a second for each commit: acknowledgements wait for it, and nothing else does.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Folder } from "../../support/folders.ts";
import { settled, turnsDuring } from "../../support/waiting.ts";
import { contentsOf, counter, next, plain, tagOf } from "./folders.ts";
import { openControlled } from "./writers.ts";

const commitMs = 500;

suite("on a slow disk", () => {
  test("what is acknowledged waits, calls do not, and neither does the thread of the caller", async () => {
    using folder = new Folder();
    await using opened = await openControlled(folder.path);
    const { runtime, told } = opened;
    const [a, b] = [await runtime.create("a", plain(1)), await runtime.create("b", counter(1))];
    await opened.order("slow");
    const message = { isStored: false };
    const startedMs = performance.now();
    const { value: calls, turns } = await turnsDuring(async () => {
      const asked = next(b).finally(() => (message.isStored = true));
      let answered = 0;
      for (; !message.isStored; answered++) assert.equal(await tagOf(a), 1);
      assert.equal(await asked, 1);
      return answered;
    });
    const tookMs = performance.now() - startedMs;
    assert.ok(tookMs >= commitMs, `it was acknowledged after ${tookMs} ms`);
    // A thread that waits for the disk would have a few.
    assert.ok(calls > 5 && turns > 50, `${calls} calls were answered meanwhile, in ${turns} turns`);
    await runtime.close();
    assert.deepEqual(told, []);
    const found = { a: "running revision 1 code 1", b: "running revision 1 code 1 count 1" };
    assert.deepEqual(await contentsOf(folder.path), found);
  });

  test("many requests are few commits, none is late, and close() waits for what was sent", async () => {
    using folder = new Folder();
    await using opened = await openControlled(folder.path);
    const { runtime, folder: data, told } = opened;
    const counters = await Promise.all(
      Array.from({ length: 10 }, (_, number) => runtime.create(`b${number}`, counter(1))),
    );
    await opened.order("slow");
    const before = data.transactions;
    const counts = await Promise.all(counters.map((sandbox) => next(sandbox)));
    assert.deepEqual(
      counts,
      counters.map(() => 1),
    );
    const created = await Promise.all(
      Array.from({ length: 40 }, (_, number) => runtime.create(`a${number}`, plain(number))),
    );
    await Promise.all(created.map((sandbox, number) => sandbox.hotReload(plain(number + 100).modules ?? {})));
    await runtime.batch.evaluate(
      created.map(({ id }) => id),
      () => 7,
    );
    const commits = data.transactions - before;
    const requests = counters.length + 4 * created.length;
    assert.ok(commits < requests / 2, `${commits} commits for ${requests} requests`);
    // Sent, and not waited for.
    const [late] = counters;
    assert.ok(late !== undefined);
    const last = settled("the last message", late.ask("counter", "next"));
    const written = runtime.documents.write("runs", new Map([["k", 1]]));
    await runtime.close();
    await written;
    await last;
    assert.deepEqual(told, []);
    const found = await contentsOf(folder.path);
    assert.equal(Object.keys(found).length, 50);
    for (const [number, { id }] of created.entries())
      assert.equal(found[id], `running revision 2 code ${number + 100} score 7`);
  });
});
