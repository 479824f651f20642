// Events of a runtime on a server: one stream for all that is listened to, which goes on where it broke.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { connect, type Fetch, type RemoteRuntime } from "../../../src/client/index.ts";
import { createRuntime, type Runtime } from "../../../src/index.ts";
import { createServer, type Server } from "../../../src/server/index.ts";
import { until } from "../../support/waiting.ts";

const main = "export const f = (n) => n + 1;";
const address = "http://127.0.0.1:1";

let host: Runtime;
let server: Server;
let token: string;
const runtimes: RemoteRuntime[] = [];

/** Connects without sockets; `fetch` may do something in between. */
async function open(fetch: Fetch): Promise<RemoteRuntime> {
  const runtime = await connect(address, { token, fetch, retry: { firstMs: 1 } });
  runtimes.push(runtime);
  return runtime;
}

before(async () => {
  host = await createRuntime({ cells: { count: 1, spare: 0, warm: 2 } });
  server = createServer(host);
  token = server.token ?? "";
});
after(async () => {
  for (const runtime of runtimes) await runtime.close();
  await server?.close();
  await host?.close();
});

suite("events of a runtime on a server", () => {
  test("one stream of events is open while somebody listens, and none when nobody does", async () => {
    const open_ = new Set<Request>();
    const runtime = await open((request) => {
      if (request.url.includes("/events") && request.method === "GET") {
        open_.add(request);
        request.signal.addEventListener("abort", () => open_.delete(request));
      }
      return server.fetch(request);
    });
    const offs = [
      runtime.events.on("sandbox.create.stop", () => {}),
      runtime.events.on("sandbox.destroy.stop", () => {}),
    ];
    await runtime.list();
    assert.equal(open_.size, 1);
    assert.equal(await runtime.has("nobody"), false);
    for (const off of offs) off();
    await until("it is closed", () => open_.size === 0);
  });

  test("onAny() with names asks the server for those alone, and refuses an empty list", async () => {
    const asked: string[] = [];
    const runtime = await open((request) => {
      if (request.url.includes("/v1/events")) asked.push(new URL(request.url).search);
      return server.fetch(request);
    });
    const heard: string[] = [];
    const off = runtime.events.onAny(({ name }) => heard.push(name), {
      names: ["sandbox.create.stop", "sandbox.destroy.stop"],
    });
    await runtime.create("named", { modules: { main } });
    await runtime.destroy("named");
    await until("both are heard", () => heard.length === 2);
    assert.deepEqual(heard, ["sandbox.create.stop", "sandbox.destroy.stop"]);
    assert.deepEqual(asked, ["?name=sandbox.create.stop&name=sandbox.destroy.stop"]);
    off();
    assert.throws(() => runtime.events.onAny(() => {}, { names: [] }), {
      code: "INVALID_OPTIONS",
      message: "Cannot listen to events as names must have at least one: got an empty list",
    });
    await runtime.close();
  });

  test("events go on behind the last one where the stream breaks, and none is missed or told twice", async () => {
    let cut = new AbortController();
    const lasts: (string | null)[] = [];
    const runtime = await open(async (request) => {
      const response = await server.fetch(request);
      if (!request.url.includes("/v1/events")) return response;
      lasts.push(request.headers.get("last-event-id"));
      cut = new AbortController();
      return new Response(
        response.body?.pipeThrough(new TransformStream(), { signal: cut.signal }) ?? null,
        response,
      );
    });
    const heard: string[] = [];
    runtime.events.on("sandbox.create.stop", ({ sandboxId }) => heard.push(sandboxId));
    await runtime.list();
    for (const id of ["cut-1", "cut-2", "cut-3"]) {
      await host.create(id, { modules: { main } });
      cut.abort();
    }
    await until("all are heard", () => heard.includes("cut-3"));
    assert.deepEqual(heard, ["cut-1", "cut-2", "cut-3"]);
    assert.equal(lasts[0], null);
    assert.match(lasts.at(-1) ?? "", /^\d+$/);
    await runtime.close();
  });
});
