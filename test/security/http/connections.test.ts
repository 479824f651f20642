// Clients that hold what others need: by sending slowly, by reading slowly, by saying nothing, or by being many.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { startRuntime } from "../../support/runtimes.ts";
import { as, bytesOf, hear, raw, statusIn } from "../../support/listening.ts";
import { valueOf } from "../../support/outcomes.ts";
import { fulfilled, until } from "../../support/waiting.ts";

const runtime = await startRuntime();
const slow = await hear(
  { bounds: { headersMs: 150, requestMs: 400, keepAliveMs: 150, stallMs: 300 } },
  {},
  runtime,
);
const { port } = slow.listening;
const body = JSON.stringify({ id: "slow", modules: { main: "export const f = () => 1;" } });
const posted = bytesOf("POST /v1/sandboxes", port, [
  "Content-Type: application/json",
  `Content-Length: ${body.length}`,
]);

const serves = async (at = slow): Promise<void> => {
  const response = await at.ask("GET /v1/about", { headers: as("admin") });
  assert.equal(response.status, 200);
  await response.body?.cancel();
};

test("a connection that says nothing is ended", async () => {
  const connections = await Promise.all(Array.from({ length: 20 }, () => raw(port)));
  for (const { ended } of connections) await fulfilled("its end", ended);
  await serves();
});

test("headers that do not come to an end are ended with 408", async () => {
  const connection = await raw(port);
  connection.send(`GET /v1/about HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`);
  const drip = setInterval(() => connection.send("X-Drip: 1\r\n"), 20);
  const text = await fulfilled("its end", connection.ended);
  clearInterval(drip);
  assert.equal(statusIn(text), 408);
  await serves();
});

test("a body that drips is ended with 408, and what it asks for is not done", async () => {
  const connection = await raw(port);
  connection.send(posted);
  let sent = 0;
  const drip = setInterval(() => connection.send(body[sent++ % (body.length - 1)] ?? ""), 50);
  const text = await fulfilled("its end", connection.ended);
  clearInterval(drip);
  assert.ok([0, 408].includes(statusIn(text)), text);
  assert.deepEqual(await runtime.list(), []);
});

test("a body that stops in the middle is ended, and what it asks for is not done", async () => {
  const connection = await raw(port);
  connection.send(posted + body.slice(0, -5));
  await fulfilled("its end", connection.ended);
  const other = await raw(port);
  other.send(posted + body.slice(0, -5));
  other.socket.end();
  await fulfilled("its end", other.ended);
  assert.deepEqual(await runtime.list(), []);
  await until("nothing is under way", () => slow.server.load.requests === 0);
});

test("a connection between requests is ended, and one whose answer is being made is not", async () => {
  const idle = await raw(port);
  idle.send(bytesOf("GET /v1/about", port));
  assert.equal(statusIn(await fulfilled("its end", idle.ended)), 200);
  const source = "await new Promise((resolve) => setTimeout(resolve, 1200)); 7";
  const answer = await slow.ask("POST /v1/once", { headers: as("admin"), body: { source } });
  assert.equal(((await answer.json()) as { value: unknown }).value, 7, "longer than every bound on silence");
});

test("a reader that takes nothing is ended, and its stream with it", async () => {
  const main = 'export function* g() { for (;;) yield "x".repeat(100_000); }';
  await runtime.create("endless", { modules: { main } });
  const connection = await raw(port);
  const sent = JSON.stringify({ target: "main.g", partsMax: 1_000_000, bytesMax: 2 ** 40 });
  const headers = [
    "Accept: application/x-ndjson",
    "Content-Type: application/json",
    `Content-Length: ${sent.length}`,
  ];
  connection.socket.pause();
  connection.send(bytesOf("POST /v1/sandboxes/endless/streams", port, headers) + sent);
  await until("it is refused", () => slow.refusals.some(({ reason }) => reason === "stalled"));
  await until("nothing is under way", () => slow.server.load.requests === 0);
  connection.socket.resume();
  await fulfilled("its end", connection.ended);
  await runtime.destroy("endless");
  await serves();
});

test("a caller that goes away has its run cancelled", async () => {
  await runtime.create("long", {
    modules: { main: "export const f = () => new Promise((go) => setTimeout(go, 1e6));" },
  });
  const connection = await raw(port);
  const sent = JSON.stringify({ target: "main.f" });
  connection.send(
    bytesOf("POST /v1/sandboxes/long/calls", port, [
      "Content-Type: application/json",
      `Content-Length: ${sent.length}`,
    ]) + sent,
  );
  await until("it runs", async () => (await runtime.metrics()).runsUnderway === 1);
  connection.socket.destroy();
  await until("it is cancelled", async () => (await runtime.metrics()).runsUnderway === 0);
  await runtime.destroy("long");
});

test("connections beyond the bounds are not served, and others are again when those end", async () => {
  for (const bounds of [{ connections: 3 }, { connectionsPerRemote: 3 }]) {
    const few = await hear({ bounds }, {}, runtime);
    const at = few.listening.port;
    const held = await Promise.all(Array.from({ length: 3 }, () => raw(at)));
    for (const one of held) one.send(bytesOf("GET /v1/about", at));
    for (const one of held) await one.until("HTTP/1.1 200");
    const over = await raw(at).catch(() => undefined);
    over?.send(bytesOf("GET /v1/about", at));
    assert.equal(statusIn((await over?.ended) ?? ""), 0);
    assert.ok(few.refusals.some(({ reason }) => reason === "connections"));
    for (const { socket } of held) {
      socket.destroy();
      await once(socket, "close");
    }
    await until("there is room", () =>
      serves(few).then(
        () => true,
        () => false,
      ),
    );
  }
});

test("requests of one connection begin one after the other, so that who reads no answer gets nothing done", async () => {
  const { runtime, listening } = await hear();
  const main = `let [active, most, runs] = [0, 0, 0];
export async function f(length) {
  most = Math.max(most, ++active);
  runs++;
  await new Promise((go) => setTimeout(go, 1));
  active--;
  return "x".repeat(length);
}
export const seen = () => [most, runs];`;
  const sandbox = await runtime.create("piped", { modules: { main } });
  const seen = async (): Promise<readonly number[]> => valueOf(await sandbox.call<number[]>("main.seen"));
  const port = Number(new URL(listening.url).port);
  const client = await raw(port);
  client.socket.pause();
  const body = JSON.stringify({ target: "main.f", args: [1_000_000] });
  const headers = ["Content-Type: application/json", `Content-Length: ${body.length}`];
  const request = `${bytesOf("POST /v1/sandboxes/piped/calls", port, headers)}${body}`;
  client.send(request.repeat(20));
  await until("the first is answered", async () => (await seen())[1]! >= 1);
  client.socket.resume();
  await until("all are answered once they are read", async () => (await seen())[1] === 20);
  assert.deepEqual(await seen(), [1, 20]);
});

test("a connection on which too many requests wait for their turn is ended", async () => {
  const { listening, server } = await hear();
  const port = Number(new URL(listening.url).port);
  const client = await raw(port);
  client.send(bytesOf("GET /v1/events", port));
  await client.until("events follow");
  client.send(bytesOf("GET /v1/about", port).repeat(2_000));
  await fulfilled("the connection is ended", client.ended);
  await until("nothing is under way", () => server.load.requests === 0);
});
