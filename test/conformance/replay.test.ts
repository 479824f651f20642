// A recorded run can be replayed anywhere: with its code, inputs and seed it ends as before, bit for bit.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Recording, Sandbox } from "../../src/index.ts";
import { checksumOfData } from "../../src/std/checksum.ts";
import { errorOf, mistakeOf } from "../support/errors.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { runtimeForTests } from "../support/reloading.ts";

const runtime = runtimeForTests();
const elsewhere = runtimeForTests({ compiler: { backend: "esbuild" } });
const deterministic = { seed: 7, now: 1_700_000_000_000 };
const limits = { fuel: 5_000 };

const source = `
let calls = 0;
export const count = () => ++calls;
export const echo = (...args: unknown[]) => args;
export const dice = (n: number) => Array.from({ length: n }, () => Math.floor(Math.random() * 6) + 1);
export const odd = () => [NaN, -0, 10n ** 30n, new Map([[1, new Set(["a"])]]), new Date(5), undefined];
export async function later(n: number): Promise<string[]> {
  const seen: string[] = [];
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  await Promise.all(Array.from({ length: n }, async (_, i) => {
    await wait(Math.random() * 86_400_000);
    seen.push(i + " at " + new Date().toISOString());
    console.log("turn", i, performance.now());
  }));
  return seen;
}
export function fall(depth: number): never {
  if (depth > 0) fall(depth - 1);
  throw new RangeError("ground " + Math.random());
}
export const reject = async () => { await null; throw { not: "an error" }; };
export const forever = () => { for (;;) console.log(Math.random()); };
export const foreverLater = async () => { for (;;) await new Promise((resolve) => setTimeout(resolve, 1)); };
export const never = () => new Promise(() => {});
export const unsaid = () => () => 1;
export const wordy = () => { for (let i = 0; i < 100; i++) console.log("x".repeat(100)); return "all said"; };
`;

const create = (spec: object = {}): Promise<Sandbox> =>
  runtime.current.create({ modules: { main: source }, deterministic, limits, ...spec });

const record = async (sandbox: Sandbox, name: string, args: readonly unknown[] = []): Promise<Recording> =>
  (await sandbox.call(`main.${name}`, { args, record: true })).recording;

/** As it comes back from a file. */
const travelled = (recording: Recording): Recording => JSON.parse(JSON.stringify(recording)) as Recording;

/** Changed by someone who computes the checksum again. */
function forged(recording: Recording, change: object): Recording {
  const { checksum: _, ...body } = { ...travelled(recording), ...change };
  return { ...body, checksum: checksumOfData(body) } as Recording;
}

const cases: readonly (readonly [string, readonly unknown[], string])[] = [
  ["echo", [1, "two", { three: [3n, new Map([["four", 4]])] }], "ok"],
  ["dice", [20], "ok"],
  ["odd", [], "ok"],
  ["later", [20], "ok"],
  ["wordy", [], "ok"],
  ["fall", [10], "crashed"],
  ["reject", [], "crashed"],
  ["forever", [], "fuel"],
  ["foreverLater", [], "fuel"],
  ["never", [], "timeout"],
  ["unsaid", [], "unserializable"],
  ["missing", [], "not-found"],
];

suite("a run that is replayed", () => {
  for (const [name, args, end] of cases) {
    test(`main.${name}, which ends as ${end}, goes as it went: again, in another sandbox, on another runtime`, async () => {
      await using sandbox = await create();
      const outcome = await sandbox.call(`main.${name}`, { args, record: true });
      assert.equal(outcome.ok ? "ok" : outcome.error.kind, end);
      const recording = travelled(outcome.recording);
      assert.deepEqual(
        await record(sandbox, name, args),
        outcome.recording,
        "a second recording is the same",
      );

      await using other = await runtime.current.create({ modules: { main: `export const x = 1;` } });
      await using stranger = await elsewhere.current.create({ modules: { main: `export const y = 1;` } });
      for (const replayer of [sandbox, other, stranger]) {
        const replay = await replayer.replay(recording);
        assert.equal(replay.difference, null);
        assert.equal(replay.same, true);
        assert.equal(replay.sameCode, replayer === sandbox);
        assert.equal(replay.outcome.usage.fuel, outcome.usage.fuel);
        assert.deepEqual(
          replay.outcome.ok ? replay.outcome.value : replay.outcome.error,
          outcome.ok ? outcome.value : outcome.error,
        );
        assert.deepEqual(
          replay.outcome.logs.map(({ text }) => text),
          recording.output,
        );
      }
    });
  }

  test("holds its inputs, its seed, its code, its bounds and its result", async () => {
    await using sandbox = await create();
    const { recording, usage } = await sandbox.call("main.dice", {
      args: [3],
      record: true,
      fuel: 100,
      timeoutMs: 1_000,
    });
    assert.equal(recording.format, "vivarium.recording/1");
    assert.deepEqual(recording.modules, { main: source });
    assert.equal(recording.revision, 1);
    assert.equal(recording.target, "main.dice");
    assert.deepEqual(recording.deterministic, deterministic);
    assert.deepEqual([recording.fuel, recording.timeoutMs], [100, 1_000]);
    assert.equal(recording.end.ok, true);
    assert.deepEqual([recording.fuelUsed, usage.fuel], [4, 4]);
  });

  test("another seed gives another run", async () => {
    await using one = await create();
    await using other = await create({ deterministic: { ...deterministic, seed: 8 } });
    assert.notDeepEqual((await record(one, "dice", [20])).end, (await record(other, "dice", [20])).end);
  });

  test("starts with freshly loaded modules, and leaves the running sandbox alone", async () => {
    await using sandbox = await create();
    for (let i = 1; i <= 3; i++) assert.equal(valueOf(await sandbox.call("main.count")), i);
    const outcome = await sandbox.call("main.count", { record: true });
    assert.equal(valueOf(outcome), 1);
    assert.equal(valueOf((await sandbox.replay(outcome.recording)).outcome), 1);
    assert.equal(valueOf(await sandbox.call("main.count")), 4);
    assert.deepEqual(
      (await runtime.current.list()).map(({ id }) => id),
      [sandbox.id],
    );
  });

  test("runs the code it was recorded with after the sandbox was reloaded, and reports that it differs", async () => {
    await using sandbox = await create({ modules: { main: `export const f = () => "old";` } });
    const before = await record(sandbox, "f");
    await sandbox.hotReload({ main: `export const f = () => "new";` });
    const after = await record(sandbox, "f");
    assert.deepEqual([before.revision, after.revision], [1, 2]);
    const old = await sandbox.replay(before);
    assert.deepEqual([valueOf(old.outcome), old.same, old.sameCode], ["old", true, false]);
    const now = await sandbox.replay(after);
    assert.deepEqual([valueOf(now.outcome), now.same, now.sameCode], ["new", true, true]);
    await sandbox.rollback("main", 1);
    assert.equal((await sandbox.replay(before)).sameCode, true);
  });

  test("several modules that import each other are recorded together", async () => {
    const modules = {
      main: `import { dice } from "./chance"; export const f = () => [dice(), dice()];`,
      chance: `export const dice = () => Math.random();`,
    };
    await using sandbox = await create({ modules });
    const recording = await record(sandbox, "f");
    assert.deepEqual(recording.modules, modules);
    assert.equal((await sandbox.replay(travelled(recording))).difference, null);
  });

  test("a run without fuel is recorded without a count", async () => {
    await using sandbox = await create({ limits: {} });
    const recording = await record(sandbox, "dice", [3]);
    assert.deepEqual([recording.fuel, recording.fuelUsed], [null, null]);
    assert.equal((await sandbox.replay(recording)).difference, null);
  });

  test("a signal ends a run that is recorded, as it does any other", async () => {
    await using sandbox = await create();
    const outcome = await sandbox.call("main.dice", { args: [1], record: true, signal: AbortSignal.abort() });
    assertFailed(outcome, "cancelled");
  });
});

suite("a recording that was changed", () => {
  for (const [how, change] of [
    ["its end", { end: { ok: true, value: "5" } }],
    ["its code", { modules: { main: `export const dice = () => 5;` } }],
    ["its arguments", { args: "[3]" }],
    ["its seed", { deterministic: { ...deterministic, seed: 9 } }],
    ["its fuel", { fuel: 1_000_000 }],
    ["its checksum", { checksum: "0".repeat(64) }],
    ["no more than a name that does not belong there", { extra: 1 }],
  ] as const) {
    test(`is refused after a change of ${how}`, async () => {
      await using sandbox = await create();
      const recording = await record(sandbox, "dice", [20]);
      const error = await mistakeOf(
        () => sandbox.replay({ ...recording, ...change } as never),
        "INVALID_OPTIONS",
      );
      assert.match(error.message, /which its checksum proves/);
      assert.equal((await sandbox.replay(recording)).same, true);
    });
  }

  for (const [what, change] of [
    ["end", { end: { ok: true, value: "5" } }],
    ["end", { modules: { main: source.replace("* 6", "* 7") } }],
    ["end", { args: "[19]" }],
    ["end", { deterministic: { ...deterministic, seed: 9 } }],
    ["fuel", { fuelUsed: 3 }],
    ["output", { output: ["something else"] }],
  ] as const) {
    test(`is shown to differ in its ${what} when ${Object.keys(change).join()} was changed and the checksum made again`, async () => {
      await using sandbox = await create();
      const replay = await sandbox.replay(forged(await record(sandbox, "dice", [20]), change));
      assert.equal(replay.same, false);
      assert.match(replay.difference ?? "", new RegExp(`^${what}: was .+, is .+`));
    });
  }

  test("is refused when it is no recording at all", async () => {
    await using sandbox = await create();
    const circle: { self?: unknown } = {};
    circle.self = circle;
    for (const given of [
      undefined,
      null,
      5,
      "text",
      [],
      {},
      circle,
      () => 1,
      { format: "vivarium.recording/2" },
    ]) {
      const error = await errorOf(() => sandbox.replay(given as never), "INVALID_OPTIONS");
      assert.match(error.message, /^Cannot replay as it must be /);
    }
  });

  for (const [how, change, code = "INVALID_OPTIONS"] of [
    ["without modules", { modules: {} }],
    ["with a module that is no text", { modules: { main: 5 } }],
    ["with a module name that leads out", { modules: { "../main": "" } }],
    ["without a target", { target: "main" }],
    ["with arguments that are no list", { args: "5" }],
    ["with arguments that nobody encoded", { args: "Vnonsense" }],
    ["without a seed", { deterministic: null }],
    ["with a seed that is no number", { deterministic: { seed: "7", now: 0 } }],
    ["without a time", { deterministic: { seed: 7 } }],
    ["without an end", { end: null }],
    ["without output", { output: "text" }],
    ["without a revision", { revision: null }],
    ["with a supervisor that is no name", { supervisor: 5 }],
    ["with more time than the sandbox may have", { timeoutMs: 10_000_000 }, "INVALID_LIMITS"],
    ["with time that is no number", { timeoutMs: "5" }, "INVALID_LIMITS"],
    ["with less than no fuel", { fuel: -1 }, "INVALID_LIMITS"],
  ] as const) {
    test(`is refused ${how}, also with a correct checksum`, async () => {
      await using sandbox = await create();
      const recording = forged(await record(sandbox, "dice", [1]), change);
      await mistakeOf(() => sandbox.replay(recording), code);
    });
  }

  test("is refused with a typed error when its code is no program", async () => {
    await using sandbox = await create();
    const recording = forged(await record(sandbox, "dice", [1]), { modules: { main: "export const = 1" } });
    await errorOf(() => sandbox.replay(recording), "PARSE_FAILED");
    assert.deepEqual(
      (await runtime.current.list()).map(({ id }) => id),
      [sandbox.id],
    );
  });
});

suite("a run that cannot be recorded", () => {
  test("is refused where the sandbox is not deterministic", async () => {
    await using sandbox = await runtime.current.create({ modules: { main: source } });
    await errorOf(() => sandbox.call("main.dice", { args: [1], record: true }), "INVALID_OPTIONS");
  });

  test("is refused where record is no boolean, and where functions or processes are reached", async () => {
    await using sandbox = await create();
    const options = { record: true } as never;
    await mistakeOf(() => sandbox.call("main.dice", { record: "yes" as never }), "INVALID_OPTIONS");
    await mistakeOf(() => sandbox.run(() => 1, options), "INVALID_OPTIONS");
    await mistakeOf(() => sandbox.module("main", options), "INVALID_OPTIONS");
    await mistakeOf(() => runtime.current.once("export default 1", options), "INVALID_OPTIONS");
    await mistakeOf(() => runtime.current.batch.call([sandbox.id], "main.dice", options), "INVALID_OPTIONS");
  });

  test("is refused once the sandbox is destroyed", async () => {
    const sandbox = await create();
    const recording = await record(sandbox, "dice", [1]);
    await sandbox.destroy();
    await errorOf(() => sandbox.call("main.dice", { record: true }), "SANDBOX_NOT_FOUND");
    await errorOf(() => sandbox.replay(recording), "SANDBOX_NOT_FOUND");
  });
});
