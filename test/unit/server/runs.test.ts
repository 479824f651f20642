// Runs over HTTP: calls, scripts, functions, recordings, one source once, and what hostile texts come to.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "../../../src/model/wire/encode.ts";
import { linesOf, serve } from "../../support/served.ts";

const { give, refuse, ask, runtime } = await serve();
const main = `
  export const sizes = (map: Map<unknown, unknown>, set: Set<unknown>) => [map.size, set.size];
  export const forever = () => { while (true); };
  export const broken = () => { throw new TypeError("no"); };
  export const rows = () => { const a: unknown[] = []; let at = a; for (let i = 0; i < 100; i++) { const b: unknown[] = []; at.push(b, b); at = b; } return a; };
  export const seeded = () => Math.random();`;
await runtime.create("guest", { modules: { main } });
const calls = "POST /v1/sandboxes/guest/calls";

test("encoded arguments reach the guest as what they are", async () => {
  const argsEncoded = encode([new Map([[1, 2]]), new Set([1, 2, 3])], Infinity);
  const outcome = await give(calls, { body: { target: "main.sizes", argsEncoded } });
  assert.deepEqual(outcome["value"], [1, 3]);
});

test("an encoded text that is none is INVALID_OPTIONS, whatever it says", async () => {
  for (const argsEncoded of [
    "",
    "V",
    "V[",
    "V[0]",
    "V[[1]]",
    'V[0,["x"]]',
    "{}",
    "[".repeat(1e5),
    "V[0,[0]]",
  ]) {
    const problem = await refuse(calls, "INVALID_OPTIONS", { body: { target: "main.sizes", argsEncoded } });
    assert.equal(problem.option, "argsEncoded");
  }
});

test("a call's own failure is an outcome, a mistake in it a problem that names the option", async () => {
  const outcome = await give(calls, { body: { target: "main.broken" } });
  assert.equal(outcome["ok"], false);
  assert.match(JSON.stringify(outcome["error"]), /"crashed".*TypeError/);
  const problem = await refuse(calls, "INVALID_OPTIONS", { body: { target: "main.broken", bogus: 1 } });
  assert.match(problem.detail, /"bogus"/);
  assert.equal(problem.option, "body.bogus");
});

test("what shares its parts many times over is told without being written out", async () => {
  const outcome = await give(calls, { body: { target: "main.rows" } });
  assert.match(JSON.stringify(outcome["value"]).slice(-10_000), /too large/);
  assert.match(String(outcome["encoded"]), /^V/);
});

test("run takes a script, and the text of a function in each of its forms", async () => {
  const run = "POST /v1/sandboxes/guest/runs";
  assert.equal((await give(run, { body: { source: "args[0] + 1", args: [1] } }))["value"], 2);
  for (const text of [
    "(m, n) => n + 1",
    "async (m, n) => n + 1",
    "m => 2",
    "function (m, n) { return n + 1 }",
    "async function f(m, n) { return n + 1 }",
    "add(m, n) { return n + 1 }",
    "async add(m, n) { return n + 1 }",
  ])
    assert.equal((await give(run, { body: { function: text, args: [1] } }))["value"], 2, text);
  const failed = await give(run, { body: { function: "(m) => {" } });
  assert.match(JSON.stringify(failed["error"]), /"compile"/);
  await refuse(run, "INVALID_OPTIONS", { body: { function: "class A {}" } });
});

test("a text of a function never runs in the process of the server", async () => {
  const text = "() => 1); globalThis.planted = true; (() => 1";
  await give("POST /v1/sandboxes/guest/runs", { body: { function: text } });
  assert.equal("planted" in globalThis, false);
});

test("a recorded call is replayed", async () => {
  await give("POST /v1/sandboxes", {
    body: { id: "same", modules: { main }, deterministic: { seed: 7, now: 0 } },
  });
  const { recording } = await give("POST /v1/sandboxes/same/calls", {
    body: { target: "main.seeded", record: true },
  });
  const replay = await give("POST /v1/sandboxes/same/replays", { body: { recording } });
  assert.equal(replay["same"], true);
});

test("once answers with a document, or with lines as its output comes", async () => {
  const body = { source: "console.log('hello'); args[0] * 2", args: [4] };
  const whole = await give("POST /v1/once", { body });
  assert.equal(whole["value"], 8);
  const lines = await linesOf(
    await ask("POST /v1/once", { body, headers: { accept: "application/x-ndjson" } }),
  );
  assert.deepEqual(
    lines.map(({ type }) => type),
    ["output", "outcome"],
  );
  const events = await ask("POST /v1/once", { body, headers: { accept: "text/event-stream" } });
  assert.equal(events.headers.get("content-type"), "text/event-stream");
  assert.match(await events.text(), /^data: \{"type":"output"[^\n]*\n\ndata: \{"type":"outcome"/);
});

test("a connection that is closed ends its run as cancelled", async () => {
  const closing = new AbortController();
  const ended = new Promise<string>((resolve) => {
    runtime.events.on("sandbox.run.stop", ({ result, target }) => {
      if (target === "main.forever") resolve(result);
    });
  });
  const started = new Promise<void>((resolve) => {
    runtime.events.on("sandbox.run.start", ({ target }) => {
      if (target === "main.forever") resolve();
    });
  });
  const answer = ask(calls, { body: { target: "main.forever", timeoutMs: 5_000 }, signal: closing.signal });
  await started;
  closing.abort();
  assert.equal(await ended, "cancelled");
  await answer;
});

test("a file of the server's is never opened: a path is refused", async () => {
  await refuse("POST /v1/sandboxes", "NOT_REMOTE", { body: { path: "/etc" } });
  await refuse("POST /v1/batches/call", "NOT_REMOTE", {
    body: { targets: [{ path: "/etc" }], target: "main.f" },
  });
});

test("a body that is no JSON, too deep, of other bytes or too long is refused", async () => {
  await refuse(calls, "INVALID_OPTIONS", { body: "{" });
  await refuse(calls, "INVALID_OPTIONS", { body: "[]" });
  await refuse(calls, "INVALID_OPTIONS", {
    body: `{"target":"main.sizes","args":${"[".repeat(1e6)}${"]".repeat(1e6)}}`,
  });
  const small = await serve({ bounds: { bodyBytes: 100 } }, runtime);
  const problem = await small.refuse(calls, "REQUEST_REFUSED", { body: { target: "x".repeat(200) } });
  assert.equal(problem.status, 413);
});
