// Every operation of the contract, asked with each scope about an id of its own, another tenant's, one of no tenant, and one that is
// not there: what is not the caller's is answered as what does not exist. An operation without a case here fails.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  operationList,
  scopes,
  type Operation,
  type OperationId,
  type Scope,
} from "../../../src/contract/operations.ts";
import { startRuntime } from "../../support/runtimes.ts";
import { serve } from "../../support/served.ts";

let calls = 0;
const runtime = await startRuntime({ capabilities: { count: () => ++calls } });
const tokenOf = (tenant: string, scope: Scope): string => `token-of-${tenant}-${scope}-0123456789`;
const tokens = ["red", "blue"].flatMap((tenant) =>
  scopes.map((scope) => ({ token: tokenOf(tenant, scope), name: `${tenant}-${scope}`, scope, tenant })),
);
const { ask, give } = await serve({ access: { tokens } }, runtime);
const by = (tenant: string, scope: Scope) => ({
  headers: { authorization: `Bearer ${tokenOf(tenant, scope)}` },
});

const modules = {
  main: 'import { count } from "vivarium/capabilities"; export const f = () => count(); export function* g() { yield count(); }',
};
const secret = {
  modules,
  capabilities: ["count"],
  labels: { secret: "of-blue" },
  ancestry: { generation: 7 },
};
await runtime.create("blue:one", { ...secret, placement: { tenant: "blue" } });
await runtime.create("plain", secret);
const owned = "red:own";
const makeOwn = async (): Promise<void> => {
  if (await runtime.has(owned)) await runtime.destroy(owned);
  await runtime.create(owned, { modules, capabilities: ["count"], placement: { tenant: "red" } });
};

/** What is asked about an id. */
interface Asked {
  readonly query?: string;
  readonly body?: object;
}

const simple = { main: "export const f = () => 1;" };
const fitness = { tests: [{ name: "a", call: "main.f", expected: 1 }] };
const individual = (id: string) => ({ id, modules: simple, ancestry: { parentIds: [id] } });

/** How an operation is asked about an id; `without` where it has none. */
const cases: Readonly<Record<OperationId, ((id: string) => Asked) | "without">> = {
  about: "without",
  createSandbox: (id) => ({ body: { modules: simple, ancestry: { parentIds: [id] } } }),
  listSandboxes: "without",
  getSandbox: () => ({}),
  destroySandbox: () => ({}),
  restartSandbox: () => ({ body: {} }),
  suspendSandbox: () => ({ body: {} }),
  resumeSandbox: () => ({ body: {} }),
  forkSandbox: (id) => ({ body: { parentIds: [id] } }),
  exportSandbox: () => ({}),
  importSandbox: (id) => ({ body: { individual: individual(id) } }),
  getLogs: () => ({}),
  getUsage: () => ({}),
  updateLimits: () => ({ body: { limits: { timeoutMs: 500 } } }),
  once: "without",
  call: () => ({ body: { target: "main.f" } }),
  run: () => ({ body: { source: "1 + 1" } }),
  replay: () => ({ body: { recording: {} } }),
  openStream: () => ({ body: { target: "main.g" } }),
  nextParts: "without",
  closeStream: "without",
  reload: () => ({ body: { modules: simple } }),
  rollback: () => ({ body: { revision: 1 } }),
  listVersions: () => ({ query: "?module=main" }),
  getSource: () => ({ query: "?module=main" }),
  getDiff: () => ({ query: "?module=main&from=1&to=1" }),
  listProcesses: () => ({}),
  ask: () => ({ body: { name: "x", message: 1 } }),
  send: () => ({ body: { name: "x", message: 1 } }),
  checkpoint: () => ({ body: {} }),
  captureState: () => ({}),
  restoreState: () => ({ body: { state: {} } }),
  openSession: "without",
  runScript: "without",
  closeSession: "without",
  batchCreate: (id) => ({ body: { specs: [{ modules: simple, ancestry: { parentIds: [id] } }] } }),
  batchFork: (id) => ({ body: { forks: [{ parentIds: [owned, id] }, { parentIds: [id] }] } }),
  batchDestroy: (id) => ({ body: { ids: [id] } }),
  batchReload: (id) => ({ body: { ids: [id], modules: simple } }),
  batchCall: (id) => ({ body: { targets: [id], target: "main.f" } }),
  batchRun: (id) => ({ body: { targets: [id], function: "() => 1" } }),
  batchEvaluate: (id) => ({ body: { targets: [id], fitness } }),
  compile: "without",
  check: "without",
  checkTypes: "without",
  lineage: () => ({}),
  listIndividuals: "without",
  getIndividual: () => ({}),
  listRuns: "without",
  population: "without",
  events: (id) => ({ query: `?sandboxId=${id}` }),
  publishEvent: (id) => ({ body: { name: "fitness.adjusted", event: { sandboxId: id, delta: 1 } } }),
  queryAudit: (id) => ({ query: `?sandboxId=${id}` }),
  readJournal: "without",
  getMetrics: "without",
  getHealth: "without",
  collect: "without",
  readDocuments: "without",
  writeDocuments: "without",
  compactData: "without",
};

/** Whose handle stands in the path. */
const handleForm = /\{(?:streamId|sessionId)\}/;

async function answer([id, operation]: (typeof operationList)[number], about: string, scope: Scope) {
  const asked = cases[id];
  const { query = "", body } = asked === "without" ? {} : asked(about);
  const end = new AbortController();
  const path = operation.path.replace("{id}", about).replace(handleForm, about);
  const hasBody = operation.method !== "GET" && operation.method !== "DELETE";
  const response = await ask(`${operation.method} ${path}${query}`, {
    headers: { ...by("red", scope).headers, accept: "application/json" },
    ...(hasBody && { body: body ?? {} }),
    signal: end.signal,
  });
  // Events have no end.
  const isEndless = operation.answer === "events" && response.status === 200;
  const text = isEndless ? "events" : await response.text();
  if (isEndless) await response.body?.cancel();
  end.abort();
  const plain = text
    .replaceAll(about, "ID")
    .replaceAll(/(?:sandbox|stream)-[\w.-]{12,}/g, "NEW")
    .replaceAll(/"(\w+(?:Ms|At|Bytes))":[\d.]+/g, '"$1":0')
    .replaceAll(/"(number|cell|isolate|isolateSandboxes)":\d+/g, '"$1":0');
  return { status: response.status, text: plain };
}

const isRefused = (operation: Operation, scope: Scope): boolean =>
  scopes.indexOf(scope) < scopes.indexOf(operation.scope) || operation.wholeRuntime === true;

test("every operation with an id in its path has a case with one", () => {
  for (const [id, { path }] of operationList) {
    assert.ok(id in cases, `${id} has no case`);
    assert.equal(path.includes("{id}") && cases[id] === "without", false, id);
  }
  assert.deepEqual(
    Object.keys(cases),
    operationList.map(([id]) => id),
  );
});

/** One's own that is gone is no mistake here: what is refused is so by the owner that the id names, there or not. */
const byOwner = new Set<OperationId>(["events", "publishEvent", "batchFork"]);
/** One's own is answered alike, there or not. */
const alike = new Set<OperationId>([
  "createSandbox",
  "importSandbox",
  "batchCreate",
  "events",
  "publishEvent",
  "queryAudit",
]);

for (const scope of scopes)
  test(`with the scope ${scope} another's id is answered as one that is not there`, async () => {
    for (const [id, operation] of operationList) {
      if (cases[id] === "without") continue;
      await makeOwn();
      // Of one that children name as their parent there is a lineage, so that each operation has its own.
      const none = byOwner.has(id) ? "blue:two" : `red:none-${id}`;
      const missing = await answer([id, operation], none, scope);
      for (const other of ["blue:one", "blue:none", "plain", "nowhere"])
        assert.deepEqual(await answer([id, operation], other, scope), missing, `${id} of ${other}`);
      assert.equal(missing.status === 403, isRefused(operation, scope), `${id}: ${missing.text}`);
      assert.doesNotMatch(missing.text, /of-blue|"generation":[78]/, id);
    }
    const { labels, revision, status } = await runtime.info("blue:one");
    assert.deepEqual({ labels, revision, status }, { labels: secret.labels, revision: 1, status: "running" });
    assert.equal(calls, 0, "nothing has run");
  });

test("one's own id is answered otherwise, so that the cases ask for something", async () => {
  for (const [id, operation] of operationList) {
    if (cases[id] === "without" || alike.has(id) || operation.wholeRuntime === true) continue;
    await makeOwn();
    const own = await answer([id, operation], owned, "admin");
    assert.notDeepEqual(own, await answer([id, operation], "red:none", "admin"), id);
    assert.ok(own.status < 500 && ![403, 404].includes(own.status), `${id}: ${own.status} ${own.text}`);
  }
});

test("another token's stream or session is answered as one that is not there, with each scope", async () => {
  const theirs = by("blue", "evaluate");
  const { sessionId } = await give<{ sessionId: string }>("POST /v1/sessions", { ...theirs, body: {} });
  const body = { target: "main.g" };
  const { streamId } = await give<{ streamId: string }>("POST /v1/sandboxes/blue:one/streams", {
    ...theirs,
    body,
  });
  calls = 0;
  for (const [id, operation] of operationList.filter(([, { path }]) => handleForm.test(path)))
    for (const scope of scopes) {
      const [other, none] = operation.path.includes("{streamId}")
        ? [streamId, "stream-000000000000"]
        : [sessionId, "session-000000000000"];
      const missing = await answer([id, operation], none, scope);
      assert.deepEqual(await answer([id, operation], other, scope), missing, id);
      assert.equal(missing.status === 403, isRefused(operation, scope), `${id}: ${missing.text}`);
    }
  assert.equal(calls, 0);
  await give(`POST /v1/streams/${streamId}/next`, { ...theirs, body: {} });
  await give(`DELETE /v1/sessions/${sessionId}`, theirs);
});

test("what is about the whole runtime is refused to each token of a tenant", async () => {
  for (const [id, operation] of operationList.filter(([, one]) => one.wholeRuntime === true))
    for (const scope of scopes) assert.equal((await answer([id, operation], "", scope)).status, 403, id);
});
