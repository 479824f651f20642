// Who comes in: tokens that are missing, wrong, over or too narrow get the right status, learn nothing, and have nothing done.
import assert from "node:assert/strict";
import { test } from "node:test";
import { operationList } from "../../../src/contract/operations.ts";
import { createServer, listen } from "../../../src/server/index.ts";
import { startRuntime } from "../../support/runtimes.ts";
import { as, assertTellsNothing, hear, tokens } from "../../support/listening.ts";

const { ask, runtime, url, refusals } = await hear();
const create = { body: { id: "made", modules: { main: "export const f = () => 1;" } } };
const madePath = (path: string): string => path.replaceAll(/\{\w+\}/g, "made");

const strangers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "no token": {},
  "an unknown token": { authorization: "Bearer unknown-0123456789abcdef" },
  "a token that is over": as("expired"),
  "a token with one letter more": { authorization: `${as("admin")["authorization"]}x` },
  "the beginning of a token": { authorization: `Bearer ${tokens.admin.token.slice(0, -1)}` },
  "another scheme": { authorization: `Basic ${btoa(`admin:${tokens.admin.token}`)}` },
  "two tokens in one header": { authorization: `Bearer ${tokens.admin.token}, Bearer x` },
  "a very long token": { authorization: `Bearer ${"a".repeat(5_000)}` },
  "an empty token": { authorization: "Bearer " },
};

test("every operation answers each kind of stranger alike, with 401, and does nothing", async () => {
  const bodies = new Set<string>();
  for (const headers of Object.values(strangers))
    for (const [, { method, path }] of operationList) {
      const body = method === "GET" || method === "DELETE" ? undefined : create.body;
      const response = await ask(`${method} ${madePath(path)}`, { headers, body });
      assert.equal(response.status, 401, `${method} ${path}`);
      assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer/);
      bodies.add(await response.text());
    }
  assert.equal(bodies.size, 1, "a stranger could tell one refusal from another");
  assertTellsNothing([...bodies].join());
  assert.deepEqual(await runtime.list(), []);
});

test("a token is not taken from the address or a cookie", async () => {
  for (const query of [`?token=${tokens.admin.token}`, `?access_token=${tokens.admin.token}`]) {
    const response = await ask(`GET /v1/sandboxes${query}`, {
      headers: { cookie: `token=${tokens.admin.token}` },
    });
    assert.equal(response.status, 401);
    assertTellsNothing(await response.text());
  }
});

test("a token of a narrower scope gets 403 from every operation of a wider one, and nothing is done", async () => {
  const scopes = { read: "reader", evaluate: "evaluator" } as const;
  for (const [scope, who] of Object.entries(scopes)) {
    const wider = operationList.filter(
      ([, operation]) => operation.scope === "admin" || operation.scope !== scope,
    );
    const refused = scope === "read" ? wider : wider.filter(([, operation]) => operation.scope === "admin");
    assert.ok(refused.length > 0);
    for (const [, operation] of refused) {
      const { method, path } = operation;
      const body = method === "GET" || method === "DELETE" ? undefined : create.body;
      const response = await ask(`${method} ${madePath(path)}`, { headers: as(who), body });
      const text = await response.text();
      assert.equal(response.status, 403, `${method} ${path}: ${text}`);
      assert.match(text, new RegExp(`the scope ${operation.scope}`), "it says which scope is wanted");
    }
  }
  assert.deepEqual(await runtime.list(), []);
});

test("a tenant's token gets 403 from every operation about the whole runtime", async () => {
  for (const [, operation] of operationList) {
    if (!("wholeRuntime" in operation)) continue;
    const { method, path } = operation;
    const body = method === "GET" ? undefined : {};
    const response = await ask(`${method} ${path}`, { headers: as("red"), body });
    assert.equal(response.status, 403, `${method} ${path}`);
  }
});

test("onRefused is told the reason and the operation, and no text of the client's", () => {
  const told = JSON.stringify(refusals);
  assertTellsNothing(told);
  assert.ok(refusals.some(({ reason, operation }) => reason === "token" && operation === "createSandbox"));
  assert.ok(refusals.some(({ reason }) => reason === "scope"));
  for (const refusal of refusals)
    assert.deepEqual(Object.keys(refusal).toSorted(), ["operation", "reason", "remote", "status"]);
});

test("a server without tokens makes one up, which is needed and works", async () => {
  await using server = createServer(await startRuntime());
  await using listening = await listen(server);
  const at = `${listening.url}/v1/about`;
  assert.match(listening.token ?? "", /^[\w-]{43}$/);
  assert.equal((await fetch(at)).status, 401);
  const own = await fetch(at, { headers: { authorization: `Bearer ${listening.token}` } });
  assert.equal(own.status, 200);
  await own.body?.cancel();
});

test("healthz and readyz need no token and tell one word; metrics needs one for the whole runtime", async () => {
  assert.deepEqual(await (await ask("GET /healthz")).json(), { alive: true });
  const ready = (await (await ask("GET /readyz")).json()) as Record<string, unknown>;
  assert.deepEqual(Object.keys(ready), ["ready", "status"]);
  assert.equal((await ask("GET /metrics")).status, 401);
  assert.equal((await ask("GET /metrics", { headers: as("red") })).status, 403);
  assert.equal((await ask("POST /healthz")).status, 405);
  const text = await (await ask("GET /metrics", { headers: as("reader") })).text();
  assert.match(text, /^vivarium_healthy 1$/m);
  assert.match(text, /^vivarium_http_refused_total\{reason="token"\} \d+$/m);
  assert.match(text, /^vivarium_http_requests_total\{operation="createSandbox",status="401"\} \d+$/m);
  assert.ok(url.startsWith("http://127.0.0.1:"));
});

test("an answer may not be cached, embedded or guessed at, and does not name its server", async () => {
  for (const path of ["/healthz", "/v1/about", "/nowhere"]) {
    const { headers } = await ask(`GET ${path}`, { headers: as("reader") });
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("server"), null);
    assert.equal(headers.get("x-powered-by"), null);
  }
});
