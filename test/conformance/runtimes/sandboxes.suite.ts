// The lives of sandboxes, as every runtime must have them.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { errorOf } from "../../support/errors.ts";
import { failureOf, valueOf } from "../../support/outcomes.ts";
import { newId, type Tried } from "./subject.ts";

const main = `
export const f = (n) => n + 1;
console.log("loaded");`;

export function describeSandboxes(tried: Tried): void {
  suite("sandboxes", () => {
    test("a sandbox that is created can be got, listed, described and destroyed", async () => {
      const { runtime } = tried;
      const id = newId();
      const sandbox = await runtime.create(id, { modules: { main }, labels: { run: id } });
      assert.equal(sandbox.id, id);
      assert.equal(await runtime.has(id), true);
      assert.equal(valueOf(await (await runtime.get(id)).call("main.f", { args: [1] })), 2);
      const info = await sandbox.info();
      assert.deepEqual([info.id, info.status, info.revision], [id, "running", 1]);
      assert.deepEqual(
        (await runtime.list({ labels: { run: id } })).map((one) => one.id),
        [id],
      );
      assert.deepEqual(
        (await sandbox.logs()).map(({ text }) => text),
        (await runtime.logs(id)).map(({ text }) => text),
      );
      await sandbox.destroy();
      assert.equal(await runtime.has(id), false);
      assert.equal((await runtime.info(id)).status, "stopped");
      await errorOf(() => runtime.get(id), "SANDBOX_NOT_FOUND");
    });

    test("a sandbox without an id has one that is made up, and is gone when its handle is disposed", async () => {
      let id = "";
      {
        await using sandbox = await tried.runtime.create({ modules: { main } });
        ({ id } = sandbox);
        assert.match(id, /^sandbox-/);
      }
      assert.equal(await tried.runtime.has(id), false);
    });

    test("list() can be asked for a status and for few", async () => {
      await using one = await tried.runtime.create({ modules: { main } });
      await one.suspend();
      const ids = (await tried.runtime.list({ status: ["suspended"], limit: 10 })).map(({ id }) => id);
      assert.ok(ids.includes(one.id));
      assert.equal((await tried.runtime.list({ limit: 1 })).length, 1);
    });

    test("a suspended sandbox runs again when it is resumed, and a restarted one has begun anew", async () => {
      await using sandbox = await tried.runtime.create({
        modules: { main: "let n = 0; export const next = () => ++n;" },
      });
      assert.equal(valueOf(await sandbox.call("main.next")), 1);
      await sandbox.suspend();
      assert.equal((await sandbox.info()).status, "suspended");
      await sandbox.resume();
      assert.equal(valueOf(await sandbox.call("main.next")), 2);
      await sandbox.restart();
      assert.equal(valueOf(await sandbox.call("main.next")), 1);
      await tried.runtime.restart(sandbox.id);
      assert.equal(valueOf(await sandbox.call("main.next")), 1);
    });

    test("limits can be changed, and are told", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main } });
      const { limits, rebuilt } = await sandbox.updateLimits({ timeoutMs: 1_234 });
      assert.deepEqual([limits.timeoutMs, rebuilt], [1_234, false]);
      assert.equal((await sandbox.info()).limits.timeoutMs, 1_234);
      assert.ok((await sandbox.usage()).heapBytes > 0);
    });

    test("a fork has the code of its parent with what differs, and an export can be imported", async () => {
      await using parent = await tried.runtime.create({
        modules: { main: `import { k } from "./lib"; export const f = () => k;`, lib: "export const k = 1;" },
      });
      await using child = await tried.runtime.fork(parent.id, {
        modules: { lib: "export const k = 2;" },
        mutation: { by: "hand" },
      });
      assert.equal(valueOf(await child.call("main.f")), 2);
      const { ancestry } = await child.info();
      assert.deepEqual([ancestry.parentIds, ancestry.mutation], [[parent.id], { by: "hand" }]);
      const individual = await child.export();
      await using copy = await tried.runtime.import(individual, { id: newId() });
      assert.equal(valueOf(await copy.call("main.f")), 2);
      const tampered = { ...individual, labels: { other: "than before" } };
      await errorOf(() => tried.runtime.import(tampered, { id: newId() }), "INVALID_INDIVIDUAL");
    });

    test("capabilities are granted by their names, with quotas, and what their use came to is told", async () => {
      const source = `import { double, fails } from "vivarium/capabilities";
        export const twice = (n) => double(n); export const bad = () => fails();`;
      await using sandbox = await tried.runtime.create({
        modules: { main: source },
        capabilities: { double: { calls: 2 }, fails: {} },
      });
      assert.equal(valueOf(await sandbox.call("main.twice", { args: [4] })), 8);
      assert.equal(valueOf(await sandbox.call("main.twice", { args: [5] })), 10);
      assert.equal(failureOf(await sandbox.call("main.twice", { args: [6] })).kind, "denied");
      assert.doesNotMatch(JSON.stringify(await sandbox.call("main.bad")), /secret/);
      assert.equal((await sandbox.info()).capabilities["double"]?.calls, 2);
    });

    test("a handle whose sandbox is gone has outcomes that say so, and its operations reject", async () => {
      const sandbox = await tried.runtime.create({ modules: { main } });
      await sandbox.destroy();
      const failure = failureOf(await sandbox.call("main.f", { args: [1] }));
      assert.equal(failure.kind, "not-running");
      assert.match(failure.message, /must be running: it is stopped: destroyed by its owner$/);
      assert.equal(failureOf(await sandbox.run("1")).kind, "not-running");
      await errorOf(() => sandbox.restart(), "SANDBOX_NOT_FOUND");
      await sandbox[Symbol.asyncDispose]();
    });
  });
}
