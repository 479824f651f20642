// The thread that writes a folder ends: what it had not answered is refused, it is started anew, and goes on.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { errorOf } from "../../support/errors.ts";
import { Folder } from "../../support/folders.ts";
import { childrenOf } from "../../support/processes.ts";
import { failureOf } from "../../support/outcomes.ts";
import { until } from "../../support/waiting.ts";
import { contentsOf, counter, look, next, plain, tagOf } from "./folders.ts";
import { openControlled } from "./writers.ts";

const ended = /its writer must be running: the thread (ended|failed: Error: the test wants it)/;

suite("a writer thread", () => {
  test("that throws is started anew, and all goes on", async () => {
    using folder = new Folder();
    await using opened = await openControlled(folder.path);
    const { runtime, told } = opened;
    const b = await runtime.create("b", counter());
    await next(b);
    const cells = childrenOf(process.pid);
    await opened.order("throw");
    await until("it is told", () => told.includes("degraded"));
    assert.match((await runtime.health()).store.reason ?? "", ended);
    // Whoever asks meanwhile waits for the next thread.
    await runtime.create("a", plain(2));
    assert.equal(await next(b), 2);
    await opened.restored();
    assert.deepEqual(childrenOf(process.pid), cells);
    await runtime.close();
    assert.deepEqual(told, ["degraded", "restored"]);
    const found = { b: "running revision 1 code 1 count 2", a: "running revision 1 code 2" };
    assert.deepEqual(await contentsOf(folder.path), found);
  });

  for (const moment of ["before", "after"] as const)
    test(`that ends ${moment} a commit refuses what it had not answered, and nothing of that comes back`, async () => {
      using folder = new Folder();
      await using opened = await openControlled(folder.path);
      const { runtime } = opened;
      const [a, b, c] = [
        await runtime.create("a", plain(1)),
        await runtime.create("b", counter(1)),
        await runtime.create("c", plain(1)),
      ];
      await next(b);
      const refused = [
        () => runtime.create("d", plain(1)),
        () => a.hotReload(plain(2).modules ?? {}),
        () => a.suspend(),
        () => c.destroy(),
      ];
      for (const act of refused) {
        await opened.order(moment);
        assert.match((await errorOf(act, "STORE_FAILED")).message, ended);
        await opened.restored();
      }
      await opened.order(moment);
      assert.match(failureOf(await b.ask("counter", "next")).message, ended);
      await opened.restored();
      assert.deepEqual([await tagOf(a), (await a.info()).status], [1, "running"]);
      assert.deepEqual(
        (await runtime.list()).map(({ id }) => id),
        ["a", "b"],
      );
      await b.restart();
      await runtime.create("e", plain(5));
      const count = await look(b);
      await runtime.close();
      // Whether a message whose answer was lost is counted is known only where its thread ended before the commit.
      assert.ok(count === 1 || (moment === "after" && count === 2), String(count));
      const found = { a: "running revision 1 code 1", b: `running revision 1 code 1 count ${count}` };
      assert.deepEqual(await contentsOf(folder.path), { ...found, e: "running revision 1 code 5" });
    });
});
