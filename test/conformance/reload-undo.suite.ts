// A reload of ten modules that fails, at each of its steps: behaviour, variables, versions and head are as before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LoadError, type HotReloadOptions, type Runtime, type Sandbox } from "../../src/index.ts";
import type { FlakyStore } from "../support/flaky-store.ts";
import { ask, codeStateOf, killCellOf, refusalOf, type TestedBackend } from "../support/reloading.ts";
import { until } from "../support/waiting.ts";

const names = Array.from({ length: 10 }, (_, i) => `m${i}`);
const broken = "m6";

// Ten modules in a row, each with a variable of its own; `extra` is put at the end of one of them.
function tenModules(tag: string, extra = ""): Record<string, string> {
  const sources = names.map((name, i) => {
    const next = i < 9 ? `import { count as next } from "./m${i + 1}";` : "const next = () => [];";
    const own = `let n = 0; export const count = () => ["${tag}" + ++n, ...next()];`;
    return [name, `${next} ${own} ${name === broken ? extra : ""}`];
  });
  return Object.fromEntries(sources) as Record<string, string>;
}

const generousMs = 20_000;
const briefMs = 300;

const allOf = (text: string): string[] => names.map(() => text);

interface Parts {
  readonly runtime: { readonly current: Runtime };
  readonly store: FlakyStore;
}

export function reloadUndoSuite(backend: TestedBackend, { runtime, store }: Parts): void {
  const create = async (): Promise<Sandbox> => {
    const sandbox = await runtime.current.create({
      modules: tenModules("a"),
      limits: { loadMs: generousMs, fuel: 1_000_000 },
    });
    assert.deepEqual(await ask(sandbox, "m0.count"), allOf("a1"));
    return sandbox;
  };

  // Fails a reload in some way; all must be as before, and the same sources without the fault must be taken.
  const undone = async (attempt: (sandbox: Sandbox) => Promise<{ readonly code: string }>, code: string) => {
    await using sandbox = await create();
    const before = await codeStateOf(sandbox);
    const stored = JSON.stringify(await store.open());
    const error = await attempt(sandbox);
    assert.equal(error.code, code);
    assert.deepEqual(await codeStateOf(sandbox), before);
    assert.equal(JSON.stringify(await store.open()), stored);
    assert.deepEqual(await ask(sandbox, "m0.count"), allOf("a2"), "old code goes on with its variables");
    const report = await sandbox.hotReload(tenModules("b"));
    assert.deepEqual([report.status, report.revision], ["reloaded", 2]);
    assert.deepEqual(await ask(sandbox, "m0.count"), allOf("b1"));
    assert.equal((await sandbox.info()).rebuilds, 0);
  };
  const reload = (extra: string, options?: HotReloadOptions) => async (sandbox: Sandbox) =>
    refusalOf(sandbox.hotReload(tenModules("b", extra), options));

  // For a top level that never ends, and for that alone, time is short.
  const reloadBriefly = (extra: string) => async (sandbox: Sandbox) => {
    await sandbox.updateLimits({ loadMs: briefMs });
    const error = await reload(extra)(sandbox);
    await sandbox.updateLimits({ loadMs: generousMs });
    return error;
  };

  test(`${backend}: a failure to compile one of ten modules undoes the reload`, async () => {
    await undone(reload("const = ;"), "PARSE_FAILED");
  });

  test(`${backend}: one of ten modules that the gate turns away undoes the reload`, async () => {
    await undone(async (sandbox) => {
      const error = await reload('import "node:fs";')(sandbox);
      assert.equal(error.phase, "gate");
      return error;
    }, "SECURITY_REJECTED");
  });

  test(`${backend}: a failure to link one of ten modules undoes the reload`, async () => {
    await undone(reload('import "./nowhere";'), "LOAD_FAILED");
  });

  test(`${backend}: a program that the compiler admits and the engine refuses undoes the reload`, async () => {
    await undone(async (sandbox) => {
      // A proposal that the parser knows already.
      const error = await reload("export class A { accessor x = 1; }")(sandbox);
      assert.match(error.message, /SyntaxError: /);
      return error;
    }, "LOAD_FAILED");
  });

  test(`${backend}: a top level that throws undoes the modules evaluated before it`, async () => {
    await undone(async (sandbox) => {
      const error = await reload("console.log('m6'); throw new RangeError('top')")(sandbox);
      assert.equal(error.phase, "evaluate");
      assert.equal(error.failure?.thrown?.name, "RangeError");
      return error;
    }, "LOAD_FAILED");
  });

  test(`${backend}: a top-level await that rejects undoes the reload`, async () => {
    await undone(
      reload("await new Promise((_, no) => setTimeout(() => no(new Error('late')), 5));"),
      "LOAD_FAILED",
    );
  });

  test(`${backend}: a top level that never ends undoes the reload when its time is up`, async () => {
    await undone(reloadBriefly("for (;;);"), "LOAD_FAILED");
  });

  test(`${backend}: a top-level await that never settles undoes the reload`, async () => {
    await undone(reload("await new Promise(() => {});"), "LOAD_FAILED");
    await undone(reloadBriefly("await new Promise(() => setInterval(() => {}, 5));"), "LOAD_FAILED");
  });

  test(`${backend}: a verification that returns false, or throws, undoes the reload`, async () => {
    const seen: unknown[] = [];
    const verify = async (candidate: Sandbox) => {
      seen.push(await ask(candidate, "m0.count"));
      return false;
    };
    await undone(reload("", { verify }), "VERIFY_FAILED");
    assert.deepEqual(seen, [allOf("b1")], "it was asked of the new code");
    await undone(async (sandbox) => {
      const failing = sandbox.hotReload(tenModules("b"), {
        verify: () => Promise.reject(new TypeError("judge")),
      });
      await assert.rejects(failing, new TypeError("judge"));
      return { code: "as thrown" };
    }, "as thrown");
    const truthy = "yes" as unknown as boolean;
    await undone(reload("", { verify: () => truthy }), "VERIFY_FAILED");
  });

  test(`${backend}: a store that cannot save the revision undoes the reload`, async () => {
    await undone(async (sandbox) => {
      store.beforeNextSave = () => {
        throw new TypeError("disk full");
      };
      return refusalOf(sandbox.hotReload(tenModules("b")));
    }, "STORE_FAILED");
  });

  test(`${backend}: a top level that writes too much undoes the reload, even when it goes on`, async () => {
    await using sandbox = await runtime.current.create({
      modules: tenModules("a"),
      limits: { outputBytes: 100 },
    });
    const before = await codeStateOf(sandbox);
    const flood = "try { for (let i = 0; i < 50; i++) console.log('flood'.repeat(10)) } catch {}";
    await refusalOf(sandbox.hotReload(tenModules("b", flood)), "LOAD_FAILED");
    assert.deepEqual(await codeStateOf(sandbox), before);
    assert.deepEqual(await ask(sandbox, "m0.count"), allOf("a1"));
    const late = `await new Promise((go) => setTimeout(go, 2)); ${flood}`;
    await refusalOf(sandbox.hotReload(tenModules("b", late)), "LOAD_FAILED");
    assert.deepEqual(await ask(sandbox, "m0.count"), allOf("a2"));
  });

  test(`${backend}: a reload after a run that used up its output or fuel is not blamed for it`, async () => {
    const greedy =
      "export const spin = () => { for (;;); }; export const flood = () => { for (;;) console.log('flood') };";
    await using sandbox = await runtime.current.create({
      modules: { main: greedy },
      limits: { outputBytes: 100, fuel: 1_000 },
    });
    for (const [target, tag] of [
      ["main.spin", "b"],
      ["main.flood", "c"],
      ["main.spin", "d"],
    ] as const) {
      const outcome = await sandbox.call(target);
      assert.ok(!outcome.ok && ["fuel", "output-limit"].includes(outcome.error.kind));
      await sandbox.hotReload({ main: `${greedy} export const tag = () => "${tag}"` });
      assert.equal(await ask(sandbox, "main.tag"), tag);
    }
  });

  // Whatever happens to the cell: the code that answers is that of the head.
  const consistent = async (sandbox: Sandbox, ended: PromiseSettledResult<unknown>) => {
    const { revision, modules } = await sandbox.info();
    const isNew = ended.status === "fulfilled";
    assert.equal(revision, isNew ? 2 : 1);
    assert.deepEqual(
      Object.values(modules).map(({ version }) => version),
      names.map(() => (isNew ? 2 : 1)),
    );
    const tags = (await ask<string[]>(sandbox, "m0.count")).map((text) => text[0]);
    assert.deepEqual(tags, allOf(isNew ? "b" : "a"));
    await sandbox.hotReload(tenModules("c"));
    assert.deepEqual(await ask(sandbox, "m0.count"), allOf("c1"));
  };

  test(`${backend}: a cell killed before the switch leaves one complete revision, which is the head`, async () => {
    await using sandbox = await create();
    const verify = async () => {
      await killCellOf(runtime.current, sandbox);
      return true;
    };
    const [ended] = await Promise.allSettled([sandbox.hotReload(tenModules("b"), { verify })]);
    await consistent(sandbox, ended);
  });

  test(`${backend}: a cell killed before the switch, with old code loaded again, does not answer for the new`, async () => {
    await using sandbox = await create();
    const verify = async (candidate: Sandbox) => {
      await killCellOf(runtime.current, sandbox);
      await ask(candidate, "m0.count");
      return true;
    };
    const [ended] = await Promise.allSettled([sandbox.hotReload(tenModules("b"), { verify })]);
    await consistent(sandbox, ended);
  });

  test(`${backend}: a verification that cost the isolate is not followed by old code under a new number`, async () => {
    await using sandbox = await create();
    const verify = async (candidate: Sandbox) => {
      const outcome = await candidate.run(() => {
        const all: unknown[] = [];
        for (;;) all.push(Array.from({ length: 1_000_000 }).fill(all.length));
      });
      assert.ok(!outcome.ok && outcome.error.kind === "memory");
      await ask(candidate, "m0.count");
      return true;
    };
    const [ended] = await Promise.allSettled([sandbox.hotReload(tenModules("b"), { verify })]);
    await consistent(sandbox, ended);
  });

  test(`${backend}: a cell killed while the store saves the revision leaves one complete revision`, async () => {
    await using sandbox = await create();
    store.beforeNextSave = () => killCellOf(runtime.current, sandbox);
    const [ended] = await Promise.allSettled([sandbox.hotReload(tenModules("b"))]);
    await consistent(sandbox, ended);
  });

  test(`${backend}: a cell killed while modules are evaluated is another try for the reload`, async () => {
    await using sandbox = await create();
    const slow = "console.log('inside'); await new Promise((go) => setTimeout(go, 100));";
    const settled = Promise.allSettled([sandbox.hotReload(tenModules("b", slow))]);
    await until("its modules are evaluated", async () => (await sandbox.logs()).length > 0);
    await killCellOf(runtime.current, sandbox);
    const [ended] = await settled;
    assert.equal(ended.status, "fulfilled");
    await consistent(sandbox, ended);
    assert.ok((await sandbox.info()).rebuilds > 0, "its variables began anew, and that is counted");
  });

  test(`${backend}: a reload that brings down its cell is an error, and the old code answers elsewhere`, async () => {
    await using neighbour = await create();
    await using sandbox = await create();
    const { cell } = await sandbox.info();
    const bomb = "Array.prototype.toSorted.call({ length: 2 ** 27 + 1 });";
    const [ended] = await Promise.allSettled([sandbox.hotReload(tenModules("b", bomb))]);
    assert.ok(ended.status === "rejected" && ended.reason instanceof LoadError);
    assert.equal(ended.reason.failure?.kind, "crashed", ended.reason.message);
    assert.notEqual((await sandbox.info()).cell, cell);
    await consistent(sandbox, ended);
    assert.equal((await ask<string[]>(neighbour, "m0.count")).length, 10);
  });
}
