// How a server ends: what is under way may finish, what is new is turned away, and what takes too long is cut.
import assert from "node:assert/strict";
import { test } from "node:test";
import { closeOnSignals } from "../../../src/server/index.ts";
import { startRuntime } from "../../support/runtimes.ts";
import { as, bytesOf, hear, raw, statusIn } from "../../support/listening.ts";
import { fulfilled, until } from "../../support/waiting.ts";

const headers = as("admin");
let open = Promise.withResolvers<number>();
const runtime = await startRuntime({
  capabilities: { wait: { run: () => open.promise, timeoutMs: 300_000 } },
});
const modules = {
  main: 'import { wait } from "vivarium/capabilities"; export const f = () => wait(); export async function* g() { yield 1; yield await wait(); }',
};
await runtime.create("one", { modules, capabilities: { wait: { calls: 1_000 } } });
const running = (count: number) =>
  until(`${count} run`, async () => (await runtime.metrics()).runsUnderway === count);

test("SIGTERM lets a request finish, turns new ones away, and is over then", async () => {
  open = Promise.withResolvers();
  const { ask, listening } = await hear({}, {}, runtime);
  const { port } = listening;
  const signals: string[] = [];
  closeOnSignals(listening, { onSignal: (signal) => signals.push(signal) });
  const underway = ask("POST /v1/sandboxes/one/calls", { headers, body: { target: "main.f" } });
  await running(1);
  process.kill(process.pid, "SIGTERM");
  await until("the signal has come", () => signals.length === 1);
  assert.deepEqual(signals, ["SIGTERM"]);
  const turned = await raw(port);
  turned.send(bytesOf("GET /v1/about", port));
  const text = await fulfilled("its end", turned.ended);
  assert.equal(statusIn(text), 503);
  assert.match(text, /retry-after: 1/i);
  assert.equal((await ask("GET /readyz")).status, 503);
  assert.equal((await ask("GET /healthz")).status, 200);
  open.resolve(7);
  assert.equal(((await (await underway).json()) as { value: unknown }).value, 7);
  assert.deepEqual(await fulfilled("the drain", listening.drained), { aborted: 0 });
  await assert.rejects(ask("GET /healthz"));
  assert.equal((await runtime.info("one")).status, "running", "the runtime is its owner's");
});

test("a stream of a guest that is under way may finish, and one of events ends at once and in order", async () => {
  open = Promise.withResolvers();
  const { ask, listening } = await hear({}, {}, runtime);
  const events = await ask("GET /v1/events", { headers });
  const accept = { ...headers, accept: "application/x-ndjson" };
  const stream = await ask("POST /v1/sandboxes/one/streams", { headers: accept, body: { target: "main.g" } });
  await running(1);
  const closed = listening.close();
  for await (const _ of events.body ?? []);
  open.resolve(2);
  const lines = (await stream.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; value: unknown });
  assert.deepEqual(
    lines.map(({ type, value }) => [type, value]),
    [
      ["part", 1],
      ["part", 2],
      ["returned", null],
    ],
  );
  assert.deepEqual(await fulfilled("the drain", closed), { aborted: 0 });
});

test("what takes longer than drainMs is cut, and cancelled in the runtime", async () => {
  open = Promise.withResolvers();
  const { ask, listening } = await hear({ drainMs: 50 }, {}, runtime);
  const underway = ask("POST /v1/sandboxes/one/calls", { headers, body: { target: "main.f" } }).then(
    () => "answered",
    () => "cut",
  );
  await running(1);
  assert.deepEqual(await fulfilled("the drain", listening.close()), { aborted: 1 });
  assert.equal(await underway, "cut");
  await running(0);
  open.resolve(0);
});

test("a second signal does not wait", async () => {
  open = Promise.withResolvers();
  const { ask, listening } = await hear({ drainMs: 600_000 }, {}, runtime);
  closeOnSignals(listening);
  const underway = ask("POST /v1/sandboxes/one/calls", { headers, body: { target: "main.f" } }).catch(
    () => {},
  );
  await running(1);
  process.kill(process.pid, "SIGINT");
  process.kill(process.pid, "SIGTERM");
  assert.deepEqual(await fulfilled("the drain", listening.drained), { aborted: 1 });
  await underway;
  assert.equal(process.listenerCount("SIGTERM"), 0, "it no longer listens for signals");
  open.resolve(0);
});

test("idle connections do not hold the end up", async () => {
  const { listening } = await hear({ drainMs: 600_000 }, {}, runtime);
  const idle = await raw(listening.port);
  idle.send(bytesOf("GET /v1/about", listening.port));
  await idle.until("HTTP/1.1 200");
  await raw(listening.port);
  assert.deepEqual(await fulfilled("the drain", listening.close()), { aborted: 0 });
});
