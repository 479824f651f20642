// Clients that are closed or lose their connection while much is under way: all of it ends, as in a local runtime, and nothing
// is told twice or lost that had come already.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { connect, type Fetch, type RemoteRuntime } from "../../../src/client/index.ts";
import { createRuntime, type Runtime } from "../../../src/index.ts";
import { createServer, openGate, type Server } from "../../../src/server/index.ts";
import { errorOf } from "../../support/errors.ts";
import { fulfilled, until } from "../../support/waiting.ts";

const main = `
  export const f = () => 1;
  export const later = () => new Promise((done) => setTimeout(done, 1e6));
  export async function* two() { yield 1; yield 2; }`;

let host: Runtime;
let server: Server;

before(async () => {
  host = await createRuntime({ cells: { count: 1, spare: 0, warm: 2 } });
  server = createServer(host, { gate: openGate() });
});
after(async () => {
  await server?.close();
  await host?.close();
});

/** Connects without sockets; `fetch` may do something in between. */
const open = (fetch: Fetch = (request) => server.fetch(request)): Promise<RemoteRuntime> =>
  connect("http://127.0.0.1:1", { fetch, retry: { firstMs: 1 } });

suite("close() of a client", () => {
  test("ends each item of its batches as a local runtime does, also where nobody awaits them", async () => {
    const runtime = await open();
    await runtime.create("closing", { modules: { main }, limits: { timeoutMs: 60_000 } });
    const called = runtime.batch.call(["closing", "closing"], "main.later");
    const made = runtime.batch.create([
      { modules: { main: "await new Promise(() => setTimeout(() => {}, 1e6))" } },
    ]);
    const scored = runtime.batch.evaluate(["closing"], {
      tests: [{ name: "t", call: "main.later", expected: 1 }],
    });
    // A rejection that nobody awaits would fail this test.
    void runtime.batch.call(["closing"], "main.later");
    await until("they run", async () => (await host.metrics()).runsUnderway >= 4);
    await runtime.close();
    for (const outcome of await fulfilled("the calls", called))
      assert.ok(!outcome.ok && outcome.error.kind === "cancelled" && outcome.error.reason === "closed");
    for (const result of await fulfilled("the creations", made))
      assert.ok(!result.ok && "code" in result.error && result.error.code === "RUNTIME_CLOSED");
    for (const result of await fulfilled("the evaluations", scored))
      assert.ok(!result.ok && result.error.kind === "cancelled");
    await until("nothing runs", async () => (await host.metrics()).runsUnderway === 0);
    await host.destroy("closing");
  });

  test("cuts a stream that nobody asks, which says so once", async () => {
    const runtime = await open();
    const sandbox = await runtime.create("streaming", { modules: { main } });
    const stream = sandbox.stream("main.two");
    await stream.next();
    await runtime.close();
    const failure = await errorOf(() => stream.next(), "GUEST_FAILED");
    assert.match(failure.message, /the runtime was closed/);
    assert.equal((await stream.next()).done, true);
    await host.destroy("streaming");
  });
});

suite("a connection that breaks", () => {
  test("behind the last line of an answer loses nothing of it", async () => {
    const runtime = await open(async (request) => {
      const response = await server.fetch(request);
      if (response.headers.get("content-type") !== "application/x-ndjson") return response;
      const text = await response.text();
      let isSent = false;
      const body = new ReadableStream({
        pull: (controller) => {
          if (isSent) return controller.error(new TypeError("terminated"));
          isSent = true;
          controller.enqueue(new TextEncoder().encode(text));
        },
      });
      return new Response(body, response);
    });
    const outcome = await runtime.once("console.log('said'); 7", { onOutput: () => {} });
    assert.ok(outcome.ok && outcome.value === 7);
    const session = await runtime.session({ onOutput: () => {} });
    const ran = await session.run("8");
    assert.ok(ran.ok && ran.value === 8);
    await session.close();
    await host.create("batched", { modules: { main } });
    const [first] = await runtime.batch.call(["batched"], "main.f");
    assert.ok(first?.ok === true && first.value === 1);
    await host.destroy("batched");
    await runtime.close();
  });
});

test("a request waits for the stream of events that tells all that is listened to by then", async () => {
  let opened = 0;
  let isAsked = false;
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const runtime = await open(async (request) => {
    if (request.url.includes("/v1/events")) await gates[opened++]?.promise;
    else if (request.url.includes("/v1/sandboxes")) isAsked = true;
    return server.fetch(request);
  });
  const heard: string[] = [];
  runtime.events.on("sandbox.create.stop", ({ sandboxId }) => heard.push(sandboxId));
  await until("the first stream is asked for", () => opened === 1);
  const creation = runtime.create("awaited", { modules: { main } });
  await new Promise((resolve) => setImmediate(resolve));
  runtime.events.on("sandbox.destroy.stop", () => {});
  await until("the second stream is asked for", () => opened === 2);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isAsked, false);
  for (const gate of gates) gate.resolve();
  await creation;
  await until("the creation is heard", () => heard.includes("awaited"));
  await host.destroy("awaited");
  await runtime.close();
});

test("a creation that is given up while its answer is on the way leaves nothing", async () => {
  let giveUp = new AbortController();
  let made = 0;
  const runtime = await open(async (request) => {
    const response = await server.fetch(new Request(request, { signal: null }));
    if (request.method !== "POST" || response.status !== 201) return response;
    made++;
    giveUp.abort();
    return response;
  });
  await host.create("parent", { modules: { main } });
  const kinds = [
    (signal: AbortSignal) => runtime.create({ modules: { main }, signal }),
    (signal: AbortSignal) => runtime.fork("parent", { signal }),
    (signal: AbortSignal) => runtime.session({ signal }),
  ];
  for (const [index, make] of kinds.entries()) {
    giveUp = new AbortController();
    await errorOf(() => make(giveUp.signal), "CANCELLED");
    assert.equal(made, index + 1);
    await until("it is gone", async () => (await host.list()).length === 1);
  }
  assert.equal(server.load.sessions, 0);
  await host.destroy("parent");
  await runtime.close();
});

test("a batch that is given up while results are on the way leaves none of its sandboxes", async () => {
  const giveUp = new AbortController();
  const runtime = await open(async (request) => {
    if (!request.url.endsWith("/batches/create")) return server.fetch(request);
    const response = await server.fetch(new Request(request, { signal: null }));
    // All is done on the server before anything of it arrives.
    const text = await response.text();
    giveUp.abort();
    return new Response(text, response);
  });
  const specs = Array.from({ length: 5 }, () => ({ modules: { main } }));
  const results = await runtime.batch.create(specs, { signal: giveUp.signal });
  assert.deepEqual(
    results.map((result) => !result.ok && result.error.code),
    Array.from({ length: 5 }, () => "CANCELLED"),
  );
  await until("they are gone", async () => (await host.list()).length === 0);
  await runtime.close();
});

test("a stream that is given up while it opens is ended on the server", async () => {
  const giveUp = new AbortController();
  const runtime = await open(async (request) => {
    const response = await server.fetch(request);
    if (request.url.endsWith("/streams")) giveUp.abort();
    return response;
  });
  const source = "export function* f() { try { yield 1; } finally { globalThis.over = true; } }";
  const sandbox = await runtime.create({ modules: { main: source } });
  const stream = sandbox.stream("main.f", { signal: giveUp.signal });
  await assert.rejects(stream.next(), /aborted/);
  await until("the server has ended it", () => server.load.streams === 0);
  await sandbox.destroy();
  await runtime.close();
});
