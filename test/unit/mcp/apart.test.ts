// Agents do not see each other: not what others have, and not whether they have it.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import type { Runtime } from "../../../src/index.ts";
import { admin, handlerOf, mistake, newClient, overHttp, overStreams, use } from "../../support/mcp.ts";
import { startRuntime } from "../../support/runtimes.ts";

const source = "export const f = () => 1;";

const pairs: Record<string, (runtime: Runtime) => Promise<readonly [Client, Client]>> = {
  "two processes": async (runtime) => [
    (await overStreams(runtime)).client,
    (await overStreams(runtime)).client,
  ],
  "two sessions of one token": async (runtime) => {
    const handler = handlerOf(runtime);
    return [await overHttp(handler, "2025"), await overHttp(handler, "2025")];
  },
  "two tokens": async (runtime) => {
    const handler = handlerOf(runtime);
    return [
      await overHttp(handler, "2026"),
      await overHttp(handler, "2026", { caller: { ...admin, tokenId: "two" } }),
    ];
  },
  "two tokens of one tenant": async (runtime) => {
    const handler = handlerOf(runtime);
    const [one, two] = ["one", "two"].map((tokenId) => ({ ...admin, tokenId, tenant: "acme" }));
    assert.ok(one !== undefined && two !== undefined);
    return [
      await overHttp(handler, "2026", { caller: one }),
      await overHttp(handler, "2025", { caller: two }),
    ];
  },
  "two names behind one token": async (runtime) => {
    const handler = handlerOf(runtime);
    const named = (name: string): Promise<Client> =>
      overHttp(handler, "2026", { headers: { "Vivarium-Agent": name } });
    return [await named("a"), await named("b")];
  },
};

for (const [who, connect] of Object.entries(pairs)) {
  const runtime = await startRuntime();
  const [mine, other] = await connect(runtime);

  suite(`Of ${who}`, () => {
    test("each may have a sandbox of the same name, and reaches only its own", async () => {
      const { sandbox } = await use(mine, "create_sandbox", { id: "same", source });
      const theirs = await use(other, "create_sandbox", { id: "same", source: "export const f = () => 2;" });
      assert.notEqual(sandbox.id, theirs.sandbox.id);
      assert.equal((await use(mine, "call", { id: "same", target: "main.f" })).value, 1);
      assert.equal((await use(other, "call", { id: "same", target: "main.f" })).value, 2);
      const info = await runtime.info(sandbox.id);
      assert.notEqual(info.placement.tenant, null);
      assert.ok(info.placement.tenant === "acme" || sandbox.id.startsWith(`${info.placement.tenant}:`));
    });

    test("an id of the other is answered as one that is not there", async () => {
      const { sandbox } = await use(mine, "create_sandbox", { id: "secret", source });
      const missing = await mistake(other, "call", { id: "nobody", target: "main.f" });
      for (const [name, args] of [
        ["call", { target: "main.f" }],
        ["inspect", {}],
        ["reload", { source }],
        ["diff", {}],
        ["rollback", { version: 1 }],
        ["lineage", {}],
      ] as const)
        assert.equal(
          await mistake(other, name, { id: sandbox.id, ...args }),
          missing.replace("nobody", sandbox.id),
          name,
        );
      const fork = await mistake(other, "create_sandbox", { forkOf: sandbox.id });
      assert.equal(fork, missing.replace("nobody", sandbox.id));
      const run = await mistake(other, "run_code", { source: "1", sandboxId: sandbox.id });
      assert.equal(run, missing.replace("nobody", sandbox.id));
      assert.partialDeepStrictEqual(await use(other, "destroy", { ids: [sandbox.id] }), {
        destroyed: [],
        failed: [{ id: sandbox.id }],
      });
      const { results } = await use(other, "evaluate", {
        candidates: [{ id: sandbox.id }],
        tests: [{ call: "main.f", expected: 1 }],
      });
      assert.equal(results[0]?.error?.kind, "not-running");
      assert.equal(await runtime.has(sandbox.id), true);
    });

    test("lists, resources, completions, population and lineage have only one's own", async () => {
      const child = await use(mine, "create_sandbox", { id: "child", forkOf: "same" });
      const listed = (await use(other, "list_sandboxes")).sandboxes.map(({ id }) => id);
      assert.equal(listed.length, 1);
      const { resources } = await other.listResources();
      assert.ok(resources.every(({ uri }) => uri.includes(encodeURIComponent(listed[0] ?? "-"))));
      const { resources: own } = await mine.listResources();
      for (const { uri } of own) await assert.rejects(async () => other.readResource({ uri }), /not found/i);
      const ref = { type: "ref/resource", uri: "vivarium://sandboxes/{id}" } as const;
      assert.deepEqual(
        (await other.complete({ ref, argument: { name: "id", value: "" } })).completion.values,
        listed,
      );
      assert.partialDeepStrictEqual(await use(other, "population_summary"), { size: 1 });
      // The ids of others that it names are its own, which are not there.
      await use(other, "create_sandbox", { id: "spy", source, parentIds: [child.sandbox.id] });
      const { path } = await use(other, "lineage", { id: "spy" });
      assert.deepEqual(
        path.map(({ diff }) => diff),
        [null],
      );
      assert.deepEqual((await use(mine, "lineage", { id: "child" })).path.length, 2);
    });
  });
}

test("the sandboxes of a process end with it, unless they are kept for its name", async () => {
  const runtime = await startRuntime();
  const first = await overStreams(runtime, "2025", { agent: "planner" });
  await use(first.client, "create_sandbox", { id: "a", source });
  first.toServer.end();
  await first.server.ended;
  assert.deepEqual(await runtime.list(), []);
  const second = await overStreams(runtime, "2025", { agent: "planner", keep: true });
  await use(second.client, "create_sandbox", { id: "b", source });
  second.toServer.end();
  await second.server.ended;
  const third = await overStreams(runtime, "2026", { agent: "planner" });
  assert.equal((await use(third.client, "call", { id: "b", target: "main.f" })).value, 1);
});

test("the sandboxes of a session end with it, when its client says so or when nothing was asked for long", async () => {
  const runtime = await startRuntime();
  const handler = handlerOf(runtime);
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = newClient("2025");
  const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
    fetch: (url, init) => handler(new Request(url, init), admin),
  });
  await client.connect(transport);
  await use(client, "create_sandbox", { source });
  assert.equal((await runtime.list()).length, 1);
  await transport.terminateSession();
  assert.deepEqual(await runtime.list(), []);
});

test("a session of another token is answered as one that is not there", async () => {
  const handler = handlerOf(await startRuntime());
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const ask = (body: object, more: Record<string, string>, tokenId: string): Promise<Response> =>
    handler(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: { ...headers, ...more },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
      }),
      { ...admin, tokenId },
    );
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const begun = await ask({ method: "initialize", params }, {}, "one");
  const session = begun.headers.get("mcp-session-id") ?? "";
  assert.match(session, /^session-/);
  const own = await ask({ method: "tools/list" }, { "mcp-session-id": session }, "one");
  assert.equal(own.status, 200);
  const foreign = await ask({ method: "tools/list" }, { "mcp-session-id": session }, "two");
  const missing = await ask({ method: "tools/list" }, { "mcp-session-id": "session-none" }, "two");
  assert.deepEqual([foreign.status, await foreign.text()], [404, await missing.text()]);
});

test("a token that may only read is shown and given only what reads", async () => {
  const runtime = await startRuntime();
  const handler = handlerOf(runtime);
  const reader = await overHttp(handler, "2026", { caller: { ...admin, scope: "read" } });
  const { tools } = await reader.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["inspect", "diff", "list_sandboxes", "population_summary", "lineage"],
  );
  assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true));
  assert.match(
    await mistake(reader, "create_sandbox", { source }),
    /^FORBIDDEN: .* must be evaluate: it is read/,
  );
});
