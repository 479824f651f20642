// What one tenant sees of another: nothing. Its ids are answered just as ids that nobody has, by every operation that takes one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { operationList, type OperationId } from "../../../src/contract/operations.ts";
import { startRuntime } from "../../support/runtimes.ts";
import { as, hear } from "../../support/listening.ts";

let calls = 0;
const shared = await startRuntime({ capabilities: { count: () => ++calls } });
const { ask, runtime } = await hear({}, {}, shared);

const modules = {
  main: 'import { count } from "vivarium/capabilities"; export const f = () => count(); export function* g() { yield count(); }',
};
const blue = { headers: as("blue") };
const red = { headers: as("red") };
const made = await ask("POST /v1/sandboxes", {
  ...blue,
  body: { id: "blue:one", modules, capabilities: ["count"], labels: { secret: "blue-label" } },
});
assert.equal(made.status, 201, await made.text());
const individual: unknown = await (await ask("GET /v1/sandboxes/blue:one/export", blue)).json();

/** A body that would do something, were the sandbox the caller's own. */
const bodies = (id: string): Partial<Record<OperationId, object>> => ({
  createSandbox: { modules, ancestry: { parentIds: [id] } },
  forkSandbox: { parentIds: [id] },
  importSandbox: { individual, id },
  updateLimits: { limits: { timeoutMs: 5 } },
  call: { target: "main.f" },
  run: { source: "1 + 1" },
  replay: { recording: {} },
  openStream: { target: "main.g" },
  reload: { modules: { main: "export const f = () => 2;" } },
  rollback: { revision: 1 },
  ask: { name: "x", message: 1 },
  send: { name: "x", message: 1 },
  restoreState: { state: {} },
  batchFork: { forks: [{ parentIds: [id] }] },
  batchDestroy: { ids: [id] },
  batchReload: { ids: [id], modules: { main: null } },
  batchCall: { targets: [id], target: "main.f" },
  batchRun: { targets: [id], function: "() => 1" },
  batchEvaluate: { targets: [id], fitness: { tests: [{ name: "a", call: "main.f", expected: 1 }] } },
});

const queries: Partial<Record<OperationId, string>> = {
  listVersions: "?module=main",
  getSource: "?module=main",
  getDiff: "?module=main&from=1&to=1",
};

async function answerTo(id: OperationId, operation: { method: string; path: string }, about: string) {
  const path = operation.path.replace("{id}", about);
  const body =
    operation.method === "GET" || operation.method === "DELETE" ? undefined : (bodies(about)[id] ?? {});
  const response = await ask(`${operation.method} ${path}${queries[id] ?? ""}`, { ...red, body });
  const text = (await response.text())
    .replaceAll(about, "ID")
    .replaceAll(/sandbox-[\w.-]{12}/g, "NEW")
    .replaceAll(/"(\w+(?:Ms|At))":[\d.]+/g, '"$1":0');
  const headers = [...response.headers].filter(([name]) => name !== "date" && name !== "content-length");
  return { status: response.status, text, headers };
}

const withId = operationList.filter(([, { path }]) => path.includes("{id}"));
const inBodies = (
  [
    "forkSandbox",
    "batchFork",
    "batchDestroy",
    "batchReload",
    "batchCall",
    "batchRun",
    "batchEvaluate",
  ] as const
).map((id) => operationList.find(([name]) => name === id) ?? assert.fail(id));

test("every operation with an id answers another tenant's just as one that nobody has", async () => {
  const before = await runtime.info("blue:one");
  assert.ok(withId.length >= 25);
  for (const [id, operation] of [...withId, ...inBodies]) {
    const foreign = await answerTo(id, operation, "blue:one");
    const missing = await answerTo(id, operation, "blue:two");
    assert.deepEqual(foreign, missing, id);
    assert.ok(
      foreign.status >= 400 || /"ok":false/.test(foreign.text),
      `${id}: ${foreign.status} ${foreign.text}`,
    );
    assert.ok(!foreign.text.includes("blue-label"), id);
  }
  const { uptimeMs: _, ...after } = await runtime.info("blue:one");
  const { uptimeMs: __, ...known } = before;
  assert.deepEqual(after, known, "nothing was done to it");
  assert.equal(calls, 0, "nothing of it has run");
});

test("an id of no tenant's is not a tenant's either", async () => {
  await runtime.create("plain", { modules });
  for (const [id, operation] of withId)
    assert.deepEqual(await answerTo(id, operation, "plain"), await answerTo(id, operation, "plane"), id);
});

test("a sandbox cannot be made under another tenant's id or in its place, whether that is taken or not", async () => {
  for (const id of ["blue:one", "blue:two", "plain", "plane", "red", "redd:x"]) {
    const response = await ask("POST /v1/sandboxes", { ...red, body: { id, modules } });
    assert.equal(response.status, 403, id);
  }
  const placed = await ask("POST /v1/sandboxes", {
    ...red,
    body: { modules, placement: { tenant: "blue" } },
  });
  assert.equal(placed.status, 403);
  assert.deepEqual((await runtime.list()).map(({ id }) => id).toSorted(), ["blue:one", "plain"]);
});

test("what a tenant makes has its prefix and its placement, also where it names neither", async () => {
  const own = await ask("POST /v1/sandboxes", { ...red, body: { modules } });
  const { id, placement } = (await own.json()) as { id: string; placement: { tenant: string } };
  assert.match(id, /^red:/);
  assert.equal(placement.tenant, "red");
  const listed = (await (await ask("GET /v1/sandboxes", red)).json()) as { sandboxes: { id: string }[] };
  assert.deepEqual(
    listed.sandboxes.map((one) => one.id),
    [id],
  );
  const moved = await ask("POST /v1/imports", { ...red, body: { individual, id: "red:moved" } });
  const info = (await moved.json()) as { placement: { tenant: string } };
  assert.equal(info.placement?.tenant, "red", JSON.stringify(info));
  for (const one of [id, "red:moved"])
    assert.equal((await ask(`DELETE /v1/sandboxes/${one}`, red)).status, 204);
});

test("streams and sessions of one token are not there for another, not even of the same tenant", async () => {
  const opened = await ask("POST /v1/sessions", { ...blue, body: {} });
  const { sessionId } = (await opened.json()) as { sessionId: string };
  const stream = await ask("POST /v1/sandboxes/blue:one/streams", { ...blue, body: { target: "main.g" } });
  const { streamId } = (await stream.json()) as { streamId: string };
  for (const who of ["red", "admin"] as const) {
    const headers = as(who);
    const session = await ask(`POST /v1/sessions/${sessionId}/scripts`, { headers, body: { source: "1" } });
    assert.equal(session.status, 404);
    assert.equal((await ask(`DELETE /v1/sessions/${sessionId}`, { headers })).status, 404);
    assert.equal((await ask(`POST /v1/streams/${streamId}/next`, { headers, body: {} })).status, 404);
    assert.equal((await ask(`DELETE /v1/streams/${streamId}`, { headers })).status, 404);
  }
  assert.equal((await ask(`DELETE /v1/sessions/${sessionId}`, blue)).status, 204);
  assert.equal(calls, 0);
});

test("nothing of another tenant is in what lists, counts or tells of events", async () => {
  for (const path of ["/v1/sandboxes", "/v1/population", "/v1/audit", "/v1/journal", "/v1/health"]) {
    const text = await (await ask(`GET ${path}`, red)).text();
    assert.doesNotMatch(text, /blue|plain/, path);
  }
  const end = new AbortController();
  const events = await ask("GET /v1/events", { ...red, signal: end.signal });
  assert.equal(events.status, 200);
  await (await runtime.get("blue:one")).call("main.f");
  const own = await ask("POST /v1/sandboxes", { ...red, body: { id: "red:last", modules } });
  await own.body?.cancel();
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of events.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.includes("red:last")) break;
  }
  end.abort();
  assert.doesNotMatch(text, /blue|plain/);
});
