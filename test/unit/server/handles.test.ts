// Streams and sessions whose making meets the end of the server or of their sandbox.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, type Runtime } from "../../../src/index.ts";
import { createServer, openGate } from "../../../src/server/index.ts";
import { until } from "../../support/waiting.ts";

const cells = { count: 1, spare: 0, warm: 1 };

/** A gate that does something before room is given back, when what was to be made is there. */
function gateBefore(act: () => Promise<void>) {
  const gate = openGate();
  return { ...gate, reserve: async () => ({ release: act }) };
}

const post = (path: string, body: object): Request =>
  new Request(`http://localhost${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

async function withRuntime(act: (runtime: Runtime) => Promise<void>): Promise<void> {
  await using runtime = await createRuntime({ cells });
  await act(runtime);
}

test("a session that is made while the server is closed is ended with it", async () => {
  await withRuntime(async (runtime) => {
    let closed: Promise<void> | undefined;
    const gate = gateBefore(async () => {
      closed = server.close();
    });
    const server = createServer(runtime, { gate });
    await server.fetch(post("/v1/sessions", { id: "late" }));
    await closed;
    assert.equal(server.load.sessions, 0);
    await until("its sandbox is gone", async () => !(await runtime.has("late")));
  });
});

test("a session whose sandbox is destroyed while it is made is none", async () => {
  await withRuntime(async (runtime) => {
    const server = createServer(runtime, { gate: gateBefore(() => runtime.destroy("early")) });
    await server.fetch(post("/v1/sessions", { id: "early" }));
    assert.equal(server.load.sessions, 0);
    await server.close();
  });
});

test("a stream that is asked for while the server is closed, or after its caller left, is not held", async () => {
  await withRuntime(async (runtime) => {
    await runtime.create("a", { modules: { main: "export function* g() { yield 1; }" } });
    const server = createServer(runtime, { gate: openGate() });
    const left = new AbortController();
    const request = post("/v1/sandboxes/a/streams", { target: "main.g" });
    const answer = server.fetch(new Request(request, { signal: left.signal }));
    left.abort();
    await answer;
    assert.equal(server.load.streams, 0);
    const late = server.fetch(post("/v1/sandboxes/a/streams", { target: "main.g" }));
    await server.close();
    await late;
    assert.equal(server.load.streams, 0);
  });
});
