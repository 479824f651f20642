// Capabilities: off unless granted, checked on the way in and out, bounded, and harmless whatever they do.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { CapabilityRefusal, type CapabilityGrants, type EventMap, type Sandbox } from "../../src/index.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { rejectionCode, until } from "../support/waiting.ts";
import { startRuntime } from "../support/runtimes.ts";

const seen: { readonly sandboxId: string; readonly args: readonly unknown[] }[] = [];
const aborted: string[] = [];
const release = Promise.withResolvers<void>();
const secret = "the host's secret path /etc/secret";

const runtime = await startRuntime({
  cells: { count: 1, spare: 1 },
  capabilities: {
    add: (args) => (args as number[]).reduce((sum, n) => sum + n, 0),
    echo: {
      run(args, { sandboxId }) {
        seen.push({ sandboxId, args });
        return args[0];
      },
      timeoutMs: 60_000,
    },
    strict: {
      args: (args) => (args as unknown[]).every((arg) => typeof arg === "number") || "they are numbers",
      result: (value) => typeof value === "number",
      run: ([n]) => ((n as number) > 0 ? n : "not a number"),
    },
    schema: {
      args: {
        "~standard": {
          validate: (value) =>
            (value as unknown[]).length === 1
              ? { value: [String((value as unknown[])[0])] }
              : { issues: [{ message: "one argument" }] },
        },
      },
      run: ([text]) => `read as ${typeof text}`,
    },
    throws: () => {
      throw new Error(secret);
    },
    rejects: () => Promise.reject(new TypeError(secret)),
    refuses: () => {
      throw new CapabilityRefusal("Cannot do this on Sundays");
    },
    wordy: () => {
      throw new CapabilityRefusal("w".repeat(20_000));
    },
    hangs: {
      run: (_, { signal, sandboxId }) =>
        new Promise(() => signal.addEventListener("abort", () => aborted.push(sandboxId))),
      timeoutMs: 100,
    },
    waits: {
      run: (_, { signal, sandboxId }) =>
        new Promise(() => signal.addEventListener("abort", () => aborted.push(sandboxId))),
      timeoutMs: 60_000,
    },
    held: () => release.promise,
    garbage: () => ({ f: () => 1 }),
    huge: { run: () => "x".repeat(10_000), resultBytes: 1_024 },
  },
});

const source = `
import * as all from "vivarium/capabilities";
import { add } from "vivarium/capabilities";
export const sum = (...numbers) => add(...numbers);
export const use = (name, ...args) => all[name](...args);
export const tell = async (name, ...args) => {
  try { return { value: await all[name](...args) }; }
  catch (error) { return { name: error.name, code: error.code, capability: error.capability, message: error.message, stack: error.stack }; }
};
export const several = (name, count) => Promise.allSettled(Array.from({ length: count }, (_, i) => all[name](i)))
  .then((results) => results.map(({ status, reason }) => status === "fulfilled" ? "ok" : reason.code));
let kept = 0;
export const later = (name, ...args) => { void all[name](...args).then((value) => { kept = value; }); };
export const read = () => kept;`;

interface Told {
  readonly value?: unknown;
  readonly name?: string;
  readonly code?: string;
  readonly capability?: string;
  readonly message?: string;
}

const harmless = ["add", "echo", "strict", "schema"];
const every = [...harmless, "throws", "rejects", "refuses", "wordy", "hangs", "garbage", "huge"];
const create = (capabilities: CapabilityGrants = every): Promise<Sandbox> =>
  runtime.create({ modules: { main: source }, capabilities });
const tell = async (sandbox: Sandbox, ...args: unknown[]): Promise<Told> =>
  valueOf(await sandbox.call<Told>("main.tell", { args }));

/** Events of one sandbox from here on. */
function eventsOf<N extends "capability.called" | "security.denied">(name: N, id: string): EventMap[N][] {
  const events: EventMap[N][] = [];
  runtime.events.on(name, (event) => void (event.sandboxId === id && events.push(event)));
  return events;
}

suite("a capability that is granted", () => {
  test("is called by its name, with arguments and results of the guest's own classes", async () => {
    await using sandbox = await create();
    assert.equal(valueOf(await sandbox.call("main.sum", { args: [1, 2, 3] })), 6);
    const value = { map: new Map([["k", new Date(5)]]), bytes: new Uint8Array([1, 2]) };
    assert.deepEqual((await tell(sandbox, "echo", value)).value, value);
    assert.deepEqual(seen.at(-1), { sandboxId: sandbox.id, args: [value] });
  });

  test("can be used by a function that is shipped, in a timer, at the top level, and by a forked child", async () => {
    await using sandbox = await create();
    const shipped = await sandbox.run(
      (modules: { main: { sum: (...n: number[]) => Promise<number> } }, n: number) => modules.main.sum(n, 1),
      { args: [4] },
    );
    assert.equal(valueOf(shipped), 5);
    valueOf(await sandbox.call("main.later", { args: ["echo", 7] }));
    await until("the answer came between runs", async () => valueOf(await sandbox.call("main.read")) === 7);
    await using child = await runtime.fork(sandbox.id);
    assert.equal(valueOf(await child.call("main.sum", { args: [2, 2] })), 4);
    await using early = await runtime.create({
      modules: {
        main: `import { add } from "vivarium/capabilities"; export const three = await add(1, 2); export const get = () => three;`,
      },
      capabilities: ["add"],
    });
    assert.equal(valueOf(await early.call("main.get")), 3);
  });

  test("is told in info(), with its quota and what was used of it", async () => {
    await using sandbox = await create({ add: { calls: 5 }, echo: true });
    valueOf(await sandbox.call("main.sum", { args: [1, 2] }));
    const { capabilities } = await sandbox.info();
    assert.deepEqual(Object.keys(capabilities), ["add", "echo"]);
    assert.equal(capabilities["add"]?.quota.calls, 5);
    assert.equal(capabilities["add"].calls, 1);
    assert.ok(capabilities["add"].bytes > 0);
    assert.equal(capabilities["echo"]?.calls, 0);
  });

  test("is reported with each call, in full to the host alone", async () => {
    await using sandbox = await create();
    const events = eventsOf("capability.called", sandbox.id);
    await tell(sandbox, "add", 1);
    const told = await tell(sandbox, "throws");
    assert.deepEqual(
      events.map(({ capability, result }) => [capability, result]),
      [
        ["add", "ok"],
        ["throws", "failed"],
      ],
    );
    assert.match(events[1]?.message ?? "", /secret/);
    assert.doesNotMatch(JSON.stringify(told), /secret/);
  });
});

suite("what is not granted", () => {
  test("is denied, whether it exists or not, and the run that insists ends with denied", async () => {
    await using sandbox = await create(["add"]);
    const denials = eventsOf("security.denied", sandbox.id);
    for (const name of ["echo", "nothing", "__proto__", "constructor", "x".repeat(5_000)]) {
      const told = await tell(sandbox, name, 1);
      assert.equal(told.code, "denied");
      assert.equal(told.name, "CapabilityError");
    }
    const outcome = await sandbox.call("main.use", { args: ["echo", 1] });
    assertFailed(outcome, "denied");
    assert.match(outcome.error.message, /^Cannot use "echo" as it must be granted: it is not/);
    assert.equal(denials.length, 6);
    assert.deepEqual([denials[0]?.what, denials[0]?.rule], ["echo", "grant"]);
    assert.equal(valueOf(await sandbox.call("main.sum", { args: [1] })), 1);
  });

  test("is everything, in a sandbox without grants and in a deterministic one", async () => {
    await using bare = await runtime.create({ modules: { main: source } });
    assert.equal((await tell(bare, "add", 1)).code, "denied");
    await using still = await runtime.create({ modules: { main: source }, deterministic: { seed: 1 } });
    assertFailed(await still.call("main.sum", { args: [1] }), "denied");
    const spec = { modules: { main: source }, deterministic: { seed: 1 }, capabilities: ["add"] };
    assert.equal(await rejectionCode("create", runtime.create(spec)), "INVALID_OPTIONS");
  });

  test("is not what a runtime does not have, nor what an imported individual had", async () => {
    const spec = { modules: { main: source }, capabilities: ["nothing"] };
    assert.equal(await rejectionCode("create", runtime.create(spec)), "INVALID_OPTIONS");
    await using sandbox = await create(["add"]);
    const individual = await sandbox.export();
    await using again = await runtime.import(individual, { id: "again" });
    assert.equal((await tell(again, "add", 1)).code, "denied");
    await using granted = await runtime.import(individual, { id: "granted", capabilities: ["add"] });
    assert.equal((await tell(granted, "add", 1)).value, 1);
  });
});

suite("a quota", () => {
  test("of calls is used up to the last one, and over it denied", async () => {
    await using sandbox = await create({ add: { calls: 3 } });
    for (let i = 0; i < 3; i++) assert.equal((await tell(sandbox, "add", i)).value, i);
    const told = await tell(sandbox, "add", 1);
    assert.equal(told.code, "denied");
    assert.match(told.message ?? "", /3 calls are used up/);
    await sandbox.restart();
    assert.equal((await tell(sandbox, "add", 1)).code, "denied", "it is for a life, not for a start");
  });

  test("of bytes counts what goes in and what comes out", async () => {
    await using sandbox = await create({ echo: { bytes: 1_000 } });
    assert.equal((await tell(sandbox, "echo", "x".repeat(400))).code, undefined);
    assert.match((await tell(sandbox, "echo", "x".repeat(400))).message ?? "", /1000 bytes are used up/);
    const used = async (): Promise<number> => (await sandbox.info()).capabilities["echo"]?.bytes ?? 0;
    const before = await used();
    assert.match((await tell(sandbox, "echo", "é".repeat(60))).message ?? "", /1000 bytes are used up/);
    assert.deepEqual(
      [before, await used()],
      [404 + 402, 404 + 402 + 124],
      "a result that is too much is not given out",
    );
  });

  test("of calls at a time lets the others be denied, and frees its places", async () => {
    await using sandbox = await create({ held: { concurrent: 2 } });
    const denials = eventsOf("security.denied", sandbox.id);
    const calling = sandbox.call<string[]>("main.several", { args: ["held", 5] });
    await until("three were denied", () => denials.length === 3);
    release.resolve();
    assert.deepEqual(valueOf(await calling), ["ok", "ok", "denied", "denied", "denied"]);
    assert.equal((await tell(sandbox, "held")).code, undefined);
  });

  test("of requests without an answer bounds even those who were granted everything", async () => {
    await using sandbox = await runtime.create({
      modules: { main: source },
      capabilities: { waits: { concurrent: 256 } },
    });
    const outcome = await sandbox.call("main.several", { args: ["waits", 100_000], timeoutMs: 2_000 });
    assertFailed(outcome, "timeout", "timeoutMs");
    assert.ok(((await sandbox.info()).capabilities["waits"]?.calls ?? 0) <= 256);
  });
});

suite("a capability that misbehaves", () => {
  for (const name of ["throws", "rejects", "garbage", "huge"]) {
    test(`(${name}) fails for its guest, tells nothing of the host, and harms nobody`, async () => {
      await using sandbox = await create();
      const told = await tell(sandbox, name);
      assert.deepEqual([told.code, told.message], ["failed", `Cannot use ${name} as it failed`]);
      assertFailed(await sandbox.call("main.use", { args: [name] }), "crashed");
      assert.equal(valueOf(await sandbox.call("main.sum", { args: [1] })), 1);
    });
  }

  test("by refusing on purpose, says why", async () => {
    await using sandbox = await create();
    const told = await tell(sandbox, "refuses");
    assert.deepEqual([told.code, told.message], ["refused", "Cannot do this on Sundays"]);
    assert.equal((await tell(sandbox, "wordy")).message?.length, 10_000);
  });

  test("by hanging, is given up in time and told so", async () => {
    await using sandbox = await create();
    const told = await tell(sandbox, "hangs");
    assert.equal(told.code, "timeout");
    assert.ok(aborted.includes(sandbox.id));
  });

  test("is checked: arguments before, results after, also by a schema", async () => {
    await using sandbox = await create();
    assert.equal((await tell(sandbox, "strict", 5)).value, 5);
    const odd = await tell(sandbox, "strict", "five");
    assert.deepEqual([odd.code, /they are numbers/.test(odd.message ?? "")], ["invalid", true]);
    assert.equal((await tell(sandbox, "strict", -5)).code, "failed");
    assert.equal((await tell(sandbox, "schema", 5)).value, "read as string");
    assert.equal((await tell(sandbox, "schema")).code, "invalid");
  });
});
