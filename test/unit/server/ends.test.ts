// What meets the end of a sandbox, a runtime or a server: every request is answered, and nothing is left open.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, type Runtime } from "../../../src/index.ts";
import { linesOf, serve, type Served } from "../../support/served.ts";
import { fulfilled, until } from "../../support/waiting.ts";

const main = `
  export const forever = () => { while (true); };
  export const later = () => new Promise((done) => setTimeout(done, 1e6));
  export async function* stuck() { yield 1; await new Promise((done) => setTimeout(done, 1e6)); }`;
const cells = { count: 1, spare: 0, warm: 1 };
const lines = { accept: "application/x-ndjson" };

/** Requests of every kind that do not end by themselves, with the answer of each. */
async function beginAll(served: Served): Promise<{ answers: Promise<string>[]; events: Response }> {
  const { runtime, ask, give } = served;
  await runtime.create("busy", { modules: { main }, limits: { timeoutMs: 60_000 } });
  const { sessionId } = await give("POST /v1/sessions", {
    body: { id: "talk", limits: { timeoutMs: 60_000 } },
  });
  const { streamId } = await give("POST /v1/sandboxes/busy/streams", { body: { target: "main.stuck" } });
  await give(`POST /v1/streams/${String(streamId)}/next`);
  let started = 0;
  const end = runtime.events.on("sandbox.run.start", () => started++, { background: true });
  const text = async (answer: Promise<Response>): Promise<string> => (await answer).text();
  const call = { target: "main.later", timeoutMs: 60_000 };
  const answers = [
    text(ask("POST /v1/sandboxes/busy/calls", { body: call })),
    text(ask(`POST /v1/streams/${String(streamId)}/next`)),
    text(ask("POST /v1/sandboxes/busy/streams", { body: { target: "main.stuck" }, headers: lines })),
    text(
      ask("POST /v1/batches/call", { body: { targets: ["busy"], target: "main.later", timeoutMs: 60_000 } }),
    ),
    text(
      ask(`POST /v1/sessions/${String(sessionId)}/scripts`, {
        body: { source: "await new Promise((done) => setTimeout(done, 1e6))" },
      }),
    ),
    text(
      ask("POST /v1/once", {
        body: { source: "await new Promise((done) => setTimeout(done, 1e6))", timeoutMs: 60_000 },
        headers: lines,
      }),
    ),
  ];
  await until("all are under way", () => started >= answers.length - 1);
  end();
  return { answers, events: await ask("GET /v1/events") };
}

async function withRuntime(act: (runtime: Runtime) => Promise<void>): Promise<void> {
  await using runtime = await createRuntime({ cells });
  await act(runtime);
}

test("destroying the sandbox ends what runs in it, each with an answer", async () => {
  await withRuntime(async (runtime) => {
    const served = await serve({}, runtime);
    const { answers } = await beginAll(served);
    await served.give("DELETE /v1/sandboxes/busy");
    await served.give("DELETE /v1/sandboxes/talk");
    for (const answer of answers.slice(0, -1))
      assert.match(
        await fulfilled("an answer", answer),
        /destroyed|SANDBOX_NOT_FOUND|GUEST_FAILED|cancelled/,
      );
    assert.equal(served.server.load.streams, 0);
    assert.equal(served.server.load.sessions, 0);
    await served.server.close();
  });
});

test("closing the runtime answers all that is under way, and what comes later is 503", async () => {
  await withRuntime(async (runtime) => {
    const served = await serve({}, runtime);
    const { answers } = await beginAll(served);
    await runtime.close();
    for (const answer of answers)
      assert.match(await fulfilled("an answer", answer), /closed|cancelled|CANCELLED|GUEST_FAILED/);
    const problem = await served.refuse("POST /v1/sandboxes", "RUNTIME_CLOSED", { body: {} });
    assert.equal(problem.status, 503);
    await served.server.close();
  });
});

test("closing the server ends all that is under way or open, and leaves the runtime as it was", async () => {
  await withRuntime(async (runtime) => {
    const served = await serve({}, runtime);
    const { answers, events } = await beginAll(served);
    const reading = events.text().catch(() => "broken off");
    await fulfilled("the server is closed", served.server.close());
    for (const answer of answers)
      await fulfilled(
        "an answer",
        answer.catch(() => "broken off"),
      );
    await fulfilled("the events", reading);
    assert.deepEqual(served.server.load, { requests: 0, streams: 0, sessions: 0 });
    assert.equal(await runtime.has("talk"), false);
    assert.equal(await runtime.has("busy"), true);
    await served.refuse("GET /v1/sandboxes", "RUNTIME_CLOSED");
    await until("nothing is under way", async () => (await runtime.metrics()).runsUnderway === 0);
  });
});

test("a reader that leaves in the middle of each ends it", async () => {
  await withRuntime(async (runtime) => {
    const served = await serve({}, runtime);
    await runtime.create("busy", { modules: { main }, limits: { timeoutMs: 60_000 } });
    const closing = new AbortController();
    const { signal } = closing;
    const begun = [
      served.ask("POST /v1/sandboxes/busy/calls", { body: { target: "main.later" }, signal }),
      served.ask("POST /v1/sandboxes/busy/streams", {
        body: { target: "main.stuck" },
        headers: lines,
        signal,
      }),
      served.ask("POST /v1/batches/call", { body: { targets: ["busy"], target: "main.later" }, signal }),
      served.ask("POST /v1/once", {
        body: { source: "await new Promise((done) => setTimeout(done, 1e6))" },
        headers: lines,
        signal,
      }),
      served.ask("GET /v1/events", { signal }),
    ];
    const texts = begun.map(async (answer) => (await answer).text().catch(() => "broken off"));
    await until("runs are under way", async () => (await runtime.metrics()).runsUnderway >= 4);
    closing.abort();
    await fulfilled("the answers", Promise.allSettled(texts));
    await until("nothing is under way", async () => (await runtime.metrics()).runsUnderway === 0);
    assert.equal(served.server.load.requests, 0);
    await served.server.close();
  });
});

test("a server that is drained lets what is under way end", async () => {
  await withRuntime(async (runtime) => {
    const served = await serve({}, runtime);
    const source = "await new Promise((done) => setTimeout(done, 200)); 'done'";
    const answer = served.ask("POST /v1/once", { body: { source }, headers: lines }).then(linesOf);
    await until("it runs", async () => served.server.load.requests === 1);
    await served.server.close({ graceMs: 60_000 });
    assert.equal((await answer).at(-1)?.["type"], "outcome");
  });
});

test("a stream of events ends at once where a server is drained, and what is under way still may end", async () => {
  await withRuntime(async (runtime) => {
    const served = await serve({}, runtime);
    const source = "await new Promise((done) => setTimeout(done, 200)); 'done'";
    const answer = served.ask("POST /v1/once", { body: { source }, headers: lines }).then(linesOf);
    const events = await served.ask("GET /v1/events?name=sandbox.failed");
    const reader = events.body!.getReader();
    // A comment and the frame that says that it is live; the next read waits for an event.
    for (let frames = 0; frames < 2; frames++) await reader.read();
    const reading = reader.read();
    await until("both are under way", async () => served.server.load.requests === 2);
    const closed = served.server.close({ graceMs: 60_000 });
    assert.equal((await fulfilled("the end of the events", reading)).done, true);
    assert.equal((await answer).at(-1)?.["type"], "outcome");
    await closed;
  });
});
