// The handler at /mcp of our own server, as its users mount it.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createServer, openGate } from "../../../src/server/index.ts";
import { handlerOf, newClient, use } from "../../support/mcp.ts";
import { startRuntime } from "../../support/runtimes.ts";

test("a server answers the official client of both eras at /mcp", async () => {
  const runtime = await startRuntime();
  const server = createServer(runtime, { gate: openGate(), mcp: handlerOf(runtime) });
  after(() => server.close());
  for (const era of ["2025", "2026"] as const) {
    const client = newClient(era);
    const url = new URL("http://localhost/mcp");
    await client.connect(
      new StreamableHTTPClientTransport(url, { fetch: (to, init) => server.fetch(new Request(to, init)) }),
    );
    assert.equal((await use(client, "run_code", { source: "6 * 7" })).value, 42);
    await client.close();
  }
});

test("a server that is closed answers nothing at /mcp", async () => {
  const runtime = await startRuntime();
  const asked: string[] = [];
  const mcp = async ({ url }: Request): Promise<Response> => Response.json(asked.push(url));
  const server = createServer(runtime, { gate: openGate(), mcp });
  const ask = () => server.fetch(new Request("http://localhost/mcp", { method: "POST" }));
  assert.equal((await ask()).status, 200);
  await server.close();
  assert.equal((await ask()).status, 503);
  assert.equal(asked.length, 1);
});
