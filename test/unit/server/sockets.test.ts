// The server behind real sockets: a connection that is closed cancels, and what is not read is not made.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { after, test } from "node:test";
import { serve as listen } from "@hono/node-server";
import { serve } from "../../support/served.ts";
import { until } from "../../support/waiting.ts";

const { runtime, server } = await serve();
const main = `
  export const forever = () => { while (true); };
  let produced = 0;
  export const count = () => produced;
  export function* parts() { for (;;) { produced++; yield "x".repeat(100_000); } }`;
await runtime.create("guest", { modules: { main }, limits: { timeoutMs: 60_000 } });
const listening = listen({ fetch: (request) => server.fetch(request), port: 0, hostname: "127.0.0.1" });
await once(listening, "listening");
after(() => listening.close());
const { port } = listening.address() as AddressInfo; // It listens at an address of the network.

/** Sends a request over a socket of its own. */
function send(path: string, body: object, accept = "application/json") {
  const text = JSON.stringify(body);
  const socket = connect(port, "127.0.0.1");
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    `Accept: ${accept}`,
    "Content-Type: application/json",
  ];
  socket.write(`${head.join("\r\n")}\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
  return socket;
}

/** How the next run of a function ends. */
const ended = (target: string) =>
  new Promise<string>((resolve) => {
    const end = runtime.events.on("sandbox.run.stop", (event) => {
      if (event.target !== target) return;
      end();
      resolve(event.result);
    });
  });
const started = (target: string) =>
  new Promise<void>((resolve) => {
    const end = runtime.events.on("sandbox.run.start", (event) => {
      if (event.target !== target) return;
      end();
      resolve();
    });
  });

test("a connection that is closed during while(true) ends the run as cancelled", async () => {
  for (const path of ["/v1/sandboxes/guest/calls", "/v1/batches/call"]) {
    const [begun, end] = [started("main.forever"), ended("main.forever")];
    const targets = path.includes("batches") ? { targets: ["guest"] } : {};
    const socket = send(path, { target: "main.forever", ...targets });
    await begun;
    socket.destroy();
    assert.equal(await end, "cancelled");
    await until("the request is over", () => server.load.requests === 0);
  }
});

test("a connection that is closed while a sandbox is created leaves none", async () => {
  const begun = new Promise<void>((resolve) => {
    const end = runtime.events.on("sandbox.create.start", () => {
      end();
      resolve();
    });
  });
  const socket = send("/v1/sandboxes", {
    id: "never",
    modules: { main: "for (;;);" },
    limits: { timeoutMs: 60_000 },
  });
  await begun;
  socket.destroy();
  await until("it is gone", async () => !(await runtime.has("never")) && server.load.requests === 0);
});

test("a reader that does not read has a guest produce no more than its socket takes", async () => {
  const socket = send("/v1/sandboxes/guest/streams", { target: "main.parts" }, "application/x-ndjson");
  socket.pause();
  const count = async (): Promise<number> => {
    const outcome = await runtime.get("guest").then((sandbox) => sandbox.call<number>("main.count"));
    return outcome.ok ? outcome.value : -1;
  };
  let before = -1;
  // What the system takes for a socket is some megabytes.
  const steady = await until("no other part is produced", async () => {
    const now = await count();
    const isSteady = now > 1 && now === before;
    before = now;
    return isSteady ? now : undefined;
  });
  assert.ok(steady < 500, `${steady} parts were produced`);
  socket.destroy();
  await until("the stream is over", () => server.load.requests === 0);
});

test("an answer comes over a socket as it does by fetch", async () => {
  const body = JSON.stringify({ source: "6 * 7" });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`http://127.0.0.1:${port}/v1/once`, { method: "POST", headers, body });
  assert.equal(((await answer.json()) as { value: number }).value, 42);
});
