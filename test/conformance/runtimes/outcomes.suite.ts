// How runs end, and what travels in and out of them, as in every runtime.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { unwrap, GuestFailedError, type FailureKind } from "../../../src/index.ts";
import { assertFailed, failureOf, valueOf } from "../../support/outcomes.ts";
import { errorOf } from "../../support/errors.ts";
import type { Tried } from "./subject.ts";

const source = `
export const echo = (...args) => args;
export const is = (v) => [Object.is(v, -0), Number.isNaN(v), typeof v];
export const spin = () => { for (;;); };
export const toss = () => { throw Object.assign(new RangeError("too far", { cause: new Error("root") }), { code: 7 }); };
export const grow = () => { const all = []; for (;;) all.push(new Array(1e5).fill(1.5)); };
export const fn = () => () => 1;
export const loud = () => { for (let i = 0; i < 2e4; i++) console.log("x".repeat(1000)); return "x".repeat(2 ** 26); };
export const said = () => { console.warn("careful"); return 1; };
export const own = () => { const a = { name: "a" }; a.self = a; return [a, new Error("mine"), new Date(5), new Uint16Array([1, 65535]), /x/g]; };
`;

const values: readonly (readonly [string, unknown])[] = [
  ["plain data", { a: [1, "two", null, true, { b: 0.1 }], "": "empty", __proto: 1 }],
  ["undefined", undefined],
  ["NaN and infinities", [NaN, Infinity, -Infinity]],
  ["minus zero", -0],
  ["big integers", [0n, -(10n ** 40n)]],
  ["maps and sets", new Map<unknown, unknown>([[{ k: 1 }, new Set([1, "a", undefined])]])],
  ["dates", [new Date(0), new Date(NaN)]],
  ["typed arrays", [new Uint8Array([0, 255]), new Float64Array([NaN, -0]), new BigInt64Array([-1n])]],
  ["buffers", new Uint8Array([1, 2, 3]).buffer],
  ["holes and undefined in lists", Object.assign([] as unknown[], { 1: undefined, 2: 3 })],
  ["letters of all planes", "\u{1f600} \ud800 \0 \u2028"],
];

export function describeOutcomes(tried: Tried): void {
  suite("outcomes", () => {
    for (const [what, value] of values)
      test(`${what} travel both ways as they are`, async () => {
        await using sandbox = await tried.runtime.create({ modules: { main: source } });
        assert.deepStrictEqual(valueOf(await sandbox.call("main.echo", { args: [value, value] })), [
          value,
          value,
        ]);
      });

    test("cycles stay cycles, and what is shared stays shared", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: source } });
      const ring: unknown[] = [1];
      ring.push(ring);
      const [a, b] = valueOf(await sandbox.call<unknown[][]>("main.echo", { args: [ring, ring] }));
      assert.equal(a, b);
      assert.equal(a?.[1], a);
      const [own, error] = valueOf(await sandbox.call<[{ self: unknown }, Error]>("main.own"));
      assert.equal(own.self, own);
      assert.ok(error instanceof Error && error.message === "mine");
    });

    test("what is no data is refused before it travels", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: source } });
      await errorOf(() => sandbox.call("main.echo", { args: [() => 1] }), "UNSERIALIZABLE");
      await errorOf(() => sandbox.call("main.echo", { args: "none" as never }), "INVALID_OPTIONS");
    });

    const kinds: readonly (readonly [FailureKind, `main.${string}`, object?])[] = [
      ["timeout", "main.spin", { timeoutMs: 50 }],
      ["crashed", "main.toss"],
      ["unserializable", "main.fn"],
      ["not-found", "main.missing"],
    ];
    for (const [kind, target, options] of kinds)
      test(`a run that ends as ${kind} says the same here and on the host`, async () => {
        await using sandbox = await tried.runtime.create({ modules: { main: source } });
        const failure = failureOf(await sandbox.call(target, options));
        assert.equal(failure.kind, kind);
        const onHost = failureOf(await (await tried.host.get(sandbox.id)).call(target, options));
        assert.equal(failure.message, onHost.message);
        assert.deepEqual(failure.thrown, onHost.thrown);
        assert.equal(failure.limit, onHost.limit);
      });

    test("memory, processor time, fuel and output have their limits", async () => {
      await using sandbox = await tried.runtime.create({
        modules: { main: source },
        limits: { fuel: 1_000_000, memoryBytes: 2 ** 25 },
      });
      assertFailed(await sandbox.call("main.spin", { fuel: 1_000 }), "fuel", "fuel");
      assertFailed(await sandbox.call("main.loud"), "output-limit", "outputBytes");
      assertFailed(await sandbox.call("main.grow"), "memory", "memoryBytes");
      await using other = await tried.runtime.create({ modules: { main: source }, limits: { cpuMs: 50 } });
      assertFailed(await other.call("main.spin"), "cpu", "cpuMs");
    });

    test("what a guest throws is told with its causes, and is the cause of what unwrap() throws", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: source } });
      const outcome = await sandbox.call("main.toss");
      assert.throws(
        () => unwrap(outcome),
        (error: unknown) =>
          error instanceof GuestFailedError &&
          error.failure.thrown?.code === 7 &&
          error.cause instanceof Error &&
          error.cause.message === "too far" &&
          (error.cause.cause as Error).message === "root",
      );
    });

    test("an outcome has its console lines and its usage", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: source } });
      const { logs, usage } = await sandbox.call("main.said");
      assert.deepEqual(
        logs.map(({ level, text }) => [level, text]),
        [["warn", "careful"]],
      );
      assert.ok(usage.wallMs > 0 && usage.heapBytes > 0);
    });

    test("module() calls exports by their names, and run() ships functions", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: source } });
      const main = sandbox.module<{ echo: (...args: unknown[]) => unknown[] }>("main");
      assert.deepEqual(valueOf(await main.echo(1n, "b")), [1n, "b"]);
      const sum = (
        modules: { main: { echo: (...args: number[]) => number[] } },
        a: number,
        b: number,
      ): number => modules.main.echo(a, b).reduce((x, y) => x + y);
      assert.equal(valueOf(await sandbox.run(sum, { args: [3, 4] })), 7);
      const holder = {
        async later(this: void, _: object, n: number): Promise<number> {
          return n * 2;
        },
      };
      assert.equal(valueOf(await sandbox.run(holder.later, { args: [21] })), 42);
      await errorOf(() => sandbox.run(Math.max as never), "INVALID_OPTIONS");
    });

    test("a recorded run replays as it was", async () => {
      await using sandbox = await tried.runtime.create({
        modules: { main: "export const dice = () => [Math.random(), -0, new Date()];" },
        deterministic: { seed: 3, now: 1e12 },
      });
      const { recording, ...outcome } = await sandbox.call("main.dice", { record: true });
      const replay = await sandbox.replay(JSON.parse(JSON.stringify(recording)) as typeof recording);
      assert.deepEqual([replay.same, replay.sameCode, replay.difference], [true, true, null]);
      assert.deepStrictEqual(valueOf(replay.outcome), valueOf(outcome));
    });
  });
}
