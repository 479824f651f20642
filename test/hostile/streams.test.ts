// Streams of guests that do not want to end, or to be read: each ends within its bounds, and the sandbox and its neighbour go on.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { GuestFailedError } from "../../src/index.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { settled, until } from "../support/waiting.ts";

const runtime = await startRuntime({ limits: { timeoutMs: 2_000 } });

const never = "new Promise(() => setTimeout(() => {}, 1e8))";
const iterator = (methods: string): string => `({ [Symbol.asyncIterator]() { return { ${methods} }; } })`;

/** What each may come to: kinds of failure, or `ended`. */
const guests: readonly (readonly [name: string, body: string, ends: readonly string[]])[] = [
  ["next never settles", iterator(`next: () => ${never}`), ["timeout"]],
  ["next settles with nothing", iterator("next() { return undefined; }"), ["crashed"]],
  ["next has nothing left to wait for", iterator("next: () => new Promise(() => {})"), ["timeout"]],
  [
    "return never settles",
    iterator(`n: 0, next() { return { done: false, value: this.n++ }; }, return: () => ${never}`),
    ["ended"],
  ],
  [
    "return spins",
    iterator("next: () => ({ done: false, value: 1 }), return() { for (;;); }"),
    ["ended", "timeout"],
  ],
  ["return is no function", iterator("next: () => ({ done: false, value: 1 }), return: 5"), ["ended"]],
  [
    "return is a getter that throws",
    iterator("next: () => ({ done: false, value: 1 }), get return() { throw 1; }"),
    ["crashed"],
  ],
  ["parts without end", "(function* () { for (let i = 0; i < 1e6; i++) yield i; })()", ["ended"]],
  [
    "thenable parts",
    iterator("next: () => ({ done: false, value: { then(resolve) { resolve(1); } } })"),
    ["unserializable"],
  ],
  ["thenable steps that never settle", iterator("next: () => ({ then() {} })"), ["timeout"]],
  ["a proxy for an iterator", "new Proxy([1, 2][Symbol.iterator](), {})", ["crashed"]],
  [
    "a proxy that answers everything with itself",
    "(() => { const p = new Proxy(function () {}, { get: () => p, apply: () => p }); return p; })()",
    ["crashed", "timeout", "ended"],
  ],
  ["a done that is an object", iterator("next: () => ({ done: {}, value: 1 })"), ["ended"]],
  [
    "a replaced Symbol",
    "(() => { globalThis.Symbol = { asyncIterator: 'a', iterator: 'b' }; return [1, 2]; })()",
    ["ended"],
  ],
  [
    "patched prototypes",
    `(() => {
      Object.prototype.then = (resolve) => resolve("forged");
      Map.prototype.get = Map.prototype.set = Set.prototype.delete = () => { throw 1; };
      Promise.prototype.then = () => { throw 2; };
      return (function* () { yield 1; yield 2; })();
    })()`,
    ["ended", "crashed", "timeout"],
  ],
  [
    "a function that streams itself again",
    iterator("next() { return Promise.resolve({ done: false, value: 1 }).then((x) => x); }"),
    ["ended"],
  ],
];

suite("a hostile stream ends", () => {
  for (const [name, body, ends] of guests)
    test(name, async () => {
      await using neighbour = await createMain(runtime, "export const f = () => 42;");
      await using sandbox = await createMain(
        runtime,
        `const made = { go: () => ${body} }; export const go = () => made.go(); export const f = () => 1;`,
      );
      const read = async (): Promise<string> => {
        let parts = 0;
        for await (const _ of sandbox.stream("main.go", { timeoutMs: 1_000, deadlineMs: 60_000 }))
          if (++parts === 5) break;
        return "ended";
      };
      const result = await settled(name, read());
      const end = result.status === "fulfilled" ? result.value : kindOf(result.reason);
      assert.ok(ends.includes(end), `${end}: ${String((result as PromiseRejectedResult).reason)}`);
      const other = await neighbour.call("main.f");
      assert.equal(other.ok && other.value, 42);
    });
});

function kindOf(error: unknown): string {
  assert.ok(error instanceof GuestFailedError, String(error));
  return error.failure.kind;
}

test("a promise for an iterable that comes after its caller gave up is ended, and is not kept", async () => {
  await using sandbox = await createMain(
    runtime,
    `let ended = 0;
    let give: (made: unknown) => void = () => {};
    let isOver = false;
    export const go = () => { console.log("called"); return new Promise((done) => { give = done; setTimeout(() => {}, 1e8); }); };
    export const over = () => { isOver = true; };
    export const late = async () => {
      console.log("called");
      while (!isOver) await new Promise((done) => setTimeout(done, 5));
      give({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }), return: () => { ended++; return {}; } }) });
      await new Promise((done) => setTimeout(done, 5));
      return ended;
    };`,
    { timeoutMs: 60_000 },
  );
  const given = new AbortController();
  const next = sandbox.stream("main.go", { signal: given.signal }).next();
  // Another run waits inside, so that the isolate is not given up with the first.
  const late = sandbox.call("main.late");
  await until("both were called", async () => (await sandbox.logs()).length === 2);
  given.abort();
  assert.equal((await settled("the stream", next)).status, "rejected");
  await sandbox.call("main.over");
  const outcome = await late;
  assert.equal(outcome.ok && outcome.value, 1);
});
