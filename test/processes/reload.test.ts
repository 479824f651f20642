// Hot reload with processes: under load, with a state that changes its form, and undone as a whole when one state cannot.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { LoadError, VivariumError, type Sandbox, type SandboxSpec } from "../../src/index.ts";
import { refusalOf } from "../support/reloading.ts";
import { valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";
import { fulfilled, until } from "../support/waiting.ts";

const runtime = await startRuntime({ cells: { spare: 1 } });

const create = (main: string, spec: Partial<SandboxSpec> = {}): Promise<Sandbox> =>
  runtime.create({ modules: { main }, supervisor: "main", ...spec });

// Its state has another field in every version, so that old code cannot read new states, nor the other way round.
const version = (n: number): string => `
import { server, supervisor } from "vivarium/guest";
export const Counter = server({
  init: () => ({ v${n}: 0 }),
  handleCall(message, state) {
    const count = state.v${n} + message;
    return { reply: [${n}, count], state: { v${n}: count } };
  },
  codeChange(state, from, to) {
    const [[name, count]] = Object.entries(state);
    if (name !== "v" + from || to !== ${n}) throw new Error("from " + name + " to " + to);
    return { v${n}: count };
  },
});
export default supervisor({ children: [{ id: "counter", start: Counter }] });`;

suite("under load", () => {
  test("1,000 messages a second into a server that is reloaded 50 times: every answer is right", async () => {
    await using sandbox = await create(version(1));
    const perSecond = 1_000;
    const reloads = 50;
    // A slow machine gets as many as it can take.
    const unansweredMax = 2_000;
    const loadMsMax = 600_000;
    let isOver = false;
    let sent = 0;
    let answered = 0;
    let longestMs = 0;
    const asked: Promise<[version: number, count: number]>[] = [];
    const ask = async (): Promise<[number, number]> => {
      const startedMs = performance.now();
      const outcome = await fulfilled("an ask", sandbox.ask("counter", 1));
      answered++;
      longestMs = Math.max(longestMs, performance.now() - startedMs);
      return valueOf(outcome) as [number, number];
    };
    const beganMs = performance.now();
    const load = until(
      "the load is over",
      () => {
        const due = ((performance.now() - beganMs) * perSecond) / 1_000;
        for (; sent < due && sent < answered + unansweredMax; sent++) asked.push(ask());
        return isOver;
      },
      loadMsMax,
    );
    for (let n = 2; n <= reloads + 1; n++) {
      const goal = asked.length + 20;
      await until("messages go on", () => asked.length >= goal);
      const report = await sandbox.hotReload({ main: version(n) });
      assert.deepEqual([report.modules, report.states?.[0]?.way], [{ main: n }, "codeChange"]);
    }
    isOver = true;
    await load;
    const answers = await Promise.all(asked);
    const seconds = (performance.now() - beganMs) / 1_000;
    // One server, one line of messages: each answer is one more than the one before, and no version comes back.
    answers.sort(([, a], [, b]) => a - b);
    assert.deepEqual(
      answers.map(([, count]) => count),
      answers.map((_, at) => at + 1),
    );
    for (let at = 1; at < answers.length; at++)
      assert.ok((answers[at]?.[0] ?? 0) >= (answers[at - 1]?.[0] ?? 0), `version went back at ${at}`);
    const versions = new Set(answers.map(([n]) => n));
    assert.ok(versions.size > reloads / 2, `only ${versions.size} versions answered`);
    console.log(
      `${answers.length} messages in ${seconds.toFixed(1)} s, ${reloads} reloads, longest pause ${longestMs.toFixed(1)} ms`,
    );
  });

  test("messages that arrive while a server is held back wait, and are answered by the new code", async () => {
    await using sandbox = await create(version(1));
    const reloading = sandbox.hotReload(
      { main: version(2) },
      {
        migrate: async () => {
          asks.push(...Array.from({ length: 10 }, () => sandbox.ask("counter", 1)));
          return { v2: 100 };
        },
      },
    );
    const asks: ReturnType<Sandbox["ask"]>[] = [];
    const report = await reloading;
    assert.equal(report.states?.[0]?.way, "host");
    const answers = await Promise.all(asks);
    assert.deepEqual(
      answers.map(valueOf),
      Array.from({ length: 10 }, (_, at) => [2, 101 + at]),
    );
  });
});

// Five servers of one module; what a version does to the state of each is up to the test.
const five = (n: number, change = ""): string => `
import { server, supervisor } from "vivarium/guest";
const loaded = {};
export const touched = () => loaded.count = (loaded.count ?? 0) + 1;
const make = (id) => server({
  name: id,
  init: () => ({ id, n: 1 }),
  handleCall: (message, state) => message === "add"
    ? { reply: state.n + 1, state: { ...state, n: state.n + 1 } }
    : { reply: { code: ${n}, ...state }, state },
  ${change}
});
export default supervisor({ children: ["a", "b", "c", "d", "e"].map((id) => ({ id, start: make(id) })) });`;

const names = ["a", "b", "c", "d", "e"];
const statesOf = (sandbox: Sandbox): Promise<unknown[]> =>
  Promise.all(names.map(async (name) => valueOf(await sandbox.ask(name, "get"))));

suite("a migration that fails in the third of five", () => {
  const failures: Readonly<Record<string, string>> = {
    "codeChange throws": `codeChange(state) { state.n = -1; if (state.id === "c") throw new Error("not this one"); return { ...state, n: 2 }; },`,
    "codeChange never answers": `async codeChange(state) { state.n = -1; if (state.id === "c") await new Promise(() => {}); return { ...state, n: 2 }; },`,
    "codeChange never ends": `codeChange(state) { state.n = -1; while (state.id === "c"); return { ...state, n: 2 }; },`,
    "the schema does not admit the result": `schema: { version: 2, fields: { n: { type: "number", check: (n) => n < 2 || "too large" } } },
      codeChange: (state) => ({ ...state, n: state.id === "c" ? 2 : 1 }),`,
  };
  for (const [how, change] of Object.entries(failures)) {
    test(`${how}: all five go on with their old code and old states`, async () => {
      await using sandbox = await create(five(1), { limits: { loadMs: 1_000 } });
      for (const name of names) await sandbox.ask(name, "add");
      assert.equal(valueOf(await sandbox.call("main.touched")), 1);
      const before = await statesOf(sandbox);
      const error = await refusalOf(sandbox.hotReload({ main: five(2, change) }));
      assert.ok(error instanceof LoadError);
      if (!how.includes("never")) {
        assert.equal(error.code, "MIGRATION_FAILED");
        assert.match(error.message, /Cannot migrate the state of "c": .*(?:not this one|too large)/);
      } else assert.equal(error.failure?.limit, "loadMs");
      assert.deepEqual(await statesOf(sandbox), before);
      assert.deepEqual(
        before,
        names.map((id) => ({ code: 1, id, n: 2 })),
      );
      assert.equal(await sandbox.version("main"), 1);
      // Module variables are what they were, and the sandbox can be reloaded.
      assert.equal(valueOf(await sandbox.call("main.touched")), 2);
      await sandbox.hotReload({ main: five(3) });
      assert.deepEqual(
        await statesOf(sandbox),
        names.map((id) => ({ code: 3, id, n: 2 })),
      );
    });
  }

  test("the caller's migrate throws, or answers no data: MIGRATION_FAILED, and all is as it was", async () => {
    await using sandbox = await create(five(1), { limits: { loadMs: 1_000 } });
    const before = await statesOf(sandbox);
    const migrations = [
      (state: unknown, { name }: { name: string | null }) => {
        if (name === "c") throw new RangeError("not this one");
        return state;
      },
      () => () => "a function",
      () => new Promise(() => {}),
    ];
    for (const migrate of migrations) {
      const error = await refusalOf(sandbox.hotReload({ main: five(2) }, { migrate }));
      assert.ok(error instanceof VivariumError);
      assert.equal(error.code, "MIGRATION_FAILED");
      assert.deepEqual(await statesOf(sandbox), before);
    }
  });

  test("new code that no longer has the server is refused", async () => {
    await using sandbox = await create(five(1));
    const without = five(2).replace('["a", "b", "c", "d", "e"]', '["a", "b", "d", "e"]');
    const error = await refusalOf(sandbox.hotReload({ main: without }));
    assert.equal((error as LoadError).code, "MIGRATION_FAILED");
    assert.match((error as LoadError).message, /"c": its module no longer defines main#c/);
    assert.deepEqual(
      await statesOf(sandbox),
      names.map((id) => ({ code: 1, id, n: 1 })),
    );
  });

  test("verify that returns false leaves all five with their old states", async () => {
    await using sandbox = await create(five(1));
    const change = `codeChange: (state) => ({ ...state, n: 50 }),`;
    const error = await refusalOf(sandbox.hotReload({ main: five(2, change) }, { verify: () => false }));
    assert.equal((error as VivariumError).code, "VERIFY_FAILED");
    assert.deepEqual(
      await statesOf(sandbox),
      names.map((id) => ({ code: 1, id, n: 1 })),
    );
  });

  test("a verification cannot ask the processes that are suspended for it, and gets an error at once", async () => {
    await using sandbox = await create(five(1));
    const codes: unknown[] = [];
    const verify = async (inside: Sandbox): Promise<boolean> => {
      codes.push(((await refusalOf(inside.ask("a", "get"))) as VivariumError).code);
      return valueOf(await inside.call<number>("main.touched")) === 1;
    };
    await sandbox.hotReload({ main: five(2) }, { verify });
    assert.deepEqual(codes, ["SANDBOX_NOT_RUNNING"]);
  });
});

test("a reload that is given up while a handler takes its time does not evaluate the old modules again", async () => {
  const source = (n: number): string => `
    import { server, supervisor } from "vivarium/guest";
    globalThis.evaluations = (globalThis.evaluations ?? 0) + 1;
    export const count = () => globalThis.evaluations;
    let release;
    export const finish = () => release();
    const Slow = server({ init: () => ${n}, async handleCall(message, state) {
      if (message === "slow") await new Promise((resolve) => { release = resolve; });
      return { reply: [${n}, state], state };
    } });
    export default supervisor({ children: [{ id: "slow", start: Slow }] });`;
  await using sandbox = await create(source(1));
  const slow = sandbox.ask("slow", "slow");
  await sandbox.updateLimits({ loadMs: 200 });
  const error = await refusalOf(sandbox.hotReload({ main: source(2) }));
  assert.equal((error as LoadError).failure?.limit, "loadMs");
  await sandbox.call("main.finish");
  assert.deepEqual(valueOf(await slow), [1, 1]);
  assert.deepEqual(valueOf(await sandbox.ask("slow", "")), [1, 1]);
  assert.equal(valueOf(await sandbox.call("main.count")), 1);
});
