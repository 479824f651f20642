// Tokens and tenants: what one may not do, and that another's sandboxes are answered as if they were not there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMain, startRuntime } from "../../support/runtimes.ts";
import { createServer } from "../../../src/server/index.ts";
import { linesOf, serve } from "../../support/served.ts";

const tokens = [
  { token: "admin-token-0123456789", name: "admin", scope: "admin" },
  { token: "alpha-token-0123456789", name: "alpha", scope: "evaluate", tenant: "alpha" },
  { token: "alpha-other-0123456789", name: "alpha-2", scope: "evaluate", tenant: "alpha" },
  { token: "reads-token-0123456789", name: "reader", scope: "read" },
] as const;
const runtime = await startRuntime();
const { ask, give, refuse } = await serve({ access: { tokens } }, runtime);
const by = (name: string) => ({
  headers: { authorization: `Bearer ${tokens.find((one) => one.name === name)?.token}` },
});
const main = "export const f = () => 1; export function* parts() { yield 1; yield 2; }";
await runtime.create("beta:one", { modules: { main } });
const { id: own } = await give<{ id: string }>("POST /v1/sandboxes", {
  ...by("alpha"),
  body: { modules: { main } },
});

test("what is made for a tenant is its own, by id and by placement", async () => {
  assert.match(own, /^alpha:/);
  const info = await runtime.info(own);
  assert.equal(info.placement.tenant, "alpha");
  const body = { modules: { main }, id: "beta:two" };
  await refuse("POST /v1/sandboxes", "FORBIDDEN", { ...by("alpha"), body });
});

test("without a token, with a wrong one or a narrower one nothing is done", async () => {
  await refuse("GET /v1/sandboxes", "UNAUTHENTICATED");
  await refuse("GET /v1/sandboxes", "UNAUTHENTICATED", { headers: { authorization: "Bearer wrong" } });
  await refuse("DELETE /v1/sandboxes/beta:one", "FORBIDDEN", by("reader"));
  await refuse("GET /v1/metrics", "FORBIDDEN", by("alpha"));
  await refuse("POST /v1/collect", "FORBIDDEN", by("alpha"));
  assert.equal(await runtime.has("beta:one"), true);
});

test("another's sandbox and one that is not there are answered alike, alone and in batches", async () => {
  const paths = [
    "GET /v1/sandboxes/ID",
    "DELETE /v1/sandboxes/ID",
    "GET /v1/sandboxes/ID/logs",
    "GET /v1/lineage/ID",
    "GET /v1/individuals/ID",
  ];
  for (const path of paths) {
    const [there, gone] = await Promise.all(
      ["beta:one", "beta:not"].map(async (id) => {
        const problem = await refuse(path.replace("ID", id), "SANDBOX_NOT_FOUND", by("alpha"));
        return JSON.stringify(problem).replaceAll(id, "ID");
      }),
    );
    assert.equal(there, gone);
  }
  const bodies = {
    call: { targets: ["ID"], target: "main.f" },
    run: { targets: ["ID"], function: "() => 1" },
    destroy: { ids: ["ID"] },
    reload: { ids: ["ID"], modules: { main } },
    evaluate: { targets: ["ID"], fitness: { tests: [{ name: "t", call: "main.f", expected: 1 }] } },
    fork: { forks: [{ parentIds: ["ID"], id: "alpha:child" }] },
  };
  for (const [name, body] of Object.entries(bodies)) {
    const told = async (id: string): Promise<string> => {
      const sent = JSON.stringify(body).replace("ID", id);
      const lines = await linesOf(await ask(`POST /v1/batches/${name}`, { ...by("alpha"), body: sent }));
      const { result } = lines.find(({ type }) => type === "result") ?? {};
      assert.equal((result as { ok: boolean }).ok, false, name);
      return JSON.stringify(result)
        .replaceAll(id, "ID")
        .replaceAll(/"(?:wallMs|evaluatedAt|evaluationMs|durationMs)":[\d.]+/g, "");
    };
    const [there, own] = [await told("beta:one"), await told("alpha:not")];
    assert.equal(there, own, name);
  }
  assert.equal((await runtime.info("beta:one")).revision, 1);
});

test("lists, populations, the audit log and lineages have nothing of another's", async () => {
  const { sandboxes } = await give<{ sandboxes: { id: string }[] }>("GET /v1/sandboxes?limit=1", by("alpha"));
  assert.deepEqual(
    sandboxes.map(({ id }) => id),
    [own],
  );
  assert.equal((await give("GET /v1/population", by("alpha")))["size"], 1);
  const body = { modules: { main }, ancestry: { parentIds: ["beta:one"] }, id: "alpha:spy" };
  await give("POST /v1/sandboxes", { ...by("alpha"), body });
  const report = await give<{ ancestors: unknown[]; path: { diff: unknown }[] }>(
    "GET /v1/lineage/alpha:spy",
    by("alpha"),
  );
  assert.deepEqual(report.ancestors, []);
  assert.deepEqual(
    report.path.map(({ diff }) => diff),
    [null],
  );
});

test("a stream and a session are of the token that opened them, not of its tenant", async () => {
  const body = { target: "main.parts" };
  const { streamId } = await give(`POST /v1/sandboxes/${own}/streams`, { ...by("alpha"), body });
  await refuse(`POST /v1/streams/${String(streamId)}/next`, "HANDLE_NOT_FOUND", by("alpha-2"));
  await give(`POST /v1/streams/${String(streamId)}/next`, by("alpha"));
  const { sessionId, sandboxId } = await give("POST /v1/sessions", { ...by("alpha"), body: {} });
  assert.match(String(sandboxId), /^alpha:/);
  const script = { body: { source: "1" } };
  await refuse(`POST /v1/sessions/${String(sessionId)}/scripts`, "HANDLE_NOT_FOUND", {
    ...by("alpha-2"),
    ...script,
  });
});

test("an idempotency key is its token's own", async () => {
  const keyed = (name: string) => ({
    body: { modules: { main } },
    headers: { ...by(name).headers, "idempotency-key": "same" },
  });
  const first = await give("POST /v1/sandboxes", keyed("alpha"));
  const second = await give("POST /v1/sandboxes", keyed("alpha-2"));
  assert.notEqual(first["id"], second["id"]);
});

test("a server without access has one token that was made up", async () => {
  await createMain(runtime, main);
  await using server = createServer(runtime);
  const request = (token: string): Request =>
    new Request("http://localhost/v1/about", { headers: { authorization: `Bearer ${token}` } });
  assert.equal((await server.fetch(request("x"))).status, 401);
  assert.equal((await server.fetch(request(server.token ?? ""))).status, 200);
});

test("of individuals a tenant is told of its own, without parents, code and places of others", async () => {
  const { total } = await give<{ total: number }>("GET /v1/individuals", by("alpha"));
  await runtime.fork("beta:one", { id: "alpha:child", modules: { main: "export const g = 1;" } });
  await runtime.fork(own, { id: "alpha:grandchild" });
  const page = await give<{ individuals: { id: string; parentIds: string[] }[]; total: number }>(
    `GET /v1/individuals?after=${total}&limit=1`,
    by("alpha"),
  );
  assert.deepEqual(
    [page.individuals.map(({ id, parentIds }) => [id, parentIds]), page.total],
    [[["alpha:child", []]], total + 2],
  );
  const child = await give("GET /v1/individuals/alpha:child", by("alpha"));
  assert.deepEqual([child["parentIds"], child["parentSources"]], [[], null]);
  assert.deepEqual(child["sources"], { main: "export const g = 1;" });
  const grandchild = await give("GET /v1/individuals/alpha:grandchild", by("alpha"));
  assert.deepEqual([grandchild["parentIds"], grandchild["parentSources"]], [[own], { main }]);
  const whole = await give("GET /v1/individuals/alpha:child", by("admin"));
  assert.deepEqual([whole["parentIds"], whole["parentSources"]], [["beta:one"], { main }]);
  await refuse("GET /v1/runs", "FORBIDDEN", by("alpha"));
  assert.deepEqual(await give("GET /v1/runs", by("reader")), { runs: [] });
});
