// Streams and scripts, as every runtime must have them.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { GuestFailedError } from "../../../src/index.ts";
import { failureOf, valueOf } from "../../support/outcomes.ts";
import { errorOf } from "../../support/errors.ts";
import type { Tried } from "./subject.ts";

const source = `
let made = 0; let ended = 0;
export const counts = () => [made, ended];
export function* count(n) { try { for (let i = 0; i < n; i++) { made++; yield new Map([[i, -0]]); } return "all"; } finally { ended++; } }
export async function* fails() { yield 1; throw new TypeError("broken"); }
export async function* stuck() { yield 1; await new Promise((go) => setTimeout(go, 1e6)); }`;

export function describeStreams(tried: Tried): void {
  suite("streams", () => {
    test("a stream yields the parts as they are, and what was returned", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: source } });
      const stream = sandbox.stream("main.count", { args: [2] });
      assert.deepStrictEqual(await stream.next(), { done: false, value: new Map([[0, -0]]) });
      assert.deepStrictEqual(await stream.next(), { done: false, value: new Map([[1, -0]]) });
      assert.deepStrictEqual(await stream.next(), { done: true, value: "all" });
      assert.deepStrictEqual(await stream.next(), { done: true, value: undefined });
    });

    test("nothing is produced that nobody asked for, and leaving the loop ends the generator", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: source } });
      const stream = sandbox.stream("main.count", { args: [1_000] });
      assert.deepEqual(valueOf(await sandbox.call("main.counts")), [0, 0]);
      let taken = 0;
      for await (const part of stream) {
        assert.ok(part instanceof Map);
        taken++;
        assert.deepEqual(valueOf(await sandbox.call("main.counts")), [taken, 0]);
        if (taken === 3) break;
      }
      assert.deepEqual(valueOf(await sandbox.call("main.counts")), [3, 1]);
    });

    test("several parts that are asked for at once come one after the other", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: source } });
      const stream = sandbox.stream<Map<number, number>>("main.count", { args: [3] });
      const parts = await Promise.all([stream.next(), stream.next(), stream.next()]);
      assert.deepEqual(
        parts.map((part) => (part.done === true ? null : [...part.value.keys()][0])),
        [0, 1, 2],
      );
      await stream.return();
    });

    test("a stream that fails, or is aborted, rejects once and is over", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: source } });
      const failing = sandbox.stream("main.fails");
      await failing.next();
      const error = await errorOf(() => failing.next(), "GUEST_FAILED");
      assert.ok(error instanceof GuestFailedError && error.failure.kind === "crashed");
      assert.match(error.message, /^Cannot go on with the stream: crashed: /);
      assert.equal((await failing.next()).done, true);
      const abort = new AbortController();
      const stuck = sandbox.stream("main.stuck", { signal: abort.signal });
      await stuck.next();
      const next = stuck.next();
      const told = errorOf(() => next, "GUEST_FAILED");
      abort.abort();
      const cancelled = await told;
      assert.ok(cancelled instanceof GuestFailedError && cancelled.failure.reason === "signal");
      assert.equal((await stuck.next()).done, true);
    });

    test("bounds of a stream end it", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: source } });
      const stream = sandbox.stream("main.count", { args: [5], partsMax: 1 });
      await stream.next();
      const error = await errorOf(() => stream.next(), "GUEST_FAILED");
      assert.match(error.message, /must stay within partsMax, 1: it has more$/);
    });
  });

  suite("scripts", () => {
    test("a script has arguments, a value and console lines", async () => {
      await using sandbox = await tried.runtime.create({ modules: { main: source } });
      const outcome = await sandbox.run("console.log('in', args[0]); await 1; new Set(args)", { args: [1n] });
      assert.deepStrictEqual(valueOf(outcome), new Set([1n]));
      assert.deepEqual(
        outcome.logs.map(({ text }) => text),
        ["in 1n"],
      );
      assert.equal(failureOf(await sandbox.run("1 +")).kind, "compile");
    });

    test("once() runs a script or the default export of a module, and tells its lines as they come", async () => {
      const { runtime } = tried;
      const lines: string[] = [];
      const onOutput = ({ text }: { readonly text: string }): number => lines.push(text);
      const outcome = await runtime.once("console.log('one'); args[0] + 1", { args: [1], onOutput });
      assert.deepEqual(
        [valueOf(outcome), lines, outcome.output.map(({ text }) => text)],
        [2, ["one"], ["one"]],
      );
      assert.equal(valueOf(await runtime.once("export default (n) => n * 2;", { args: [4] })), 8);
      const module = await runtime.compile.source("const a = 1;");
      assert.equal(valueOf(await runtime.once(module)), undefined);
      assert.equal(failureOf(await runtime.once("throw new Error('no')")).kind, "crashed");
    });

    test("the scripts of a session see what the earlier ones declared, in their order", async () => {
      const { runtime } = tried;
      const lines: string[] = [];
      await using session = await runtime.session({ onOutput: ({ text }) => lines.push(text) });
      const outcomes = await Promise.all([
        session.run("let a = 1; console.log('first', a)"),
        session.run("a += 1"),
        session.run("a * 10"),
      ]);
      assert.deepEqual(
        outcomes.map(({ script }) => script),
        ["script-1", "script-2", "script-3"],
      );
      const [first, , third] = outcomes;
      assert.equal(valueOf(third), 20);
      assert.equal(third.fresh, false);
      assert.deepEqual([lines, first.output.map(({ text }) => text)], [["first 1"], ["first 1"]]);
      assert.equal(valueOf(await session.sandbox.run("1")), 1);
      assert.equal(await runtime.has(session.id), true);
    });

    test("a script that waits for its turn is cancelled at once, and the session goes on", async () => {
      await using session = await tried.runtime.session();
      const abort = new AbortController();
      const spinning = session.run("for (;;);", { timeoutMs: 500 });
      const waiting = session.run("1", { signal: abort.signal });
      abort.abort();
      assert.equal(failureOf(await waiting).reason, "signal");
      assert.equal(failureOf(await spinning).kind, "timeout");
      assert.equal(valueOf(await session.run("2")), 2);
    });

    test("a session is gone when it is closed", async () => {
      const session = await tried.runtime.session();
      await session.close();
      assert.equal(await tried.runtime.has(session.id), false);
    });
  });
}
