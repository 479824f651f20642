// Capabilities under attack, and under way when their sandbox goes.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const seen: (readonly unknown[])[] = [];
const aborted: string[] = [];

const runtime = await startRuntime({
  cells: { count: 1, spare: 1 },
  capabilities: {
    echo(args) {
      seen.push(args);
      return args[0];
    },
    waits: {
      run: (_, { signal, sandboxId }) =>
        new Promise(() => signal.addEventListener("abort", () => aborted.push(sandboxId))),
      timeoutMs: 60_000,
    },
  },
});

const source = `
import * as all from "vivarium/capabilities";
export const use = (name, ...args) => all[name](...args);
export const forget = (name, ...args) => { void all[name](...args).catch(() => {}); return "forgotten"; };`;

suite("arguments that are abused", () => {
  const hostile: Readonly<Record<string, string>> = {
    "a function": "() => 1",
    "a getter that throws": "{ get x() { throw 1; } }",
    "a proxy": "new Proxy({}, { ownKeys() { throw new Error('trap'); } })",
    "too much": "'x'.repeat(3_000_000)",
    "a cycle of functions": "(() => { const f = () => f; return { f }; })()",
  };
  for (const [what, expression] of Object.entries(hostile)) {
    test(`(${what}) are refused inside, and the host sees nothing of them`, async () => {
      await using sandbox = await runtime.create({
        modules: {
          main: `import { echo } from "vivarium/capabilities";
export const go = async () => { try { await echo(${expression}); return "passed"; } catch (error) { return "refused"; } };
export const well = () => echo(1);`,
        },
        capabilities: ["echo"],
      });
      const before = seen.length;
      assert.equal(valueOf(await sandbox.call("main.go")), "refused");
      assert.equal(seen.length, before);
      assert.equal(valueOf(await sandbox.call("main.well")), 1);
    });
  }

  test("with own __proto__ keys pollute nothing", async () => {
    await using sandbox = await runtime.create({ modules: { main: source }, capabilities: ["echo"] });
    const text = '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}';
    await sandbox.run(
      (modules: { main: { use: (...args: unknown[]) => unknown } }, json: string) =>
        modules.main.use("echo", JSON.parse(json)),
      { args: [text] },
    );
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    assert.equal(Object.getPrototypeOf(seen.at(-1)?.[0]), Object.prototype);
  });
});

suite("calls under way", () => {
  test("are given up when their sandbox is destroyed", async () => {
    const sandbox = await runtime.create({ modules: { main: source }, capabilities: ["waits"] });
    valueOf(await sandbox.call("main.forget", { args: ["waits"] }));
    await until(
      "it is under way",
      async () => ((await sandbox.info()).capabilities["waits"]?.calls ?? 0) > 0,
    );
    const waiting = sandbox.call("main.use", { args: ["waits"] });
    await sandbox.destroy();
    assertFailed(await waiting, "cancelled");
    await until("they were aborted", () => aborted.filter((id) => id === sandbox.id).length >= 1);
  });

  test("make a run that cannot be repeated, though its sandbox was untouched", async () => {
    await using sandbox = await runtime.create({ modules: { main: source }, capabilities: ["waits"] });
    const calling = sandbox.call("main.use", { args: ["waits"] });
    await until(
      "it is under way",
      async () => ((await sandbox.info()).capabilities["waits"]?.calls ?? 0) > 0,
    );
    const { cell } = await sandbox.info();
    const found = (await runtime.metrics()).cells.find(({ number }) => number === cell);
    process.kill(found?.pid ?? 0, "SIGKILL");
    assertFailed(await calling, "cell-lost");
  });
});
