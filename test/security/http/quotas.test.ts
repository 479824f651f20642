// Quotas of tokens: what is over is refused with 429 and nothing is done, also where it is asked for at the same moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Runtime } from "../../../src/index.ts";
import type { Quotas } from "../../../src/server/index.ts";
import { FakeClock } from "../../../src/testing/index.ts";
import { startRuntime } from "../../support/runtimes.ts";
import { hear, type AskOptions } from "../../support/listening.ts";
import { until } from "../../support/waiting.ts";

const MiB = 2 ** 20;
let calls = 0;
let held = Promise.withResolvers<number>();
held.resolve(1);
const runtime = await startRuntime({
  limits: { memoryBytes: 16 * MiB },
  capabilities: {
    count: () => {
      calls++;
      return held.promise;
    },
  },
});
const main =
  'import { count } from "vivarium/capabilities"; export const f = () => count(); export function* g() { for (;;) yield 1; }';
const modules = { main };
let made = 0;

/** A server with one tenant's token that has these quotas, and a tenant that has no sandboxes yet. */
async function bounded(quotas: Quotas, at: Runtime = runtime) {
  const tenant = `tenant${++made}`;
  const token = `token-of-${tenant}-0123456789`;
  const clock = new FakeClock({ now: 1_000_000, monotonic: 1_000 });
  const access = { tokens: [{ token, scope: "admin" as const, tenant, quotas }] };
  const { ask } = await hear({}, { access, clock }, at);
  const own = (what: string, body?: unknown, more: AskOptions = {}) =>
    ask(what, { body, ...more, headers: { authorization: `Bearer ${token}`, ...more.headers } });
  const living = async () => (await at.list()).filter(({ id }) => id.startsWith(`${tenant}:`));
  return { own, tenant, clock, living };
}

async function assertQuota(response: Response, retryAfter?: number): Promise<string> {
  const text = await response.text();
  assert.equal(response.status, 429, text);
  assert.match(text, /QUOTA_EXCEEDED/);
  const seconds = Number(response.headers.get("retry-after"));
  assert.ok(seconds >= 1, "it says when to come back");
  if (retryAfter !== undefined) assert.equal(seconds, retryAfter);
  return text;
}

/** Statuses and how often each came. */
function tally(responses: readonly Response[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test("one sandbox more than the quota is refused, and there is room again when one is gone", async () => {
  const { own, tenant, living } = await bounded({ sandboxes: 2 });
  for (const id of ["a", "b"])
    assert.equal((await own("POST /v1/sandboxes", { id: `${tenant}:${id}`, modules })).status, 201);
  await assertQuota(await own("POST /v1/sandboxes", { modules }));
  await assertQuota(await own("POST /v1/forks", { parentIds: [`${tenant}:a`] }));
  await assertQuota(await own("POST /v1/sessions", {}));
  await assertQuota(await own("POST /v1/once", { source: "1" }));
  const individual: unknown = await (await own(`GET /v1/sandboxes/${tenant}:a/export`)).json();
  await assertQuota(await own("POST /v1/imports", { individual }));
  await assertQuota(await own("POST /v1/batches/create", { specs: [{ modules }] }));
  assert.equal((await living()).length, 2);
  assert.equal((await own(`DELETE /v1/sandboxes/${tenant}:a`)).status, 204);
  assert.equal((await own("POST /v1/forks", { parentIds: [`${tenant}:b`] })).status, 201);
  await assertQuota(await own("POST /v1/sandboxes", { modules }));
});

test("requests at the same moment cannot exceed the quota together", async () => {
  const { own, tenant, living } = await bounded({ sandboxes: 3 });
  const asked = Array.from({ length: 30 }, (_, index) =>
    index % 3 === 0
      ? own("POST /v1/sessions", {})
      : own("POST /v1/sandboxes", { id: `${tenant}:s${index}`, modules }),
  );
  assert.deepEqual(tally(await Promise.all(asked)), { 201: 3, 429: 27 });
  assert.equal((await living()).length, 3);
});

test("sandboxes that fail to be made take no room for longer than they live", async () => {
  const { own, tenant, living } = await bounded({ sandboxes: 1 });
  for (let turn = 0; turn < 3; turn++) {
    assert.equal((await own("POST /v1/sandboxes", { modules: { main: "export const = 1" } })).status, 422);
    assert.equal(
      (await own("POST /v1/sandboxes", { modules, limits: { memoryBytes: -(2 ** 50) } })).status,
      400,
    );
    for (const { id } of await living()) assert.equal((await own(`DELETE /v1/sandboxes/${id}`)).status, 204);
  }
  const id = `${tenant}:a`;
  assert.equal((await own("POST /v1/sandboxes", { id, modules })).status, 201);
  assert.equal(
    (await own("POST /v1/sandboxes", { id, modules })).status,
    409,
    "what is there already needs no room",
  );
  await assertQuota(await own("POST /v1/sandboxes", { modules }));
});

test("the memory of sandboxes counts by their limits, also where these are the runtime's or raised later", async () => {
  const { own, tenant, living } = await bounded({ memoryBytes: 50 * MiB });
  const id = `${tenant}:a`;
  assert.equal((await own("POST /v1/sandboxes", { id, modules })).status, 201);
  await assertQuota(await own("POST /v1/sandboxes", { modules, limits: { memoryBytes: 35 * MiB } }));
  assert.equal((await own("POST /v1/sandboxes", { modules, limits: { memoryBytes: 20 * MiB } })).status, 201);
  await assertQuota(await own("POST /v1/sandboxes", { modules }));
  await assertQuota(await own(`PATCH /v1/sandboxes/${id}/limits`, { limits: { memoryBytes: 31 * MiB } }));
  assert.equal(
    (await own(`PATCH /v1/sandboxes/${id}/limits`, { limits: { memoryBytes: 30 * MiB } })).status,
    200,
  );
  await assertQuota(await own("POST /v1/once", { source: "1" }));
  const raised = await Promise.all(
    Array.from({ length: 5 }, () =>
      own(`PATCH /v1/sandboxes/${id}/limits`, { limits: { memoryBytes: 31 * MiB } }),
    ),
  );
  assert.deepEqual(tally(raised), { 429: 5 });
  assert.equal(
    (await own(`PATCH /v1/sandboxes/${id}/limits`, { limits: { memoryBytes: 10 * MiB } })).status,
    200,
    "lower is possible",
  );
  assert.equal((await own("POST /v1/sandboxes", { modules })).status, 201);
  const sum = (await living()).reduce((bytes, { limits }) => bytes + limits.memoryBytes, 0);
  assert.ok(sum <= 50 * MiB);
});

test("a batch that makes sandboxes needs room for as many as it has at a time, and those that it keeps", async () => {
  const { own, living } = await bounded({ sandboxes: 4 });
  const targets = Array.from({ length: 10 }, () => ({ modules, capabilities: ["count"] }));
  const fitness = { tests: [{ name: "one", call: "main.f", expected: 1 }] };
  calls = 0;
  await assertQuota(await own("POST /v1/batches/evaluate", { targets, fitness }));
  await assertQuota(await own("POST /v1/batches/evaluate", { targets, fitness, concurrency: 5 }));
  await assertQuota(await own("POST /v1/batches/evaluate", { targets, fitness, concurrency: 3, keep: 2 }));
  await assertQuota(
    await own("POST /v1/batches/call", { targets, target: "main.f", concurrency: 2, keep: true }),
  );
  await assertQuota(
    await own("POST /v1/batches/run", { targets, function: "not a function", concurrency: 9 }),
  );
  assert.equal(calls, 0, "nothing has run");
  const run = await own("POST /v1/batches/run", { targets, function: "not a function", concurrency: 4 });
  assert.equal((await run.text()).match(/"ok":false/g)?.length, 10, "each is refused by itself");
  const kept = await own("POST /v1/batches/evaluate", { targets, fitness, concurrency: 2, keep: 2 });
  const text = await kept.text();
  assert.equal(kept.status, 200, text);
  assert.equal(text.match(/"type":"result"/g)?.length, 10);
  assert.equal((await living()).length, 2);
  await until("what was set aside is free", async () => (await own("POST /v1/sessions", {})).status === 201);
});

test("two batches at the same moment share the quota", async () => {
  const { own } = await bounded({ sandboxes: 4 });
  held = Promise.withResolvers();
  const targets = Array.from({ length: 3 }, () => ({ modules, capabilities: ["count"] }));
  const first = await own("POST /v1/batches/call", { targets, target: "main.f", concurrency: 3 });
  assert.equal(first.status, 200);
  await assertQuota(await own("POST /v1/batches/call", { targets, target: "main.f", concurrency: 2 }));
  held.resolve(1);
  await first.text();
});

test("a batch whose reader goes away gives its room back", async () => {
  const { own, living } = await bounded({ sandboxes: 2 });
  held = Promise.withResolvers();
  const targets = Array.from({ length: 5 }, () => ({ modules, capabilities: ["count"] }));
  const end = new AbortController();
  const first = await own(
    "POST /v1/batches/call",
    { targets, target: "main.f", concurrency: 2 },
    { signal: end.signal },
  );
  assert.equal(first.status, 200);
  end.abort();
  await until("there is room", async () => (await own("POST /v1/sandboxes", { modules })).status === 201);
  await until("its sandboxes are gone", async () => (await living()).length === 1);
  held.resolve(1);
});

test("sandboxes that are there when the server starts count, and those that the host destroys do not", async () => {
  await runtime.create("tenant999:old", { modules });
  made = 998;
  const { own, tenant } = await bounded({ sandboxes: 1 });
  assert.equal(tenant, "tenant999");
  await assertQuota(await own("POST /v1/sandboxes", { modules }));
  await runtime.destroy("tenant999:old");
  assert.equal((await own("POST /v1/sandboxes", { id: "tenant999:new", modules })).status, 201);
  await runtime.destroy("tenant999:new");
  await runtime.create("tenant999:hosts", { modules });
  await assertQuota(await own("POST /v1/sandboxes", { modules }));
});

test("evaluations beyond those of a minute are refused, whatever they are asked by, and nothing runs", async () => {
  const { own, tenant, clock } = await bounded({ evaluationsPerMinute: 6 });
  const id = `${tenant}:a`;
  calls = 0;
  assert.equal((await own("POST /v1/sandboxes", { id, modules, capabilities: ["count"] })).status, 201);
  const call = () => own(`POST /v1/sandboxes/${id}/calls`, { target: "main.f" });
  for (let turn = 0; turn < 6; turn++) assert.equal((await call()).status, 200);
  await assertQuota(await call(), 10);
  await assertQuota(await own(`POST /v1/sandboxes/${id}/runs`, { source: "1" }));
  await assertQuota(await own("POST /v1/once", { source: "1" }));
  await assertQuota(await own("POST /v1/batches/call", { targets: [id], target: "main.f" }));
  assert.equal(calls, 6);
  clock.advance(10_000);
  assert.equal((await call()).status, 200);
  await assertQuota(await call(), 10);
  clock.advance(60_000_000);
  const many = await own("POST /v1/batches/call", {
    targets: Array.from({ length: 7 }, () => id),
    target: "main.f",
  });
  assert.match(await assertQuota(many), /divide them/);
  const all = await Promise.all(Array.from({ length: 20 }, call));
  assert.deepEqual(tally(all), { 200: 6, 429: 14 });
});

test("the parts of a stream count as evaluations", async () => {
  const { own, tenant } = await bounded({ evaluationsPerMinute: 5 });
  const id = `${tenant}:a`;
  assert.equal((await own("POST /v1/sandboxes", { id, modules })).status, 201);
  const accept = { headers: { accept: "application/x-ndjson" } };
  const text = await (await own(`POST /v1/sandboxes/${id}/streams`, { target: "main.g" }, accept)).text();
  assert.equal(text.match(/"type":"part"/g)?.length, 5);
  assert.match(text.trim().split("\n").at(-1) ?? "", /"type":"error".*QUOTA_EXCEEDED/);
});

test("requests beyond those of a minute are refused, and nothing is done", async () => {
  const { own, clock, living } = await bounded({ requestsPerMinute: 3 });
  const asked = await Promise.all(Array.from({ length: 10 }, () => own("POST /v1/sandboxes", { modules })));
  assert.deepEqual(tally(asked), { 201: 3, 429: 7 });
  assert.equal((await living()).length, 3);
  await assertQuota(await own("GET /v1/about"), 20);
  clock.advance(20_000);
  assert.equal((await own("GET /v1/about")).status, 200);
});

test("event streams, streams of guests, sessions and answers in lines share one quota, and are free again when they end", async () => {
  const { own, tenant } = await bounded({ openStreams: 2 });
  const id = `${tenant}:a`;
  assert.equal((await own("POST /v1/sandboxes", { id, modules, capabilities: ["count"] })).status, 201);
  const end = new AbortController();
  const events = await own("GET /v1/events", undefined, { signal: end.signal });
  assert.equal(events.status, 200);
  const session = (await (await own("POST /v1/sessions", {})).json()) as { sessionId: string };
  calls = 0;
  await assertQuota(await own("GET /v1/events"));
  await assertQuota(await own("POST /v1/sessions", {}));
  await assertQuota(await own(`POST /v1/sandboxes/${id}/streams`, { target: "main.g" }));
  await assertQuota(await own("POST /v1/batches/call", { targets: [id], target: "main.f" }));
  assert.equal(calls, 0, "the batch has not begun");
  assert.equal((await own(`DELETE /v1/sessions/${session.sessionId}`)).status, 204);
  const batch = await own("POST /v1/batches/call", { targets: [id], target: "main.f" });
  assert.match(await batch.text(), /"type":"end"/);
  end.abort();
  for (let turn = 0; turn < 2; turn++)
    await until(
      "there is room",
      async () => (await own(`POST /v1/sandboxes/${id}/streams`, { target: "main.g" })).status === 201,
    );
  await assertQuota(await own("POST /v1/sessions", {}));
});
