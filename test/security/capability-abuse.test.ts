// Capabilities under attack, at odds with themselves, and under way when their sandbox goes.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { CapabilityRefusal } from "../../src/index.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const seen: (readonly unknown[])[] = [];
const aborted: string[] = [];
const entered: string[] = [];
const gate = Promise.withResolvers<void>();

const strays: unknown[] = [];
process.on("unhandledRejection", (error) => strays.push(error));

const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

/** What nobody expects to be thrown: to look at most of it throws again. */
const oddities: Readonly<Record<string, unknown>> = {
  null: null,
  "a symbol": Symbol("odd"),
  "an object without a text": Object.create(null),
  "a proxy that was revoked": revoked,
  "an error whose message throws": Object.defineProperty(new Error("odd"), "message", {
    get() {
      throw new TypeError("odder");
    },
  }),
  "a list whose text is endless": Array.from({ length: 60 }).reduce((list) => [list, list], []),
  "a refusal whose message is no text": Object.assign(new CapabilityRefusal("odd"), { message: Symbol("m") }),
};

const runtime = await startRuntime({
  cells: { count: 1, spare: 1 },
  capabilities: {
    throws([what]) {
      throw oddities[what as string];
    },
    mishap: () => new Error("a mishap", { cause: new RangeError("its cause") }),
    ponders: {
      args: { "~standard": { validate: () => new Promise(() => {}) } },
      run: () => "never",
      timeoutMs: 50,
    },
    sentinel: {
      args: {
        "~standard": {
          async validate(value) {
            await gate.promise;
            return { value };
          },
        },
      },
      run: (_, { sandboxId }) => void entered.push(sandboxId),
    },
    thinks: {
      async args(args) {
        const [verdict] = args as [unknown];
        if (typeof verdict !== "boolean") throw new TypeError("a check of the host's failed");
        return verdict;
      },
      run: () => "done",
    },
    kindOf: (args) => (Array.isArray(args) ? "a list" : typeof args),
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
export const codeOf = (name, ...args) => all[name](...args).then(() => "", (error) => error.code);
export const forget = (name, ...args) => { void all[name](...args).catch(() => {}); return "forgotten"; };`;

/** Calls that have ended, from here on. */
function eventsOf(id: string): string[] {
  const ended: string[] = [];
  runtime.events.on("capability.called", ({ sandboxId, result }) => {
    if (sandboxId === id) ended.push(result);
  });
  return ended;
}

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

  test("are a list, though the guest makes JSON of something else", async () => {
    await using sandbox = await runtime.create({
      modules: {
        main: `import { kindOf } from "vivarium/capabilities";
let asked = 0;
Object.defineProperty(Array.prototype, "toJSON", { get: () => (asked++ === 0 ? undefined : () => "no list") });
export const go = () => kindOf(1).catch((error) => error.code);`,
      },
      capabilities: ["kindOf"],
    });
    assert.equal(valueOf(await sandbox.call("main.go")), "invalid");
  });

  test("for a name of any length are denied, and cost no memory of the host's", async () => {
    // The guest itself has room enough for it.
    const limits = { memoryBytes: 512 * 2 ** 20 };
    await using sandbox = await runtime.create({ modules: { main: source }, limits });
    // A first run has a slice of time before it is begun again elsewhere: on a busy machine this one needs more.
    assert.equal(valueOf(await sandbox.call("main.codeOf", { args: ["x"] })), "denied");
    const outcome = await sandbox.run(
      (modules: { main: { codeOf: (name: string) => unknown } }) =>
        modules.main.codeOf("x".repeat(60_000_000)),
      { timeoutMs: 30_000 },
    );
    assert.equal(valueOf(outcome), "denied");
    assert.equal((await sandbox.info()).rebuilds, 0);
  });
});

suite("a capability that is odd", () => {
  for (const what of Object.keys(oddities))
    test(`by throwing ${what} fails for its guest and for nobody else`, async () => {
      await using sandbox = await runtime.create({ modules: { main: source }, capabilities: ["throws"] });
      const code = valueOf(await sandbox.call("main.codeOf", { args: ["throws", what], timeoutMs: 5_000 }));
      assert.equal(code, "failed");
      assert.deepEqual(strays, []);
    });

  test("by answering with an Error tells nothing of the host's files", async () => {
    await using sandbox = await runtime.create({ modules: { main: source }, capabilities: ["mishap"] });
    const outcome = await sandbox.run(
      async (modules: { main: { use: (name: string) => Promise<Error> } }) => {
        const error = await modules.main.use("mishap");
        return [error.stack, (error.cause as Error).stack];
      },
    );
    assert.deepEqual(valueOf(outcome), ["Error: a mishap", "RangeError: its cause"]);
  });

  test("by a check that answers later is as one whose check answers at once, also where it fails", async () => {
    await using sandbox = await runtime.create({ modules: { main: source }, capabilities: ["thinks"] });
    for (const [verdict, code] of [
      [true, ""],
      [false, "invalid"],
      ["neither", "failed"],
    ])
      assert.equal(valueOf(await sandbox.call("main.codeOf", { args: ["thinks", verdict] })), code);
    assert.deepEqual(strays, []);
  });

  test("by a check that never ends is given up in time, and its place is free again", async () => {
    const capabilities = { ponders: { concurrent: 1 } };
    await using sandbox = await runtime.create({ modules: { main: source }, capabilities });
    for (let i = 0; i < 2; i++)
      assert.equal(valueOf(await sandbox.call("main.codeOf", { args: ["ponders"] })), "timeout");
  });

  test("is not begun with when its sandbox has gone while its arguments were checked", async () => {
    const sandbox = await runtime.create({ modules: { main: source }, capabilities: ["sentinel"] });
    valueOf(await sandbox.call("main.forget", { args: ["sentinel"] }));
    const called = eventsOf(sandbox.id);
    await until("it is under way", async () => (await sandbox.info()).capabilities["sentinel"]?.calls === 1);
    await sandbox.destroy();
    gate.resolve();
    await until("it has ended", () => called.length === 1);
    assert.deepEqual(entered, []);
  });
});

test("a guest that brings its isolate down has no more of its quota than before", async () => {
  await using sandbox = await runtime.create({
    modules: {
      main: `${source}\nexport const burst = () => { const all = []; for (;;) all.push(new Array(1e5).fill(1)); };`,
    },
    capabilities: { echo: { calls: 2 } },
    limits: { memoryBytes: 32 * 2 ** 20 },
  });
  const use = async (): Promise<unknown> => valueOf(await sandbox.call("main.codeOf", { args: ["echo"] }));
  assert.equal(await use(), "");
  assertFailed(await sandbox.call("main.burst"), "memory", "memoryBytes");
  assert.deepEqual([await use(), await use()], ["", "denied"]);
  assert.equal((await sandbox.info()).rebuilds, 1);
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
