// Reloads among each other, and among runs: one after the other in one sandbox, side by side in many.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, unwrap, type Runtime, type Sandbox } from "../../src/index.ts";
import {
  ask,
  codeStateOf,
  failureKind,
  refusalOf,
  shortly,
  type TestedBackend,
} from "../support/reloading.ts";
import { until } from "../support/waiting.ts";

const tagged = (tag: string | number) => `export const tag = () => "${tag}";`;

export function reloadOrderSuite(backend: TestedBackend, runtime: { readonly current: Runtime }): void {
  const create = (): Promise<Sandbox> => runtime.current.create({ modules: { main: tagged(0) } });

  test(`${backend}: reloads of one sandbox go one after the other, in the order of asking`, async () => {
    await using sandbox = await create();
    let inside = 0;
    const seen: string[] = [];
    const reports = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        sandbox.hotReload(
          { main: tagged(i + 1) },
          {
            verify: async (candidate) => {
              assert.equal(++inside, 1);
              seen.push(await ask(candidate, "main.tag"));
              inside--;
              return true;
            },
          },
        ),
      ),
    );
    assert.deepEqual(
      reports.map(({ revision }) => revision),
      Array.from({ length: 10 }, (_, i) => i + 2),
    );
    assert.deepEqual(
      seen,
      Array.from({ length: 10 }, (_, i) => String(i + 1)),
    );
    assert.equal(await ask(sandbox, "main.tag"), "10");
  });

  test(`${backend}: reloads of many sandboxes go side by side`, async () => {
    const sandboxes = await Promise.all(Array.from({ length: 8 }, create));
    let inside = 0;
    const { promise: allInside, resolve } = Promise.withResolvers<void>();
    // Each waits for all: one after the other they would wait forever.
    const verify = async (): Promise<boolean> => {
      if (++inside === sandboxes.length) resolve();
      await allInside;
      return true;
    };
    await Promise.all(sandboxes.map((sandbox) => sandbox.hotReload({ main: tagged("new") }, { verify })));
    for (const sandbox of sandboxes) assert.equal(await ask(sandbox, "main.tag"), "new");
    await runtime.current.batch.destroy(sandboxes.map(({ id }) => id));
  });

  test(`${backend}: runs that come during a reload wait and see the new code, or the old when it is undone`, async () => {
    await using sandbox = await create();
    for (const isGood of [true, false]) {
      const { promise: gate, resolve: open } = Promise.withResolvers<void>();
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      const verify = async (): Promise<boolean> => {
        begin();
        await gate;
        return isGood;
      };
      const reloading = Promise.allSettled([
        sandbox.hotReload({ main: tagged(isGood ? "good" : "bad") }, { verify }),
      ]);
      await begun;
      assert.equal((await sandbox.info()).status, "reloading");
      let answered = 0;
      const calls = Array.from({ length: 5 }, async () => {
        const value = await ask(sandbox, "main.tag");
        answered++;
        return value;
      });
      const shipped = sandbox.run((modules) => modules["main"]?.["tag"]?.());
      assert.equal(answered, 0, "nobody was let in");
      open();
      assert.deepEqual(
        await Promise.all(calls),
        Array.from({ length: 5 }, () => "good"),
      );
      assert.equal(unwrap(await shipped), "good");
      assert.equal((await reloading)[0].status, isGood ? "fulfilled" : "rejected");
    }
  });

  test(`${backend}: a rollback that waits for a reload goes back from what that reload made`, async () => {
    await using sandbox = await create();
    await Promise.all([
      sandbox.hotReload({ main: tagged(1), extra: tagged("extra") }),
      sandbox.rollbackTo(1),
    ]);
    const { modules, revision } = await sandbox.info();
    assert.deepEqual([Object.keys(modules), modules["main"]?.version, revision], [["main"], 1, 3]);
    assert.equal(await ask(sandbox, "main.tag"), "0");
    const [, back] = await Promise.all([sandbox.hotReload({ main: tagged(2) }), sandbox.rollback("main", 3)]);
    assert.deepEqual(shortly(back), { status: "unchanged", modules: { main: 3 } });
  });

  test(`${backend}: a reload asked for while it is verified is refused instead of waiting for itself`, async () => {
    await using sandbox = await create();
    const codes: unknown[] = [];
    const verify = async (candidate: Sandbox): Promise<boolean> => {
      for (const handle of [candidate, sandbox]) {
        codes.push((await refusalOf(handle.hotReload({ main: tagged("inner") }))).code);
        codes.push((await refusalOf(handle.rollback("main", 1))).code);
        codes.push((await refusalOf(handle.rollbackTo(1))).code);
        codes.push((await refusalOf(handle.restart())).code);
      }
      return true;
    };
    await sandbox.hotReload({ main: tagged("outer") }, { verify });
    assert.deepEqual(new Set(codes), new Set(["SANDBOX_NOT_RUNNING"]));
    assert.equal(await ask(sandbox, "main.tag"), "outer");
  });

  test(`${backend}: a dry run reports what would change and changes nothing`, async () => {
    await using sandbox = await create();
    await sandbox.hotReload({ main: tagged(1) });
    const before = await codeStateOf(sandbox);
    const plan = await sandbox.hotReload({ main: tagged(2), more: tagged("m") }, { dryRun: true });
    assert.deepEqual(plan, { status: "reloaded", revision: 3, modules: { main: 3, more: 1 } });
    const same = await sandbox.hotReload({ main: tagged(1) }, { dryRun: true });
    assert.deepEqual(same, { status: "unchanged", revision: 2, modules: { main: 2 } });
    await refusalOf(sandbox.hotReload({ main: "const = ;" }, { dryRun: true }), "PARSE_FAILED");
    await refusalOf(sandbox.hotReload({ main: 'import "./none"' }, { dryRun: true }), "LOAD_FAILED");
    assert.deepEqual(await codeStateOf(sandbox), before);
    assert.equal(await ask(sandbox, "main.tag"), "1");
  });

  test(`${backend}: the same source again is unchanged, and its variables are left alone`, async () => {
    const counting = "let n = 0; export const next = () => ++n;";
    await using sandbox = await runtime.current.create({ modules: { main: counting, other: tagged(0) } });
    await ask(sandbox, "main.next");
    let verified = 0;
    const verify = (): boolean => ++verified > 0;
    assert.deepEqual(await sandbox.hotReload({ main: counting }, { verify }), {
      status: "unchanged",
      revision: 1,
      modules: { main: 1 },
    });
    assert.equal(verified, 0);
    assert.equal(await ask(sandbox, "main.next"), 2);
    const mixed = await sandbox.hotReload({ main: counting, other: tagged(1), gone: null });
    assert.deepEqual(mixed, { status: "reloaded", revision: 2, modules: { main: 1, other: 2, gone: null } });
    assert.equal(await ask(sandbox, "main.next"), 3, "of a reload, what is the same is not evaluated");
  });

  test(`${backend}: a compiled module is as good as its source`, async () => {
    for (const fuel of [null, 1_000]) {
      await using sandbox = await runtime.current.create({ modules: { main: tagged(0) }, limits: { fuel } });
      const artifact = await runtime.current.compile.source(tagged("compiled"));
      const report = await sandbox.hotReload({ main: artifact });
      assert.equal(report.status, "reloaded");
      const outcome = await sandbox.call("main.tag");
      assert.equal(unwrap(outcome), "compiled");
      assert.equal(outcome.usage.fuel, fuel === null ? null : 1);
      assert.equal((await sandbox.hotReload({ main: tagged("compiled") })).status, "unchanged");
    }
  });

  test(`${backend}: the mutation is stored with the versions that it made`, async () => {
    await using sandbox = await create();
    const mutation = { by: "llm", edits: [{ line: 1 }] };
    await sandbox.hotReload({ main: tagged(1), more: tagged("m") }, { mutation });
    const [first, second] = await sandbox.history("main");
    assert.deepEqual(
      [first?.mutation, first?.parent, second?.mutation, second?.parent],
      [null, null, mutation, 1],
    );
    assert.deepEqual((await sandbox.history("more"))[0]?.mutation, mutation);
    mutation.edits.length = 0;
    assert.deepEqual((await sandbox.history("main"))[1]?.mutation, { by: "llm", edits: [{ line: 1 }] });
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    for (const wrong of [cyclic, 1n, "x".repeat(100_000)])
      await refusalOf(sandbox.hotReload({ main: tagged(2) }, { mutation: wrong }), "INVALID_OPTIONS");
  });

  test(`${backend}: batch.hotReload reloads each, alike or with its own, and a failure is one item's value`, async () => {
    const made = await runtime.current.batch.create(
      Array.from({ length: 20 }, () => ({ modules: { main: tagged(0) } })),
    );
    const ids = made.map(({ sandboxId }) => sandboxId);
    const alike = await runtime.current.batch.hotReload(ids, { main: tagged("all") }, { mutation: "batch" });
    assert.ok(alike.every((item) => item.ok && item.value.status === "reloaded"));
    const each = await runtime.current.batch.hotReload([...ids, "nobody"], (id, i) => ({
      main: i === 7 ? "const = ;" : tagged(`${id} ${i}`),
    }));
    assert.deepEqual(
      each.flatMap((item) => (item.ok ? [] : [[item.index, item.error.code]])),
      [
        [7, "PARSE_FAILED"],
        [20, "SANDBOX_NOT_FOUND"],
      ],
    );
    const tags = await runtime.current.batch.call(ids, "main.tag");
    assert.deepEqual(
      tags.map(unwrap),
      ids.map((id, i) => (i === 7 ? "all" : `${id} ${i}`)),
    );
    await runtime.current.batch.destroy(ids);
  });

  test(`${backend}: a sandbox that is destroyed, failed, or destroyed meanwhile refuses the reload with a message`, async () => {
    const sandbox = await create();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const verify = async (): Promise<boolean> => {
      begin();
      await sandbox.destroy();
      return true;
    };
    const meanwhile = refusalOf(sandbox.hotReload({ main: tagged(1) }, { verify }), "CANCELLED");
    await begun;
    await meanwhile;
    await sandbox[Symbol.asyncDispose]();
    await refusalOf(sandbox.hotReload({ main: tagged(2) }), "SANDBOX_NOT_FOUND");
    await refusalOf(runtime.current.create("broken", { modules: { main: "throw 1" } }), "LOAD_FAILED");
    await using failed = await runtime.current.get("broken");
    await refusalOf(failed.hotReload({ main: tagged(1) }), "SANDBOX_NOT_RUNNING");
    assert.equal(await failureKind(failed, "main.tag"), "not-running");
  });

  test(`${backend}: a reload under way when the runtime closes is rejected`, async () => {
    const closing = await createRuntime({ compiler: { backend }, cells: { count: 1, spare: 0, warm: 1 } });
    const sandbox = await closing.create({ modules: { main: tagged(0) } });
    const slow = "console.log('inside'); await new Promise((go) => setTimeout(go, 3_000));";
    const reloading = refusalOf(sandbox.hotReload({ main: slow }));
    const waiting = refusalOf(sandbox.hotReload({ main: tagged(1) }));
    await until("it is evaluated", async () => (await sandbox.logs()).length > 0);
    await closing.close();
    assert.ok(["RUNTIME_CLOSED", "LOAD_FAILED", "SANDBOX_NOT_RUNNING"].includes((await reloading).code));
    assert.ok(["RUNTIME_CLOSED", "LOAD_FAILED", "SANDBOX_NOT_RUNNING"].includes((await waiting).code));
  });
}
