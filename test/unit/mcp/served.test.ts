// Agents at /mcp of a server that listens: their tokens bound them as they bound everybody, and they end in good order.
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, test } from "node:test";
import { StreamableHTTPClientTransport, type Client } from "@modelcontextprotocol/client";
import { serveAll, type ServedOptions } from "../../../src/cli/serve/served.ts";
import { createRuntime, type Runtime } from "../../../src/index.ts";
import { listen, type Listening, type TokenSpec } from "../../../src/server/index.ts";
import { call, mistake, newClient, use, type Era } from "../../support/mcp.ts";
import { startRuntime } from "../../support/runtimes.ts";

const source = "export const f = (x) => x;";
const waiting =
  "let go = false; export const end = () => { go = true; }; export const f = async () => { while (!go) await new Promise((done) => setTimeout(done, 5)); return 7; };";
const cases = [{ call: "main.f", args: [1], expected: 1 }];
const MiB = 2 ** 20;

interface Open {
  readonly listening: Listening;
  readonly connect: (name: string, era?: Era) => Promise<Client>;
  /** A request of the API, with the token of this name. */
  readonly ask: (name: string, what: string, body?: object) => Promise<Response>;
}

const tokenOf = (name: string): string => `${name}-token-0123456789`;

async function open(
  runtime: Runtime,
  tokens: Readonly<Record<string, Omit<TokenSpec, "name" | "token">>>,
  options: ServedOptions = {},
): Promise<Open> {
  const specs = Object.entries(tokens).map(([name, spec]) => ({ ...spec, name, token: tokenOf(name) }));
  const listening = await listen(serveAll(runtime, { ...options, tokens: specs }), { drainMs: 60_000 });
  after(() => listening.close({ drainMs: 0 }));
  const headersOf = (name: string) => ({ Authorization: `Bearer ${tokenOf(name)}` });
  return {
    listening,
    connect: async (name, era = "2026") => {
      const client = newClient(era);
      const requestInit = { headers: headersOf(name) };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${listening.url}/mcp`), { requestInit }),
      );
      after(() => client.close());
      return client;
    },
    ask: (name, what, body) => {
      const [method = "GET", path = "/"] = what.split(" ");
      const headers = { ...headersOf(name), ...(body && { "content-type": "application/json" }) };
      return fetch(`${listening.url}${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
    },
  };
}

test("each run of an agent counts as an evaluation of its token, a candidate as many as it is repeated", async () => {
  const quotas = { evaluationsPerMinute: 8 };
  const { connect, ask } = await open(await startRuntime(), { one: { scope: "evaluate", quotas } });
  const client = await connect("one");
  await use(client, "create_sandbox", { id: "a", source });
  assert.match(await mistake(client, "call", { id: "nobody", target: "main.f" }), /SANDBOX_NOT_FOUND/);
  await use(client, "run_code", { source: "1" });
  await use(client, "call", { id: "a", target: "main.f" });
  await use(client, "run_code", { source: "1", sandboxId: "a" });
  await use(client, "evaluate", { candidates: [{ id: "a" }, { source }], tests: cases, repeats: 2 });
  const many = { candidates: [{ id: "a" }, { id: "a" }], tests: cases };
  assert.match(await mistake(client, "evaluate", many), /^QUOTA_EXCEEDED: .* at most 8 evaluations/);
  assert.equal((await ask("one", "POST /v1/once", { source: "1" })).status, 200);
  assert.match(
    await mistake(client, "run_code", { source: "1" }),
    /^QUOTA_EXCEEDED: .* at most 8 evaluations/,
  );
  // What runs nothing goes on.
  await use(client, "inspect", { id: "a" });
});

test("sandboxes of agents take room of their token's quotas, and give it back", async () => {
  const quotas = { sandboxes: 2, memoryBytes: 200 * MiB };
  const { connect, ask } = await open(await startRuntime(), {
    one: { scope: "evaluate", tenant: "acme", quotas },
    free: { scope: "evaluate", tenant: "other" },
  });
  const client = await connect("one");
  const limits = { memoryBytes: 50 * MiB };
  for (let round = 0; round < 3; round++)
    assert.equal((await use(client, "create_sandbox", { id: "broken", source: "(", limits })).ok, false);
  await use(client, "create_sandbox", { id: "a", source, limits });
  const made = await ask("one", "POST /v1/sandboxes", { modules: { main: source }, limits });
  assert.equal(made.status, 201);
  const full = /^QUOTA_EXCEEDED: .* at most 2 sandboxes \(the token's quota\)/;
  assert.match(await mistake(client, "create_sandbox", { source, limits }), full);
  assert.match(await mistake(client, "create_sandbox", { forkOf: "a" }), full);
  assert.match(await mistake(client, "run_code", { source: "1", limits }), full);
  const { id } = (await made.json()) as { id: string };
  assert.equal((await ask("one", `DELETE /v1/sandboxes/${encodeURIComponent(id)}`)).status, 204);
  // With room for one, six are evaluated one by one.
  const candidates = Array.from({ length: 6 }, () => ({ source }));
  assert.partialDeepStrictEqual(await use(client, "evaluate", { candidates, tests: cases, limits }), {
    scored: 6,
  });
  const memory = { memoryBytes: 160 * MiB };
  assert.match(
    await mistake(client, "create_sandbox", { source, limits: memory }),
    /^QUOTA_EXCEEDED: .* bytes of memory \(the token's quota\)/,
  );
  await use(client, "destroy", { ids: ["a"] });
  await use(client, "create_sandbox", { id: "big", source, limits: memory });
  await use(await connect("free"), "create_sandbox", { source });
});

test("an agent has the scope, the tenant and the profiles of its token", async () => {
  const runtime = await startRuntime();
  const { connect, ask } = await open(runtime, {
    acme: { scope: "evaluate", tenant: "acme", profiles: ["high"] },
    reader: { scope: "read", tenant: "acme" },
    other: { scope: "admin", tenant: "other" },
  });
  const client = await connect("acme");
  const { sandbox } = await use(client, "create_sandbox", { id: "a", source });
  assert.match(sandbox.id, /^acme:mcp-/);
  assert.partialDeepStrictEqual(await runtime.info(sandbox.id), {
    profile: "high",
    placement: { tenant: "acme" },
  });
  const { results } = await use(client, "evaluate", { candidates: [{ source }], tests: cases, keep: 1 });
  assert.equal((await runtime.info(results[0]?.id ?? "")).profile, "high");
  const path = `GET /v1/sandboxes/${encodeURIComponent(sandbox.id)}`;
  assert.equal((await ask("reader", path)).status, 200);
  assert.equal((await ask("other", path)).status, 404);
  const reader = await connect("reader", "2025");
  assert.match(
    await mistake(reader, "call", { id: "a", target: "main.f" }),
    /^FORBIDDEN: .* must be evaluate/,
  );
  assert.match(await mistake(reader, "inspect", { id: sandbox.id }), /^SANDBOX_NOT_FOUND/);
});

test("lineage and population are the server's own, also of those that are gone", async () => {
  const { connect, ask } = await open(await startRuntime(), { one: { scope: "evaluate", tenant: "acme" } });
  const client = await connect("one");
  await use(client, "create_sandbox", { id: "old", source });
  const child = { id: "young", forkOf: "old", source: "export const f = (x) => x + 1;" };
  const { sandbox } = await use(client, "create_sandbox", child);
  await use(client, "destroy", { ids: ["old"] });
  const report = (await use(client, "lineage", { id: "young" })) as unknown as Record<string, unknown>;
  const told = await ask("one", `GET /v1/lineage/${encodeURIComponent(sandbox.id)}`);
  assert.deepEqual(report, await told.json());
  const path = report["path"] as readonly { readonly diff: string | null }[];
  assert.match(path[0]?.diff ?? "", /\+export const f = \(x\) => x \+ 1/);
  const population = (await (await ask("one", "GET /v1/population")).json()) as { size: number };
  assert.partialDeepStrictEqual(await use(client, "population_summary"), { size: population.size });
});

test("sessions count as open streams of their token until they end", async () => {
  const { connect } = await open(await startRuntime(), {
    one: { scope: "evaluate", quotas: { openStreams: 1 } },
    two: { scope: "evaluate" },
  });
  const first = await connect("one", "2025");
  await assert.rejects(connect("one", "2025"), /QUOTA_EXCEEDED/);
  await connect("two", "2025");
  await (first.transport as StreamableHTTPClientTransport).terminateSession();
  await connect("one", "2025");
});

test("pages of other sites and names of other machines do not get to agents", async () => {
  const { listening } = await open(await startRuntime(), { one: { scope: "evaluate" } });
  const statusOf = (headers: Record<string, string>): Promise<number> => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const own = { authorization: `Bearer ${tokenOf("one")}`, "content-type": "application/json" };
    const accept = "application/json, text/event-stream";
    const asked = request(`${listening.url}/mcp`, {
      method: "POST",
      headers: { ...own, accept, ...headers },
    });
    asked.on("error", reject).on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    const clientInfo = { name: "t", version: "1" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    asked.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
    return promise;
  };
  assert.equal(await statusOf({}), 200);
  assert.equal(await statusOf({ host: "attacker.example" }), 421);
  assert.equal(await statusOf({ origin: "http://attacker.example" }), 403);
  assert.equal(await statusOf({ "sec-fetch-site": "cross-site" }), 403);
  assert.equal(await statusOf({ authorization: "Bearer wrong" }), 401);
});

test("a page whose origin is allowed may send all headers that clients and agents send", async () => {
  const origin = "http://page.example";
  const listening = await listen(serveAll(await startRuntime(), {}), { origins: [origin] });
  after(() => listening.close({ drainMs: 0 }));
  const headers = { origin, "access-control-request-method": "POST" };
  const asked = await fetch(`${listening.url}/mcp`, { method: "OPTIONS", headers });
  const allowed = asked.headers.get("access-control-allow-headers")?.split(", ") ?? [];
  for (const name of ["mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name", "vivarium-agent"])
    assert.ok(allowed.includes(name), name);
});

for (const era of ["2025", "2026"] as const)
  test(`a call of a client of ${era} ends with its connection`, async () => {
    const runtime = await startRuntime();
    const { connect } = await open(runtime, { one: { scope: "evaluate" } });
    const client = await connect("one", era);
    const { sandbox } = await use(client, "create_sandbox", { id: "a", source: waiting });
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
    runtime.events.on("sandbox.run.start", () => begun.resolve());
    runtime.events.on("sandbox.run.stop", ({ result }) => ended.resolve(result));
    const running = call(client, "call", { id: "a", target: "main.f" }).catch(() => {});
    await begun.promise;
    await client.close();
    await running;
    assert.equal(await ended.promise, "cancelled");
    assert.equal(await runtime.has(sandbox.id), true);
  });

test("when the server ends, calls that are under way may finish, and what sessions made is destroyed before the runtime", async () => {
  const runtime = await createRuntime({ cells: { count: 1, spare: 0, warm: 1 } });
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const { connect, listening } = await open(runtime, { one: { scope: "evaluate" } }, { onError });
  const [session, alone] = [await connect("one", "2025"), await connect("one", "2026")];
  const { sandbox } = await use(session, "create_sandbox", { id: "a", source: waiting });
  const { sandbox: kept } = await use(alone, "create_sandbox", { id: "b", source });
  const begun = Promise.withResolvers<void>();
  runtime.events.on("sandbox.run.start", () => begun.resolve(), { background: true });
  const running = use(session, "call", { id: "a", target: "main.f" });
  await begun.promise;
  const closed = listening.close();
  await assert.rejects(async () => call(alone, "run_code", { source: "1" }));
  await (await runtime.get(sandbox.id)).call("main.end");
  assert.equal((await running).value, 7);
  assert.deepEqual(await closed, { aborted: 0 });
  assert.equal(await runtime.has(sandbox.id), false);
  assert.equal(await runtime.has(kept.id), true);
  await runtime.close();
  assert.deepEqual(errors, []);
});
