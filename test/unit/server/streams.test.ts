// Streams and sessions between requests: parts as they are asked for, who may ask, and what ends them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { openGate } from "../../../src/server/index.ts";
import { linesOf, serve } from "../../support/served.ts";
import { streamSource } from "../../support/stream-guests.ts";
import { fulfilled, until } from "../../support/waiting.ts";

const clock = new FakeClock();
const served = await serve({ clock, bounds: { streamsPerToken: 3, sessionsPerToken: 2 } });
const { give, refuse, ask, runtime, server } = served;
await runtime.create("guest", { modules: { main: streamSource } });
const streams = "POST /v1/sandboxes/guest/streams";
const open = async (target: string, args: readonly unknown[] = []): Promise<string> => {
  const { streamId } = await give(streams, { body: { target, args } });
  return `/v1/streams/${String(streamId)}`;
};
const produced = async (): Promise<unknown> =>
  (await give("POST /v1/sandboxes/guest/calls", { body: { target: "main.count" } }))["value"];

test("a stream produces as many parts as are asked for, and is gone at its end", async () => {
  const before = Number(await produced());
  const stream = await open("main.quick", [3]);
  assert.deepEqual(await give(`POST ${stream}/next`), { parts: [{ value: 0 }], done: false });
  assert.equal(await produced(), before + 1);
  const rest = await give(`POST ${stream}/next`, { body: { count: 100 } });
  assert.deepEqual(rest["parts"], [{ value: 1 }, { value: 2 }]);
  assert.equal(rest["done"], true);
  assert.equal(rest["returned"] !== undefined, true);
  await refuse(`POST ${stream}/next`, "HANDLE_NOT_FOUND");
});

test("a failure comes after the parts before it, with what the guest threw", async () => {
  const stream = await open("main.throws");
  assert.deepEqual(await give(`POST ${stream}/next`, { body: { count: 5 } }), {
    parts: [{ value: 1 }],
    done: false,
  });
  const problem = await refuse(`POST ${stream}/next`, "GUEST_FAILED");
  assert.equal(problem.failure?.kind, "crashed");
  await refuse(`POST ${stream}/next`, "HANDLE_NOT_FOUND");
});

test("a stream that is closed runs its finally, and is another token's for nobody else", async () => {
  const stream = await open("main.slow", [100]);
  await give(`POST ${stream}/next`);
  const other = await serve({ gate: openGate({ tokenId: "other", scope: "admin", tenant: null }) }, runtime);
  await other.refuse(`POST ${stream}/next`, "HANDLE_NOT_FOUND");
  assert.equal((await ask(`DELETE ${stream}`)).status, 204);
  const ends = await give("POST /v1/sandboxes/guest/calls", { body: { target: "main.ends" } });
  assert.deepEqual(ends["value"], ["finally"]);
});

test("streams have a bound for each token, and an idle one is ended", async () => {
  const opened = [
    await open("main.quick", [9]),
    await open("main.quick", [9]),
    await open("main.quick", [9]),
  ];
  const problem = await refuse(streams, "QUOTA_EXCEEDED", { body: { target: "main.quick" } });
  assert.equal(problem.status, 429);
  clock.advance(121_000);
  await until("idle streams are gone", () => server.load.streams === 0);
  await refuse(`POST ${opened[0]}/next`, "HANDLE_NOT_FOUND");
});

const waitingSource = `let isReleased = false;
  export const release = () => { isReleased = true; };
  export async function* waits() {
    console.log("waiting");
    while (!isReleased) await new Promise((resolve) => setTimeout(resolve, 5));
    yield 7;
  }`;

test("a request for parts ends with its caller, also where the sandbox stands still, and leaves the part for the next one", async () => {
  const sandbox = await runtime.create("still", { modules: { main: waitingSource } });
  const body = { target: "main.waits" };
  const { streamId } = await give("POST /v1/sandboxes/still/streams", { body });
  const next = `POST /v1/streams/${String(streamId)}/next`;
  const gone = new AbortController();
  const asked = [ask(next, { signal: gone.signal })];
  await until(
    "the part is waited for",
    async () => (await sandbox.logs()).some(({ text }) => text === "waiting"),
    10_000,
  );
  asked.push(ask(next, { signal: gone.signal }));
  await sandbox.suspend();
  gone.abort();
  for (const answer of await fulfilled("both requests", Promise.all(asked), 10_000))
    assert.deepEqual(await answer.json(), { parts: [], done: false });
  assert.equal(server.load.requests, 0);
  await sandbox.resume();
  await give("POST /v1/sandboxes/still/calls", { body: { target: "main.release" } });
  assert.deepEqual(await give(next), { parts: [{ value: 7 }], done: false });
  await sandbox.destroy();
});

test("a stream in lines is read part by part, and ends with what it returned or threw", async () => {
  const headers = { accept: "application/x-ndjson" };
  const lines = await linesOf(await ask(streams, { body: { target: "main.slow", args: [2] }, headers }));
  assert.deepEqual(lines, [
    { type: "part", value: "part 0" },
    { type: "part", value: "part 1" },
    { type: "returned", value: "returned" },
  ]);
  const failed = await linesOf(await ask(streams, { body: { target: "main.throws" }, headers }));
  assert.equal(failed.at(-1)?.["type"], "error");
  const before = Number(await produced());
  const response = await ask(streams, { body: { target: "main.quick", args: [1_000] }, headers });
  const reader = response.body?.getReader();
  await reader?.read();
  assert.equal(await produced(), before + 1);
  await reader?.cancel();
});

test("destroying its sandbox ends a stream", async () => {
  await runtime.create("short", { modules: { main: streamSource } });
  const { streamId } = await give("POST /v1/sandboxes/short/streams", { body: { target: "main.stuck" } });
  const next = `POST /v1/streams/${String(streamId)}/next`;
  await give(next);
  const stuck = ask(next);
  await give("DELETE /v1/sandboxes/short");
  const answer = await stuck;
  assert.equal(answer.status, 422, await answer.text());
  await refuse(next, "HANDLE_NOT_FOUND");
});

test("a session keeps what scripts declare, and tells their output in lines", async () => {
  const { sessionId, sandboxId } = await give("POST /v1/sessions", { body: { id: "talk" } });
  assert.equal(sandboxId, "talk");
  const scripts = `POST /v1/sessions/${String(sessionId)}/scripts`;
  await give(scripts, { body: { source: "const n = 20;" } });
  const outcome = await give(scripts, { body: { source: "console.log('said'); n + args[0]", args: [1] } });
  assert.equal(outcome["value"], 21);
  assert.equal(outcome["script"], "script-2");
  const headers = { accept: "application/x-ndjson" };
  const lines = await linesOf(await ask(scripts, { body: { source: "console.log('line'); n" }, headers }));
  assert.deepEqual(
    lines.map(({ type }) => type),
    ["output", "outcome"],
  );
  assert.equal((await ask(`DELETE /v1/sessions/${String(sessionId)}`)).status, 204);
  await refuse(scripts, "HANDLE_NOT_FOUND", { body: { source: "n" } });
  assert.equal(await runtime.has("talk"), false);
});

test("an idle session is ended, and a session ends with its sandbox", async () => {
  await give("POST /v1/sessions", { body: { id: "idle" } });
  clock.advance(1_801_000);
  await until("the session's sandbox is gone", async () => !(await runtime.has("idle")));
  await give("POST /v1/sessions", { body: { id: "ended" } });
  await give("DELETE /v1/sandboxes/ended");
  assert.equal(server.load.sessions, 0);
});
