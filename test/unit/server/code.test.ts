// Code and processes over HTTP: reloads, versions, sources, the compiler, messages and states.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "../../support/served.ts";

const { give, refuse, ask, runtime } = await serve();
const v1 = "export const f = () => 1;";
const v2 = "export const f = () => 2;";
await runtime.create("code", { modules: { main: v1 } });
const at = "/v1/sandboxes/code";

test("a module is reloaded, rolled back, listed, read and compared", async () => {
  const report = await give(`POST ${at}/reloads`, { body: { modules: { main: v2 }, mutation: "two" } });
  assert.equal(report["status"], "reloaded");
  const { versions } = await give<{ versions: unknown[] }>(`GET ${at}/versions?module=main`);
  assert.equal(versions.length, 2);
  assert.equal((await give(`GET ${at}/source?module=main&version=1`))["source"], v1);
  assert.match(String((await give(`GET ${at}/diff?module=main&from=1&to=2`))["diff"]), /^\+.*=> 2/m);
  await give(`POST ${at}/rollbacks`, { body: { module: "main", version: 1 } });
  await give(`POST ${at}/rollbacks`, { body: { revision: 2 } });
  assert.equal((await give(`POST ${at}/calls`, { body: { target: "main.f" } }))["value"], 2);
  await refuse(`POST ${at}/rollbacks`, "VERSION_NOT_FOUND", { body: { module: "main", version: 9 } });
});

test("code that does not parse is 422 with its phase and diagnostics", async () => {
  const problem = await refuse(`POST ${at}/reloads`, "PARSE_FAILED", {
    body: { modules: { main: "export const =" } },
  });
  assert.equal(problem.status, 422);
  assert.equal(problem.phase, "parse");
  assert.ok((problem.diagnostics ?? []).length > 0);
});

test("sources are compiled and checked without a sandbox", async () => {
  assert.match(String((await give("POST /v1/compile", { body: { source: v1 } }))["code"]), /1/);
  assert.deepEqual(await give("POST /v1/check", { body: { source: v1 } }), { diagnostics: [] });
  const types = { modules: { main: "export const n: number = 'text';" } };
  const { diagnostics } = await give<{ diagnostics: unknown[] }>("POST /v1/check-types", { body: types });
  assert.equal(diagnostics.length, 1);
});

test("a sandbox is suspended, resumed, restarted, and its limits are changed", async () => {
  for (const what of ["suspend", "resume", "restart"])
    assert.equal((await ask(`POST ${at}/${what}`)).status, 204);
  const changed = await give(`PATCH ${at}/limits`, { body: { limits: { timeoutMs: 50 } } });
  assert.equal((changed["limits"] as { timeoutMs: number }).timeoutMs, 50);
  assert.equal(typeof (await give(`GET ${at}/usage`))["runs"], "number");
  assert.deepEqual(await give(`GET ${at}/logs`), { logs: [] });
  await refuse(`PATCH ${at}/limits`, "INVALID_LIMITS", { body: { limits: { timeoutMs: "1" } } });
});

test("a sandbox is exported and imported under another id, and forked", async () => {
  const individual = await give(`GET ${at}/export`);
  const imported = await give("POST /v1/imports", { body: { individual, id: "copy" } });
  assert.equal(imported["id"], "copy");
  const child = await give("POST /v1/forks", {
    body: { parentIds: ["code"], modules: { main: v1 }, mutation: 1 },
  });
  assert.deepEqual((child["ancestry"] as { parentIds: string[] }).parentIds, ["code"]);
  await refuse("POST /v1/imports", "INVALID_INDIVIDUAL", {
    body: { individual: { ...individual, id: "other" } },
  });
});

test("processes are listed, asked, told, captured and restored", async () => {
  const main = `
    import { supervisor, server } from "vivarium/guest";
    const Counter = server({ name: "counter", init: () => 0,
      handleCall: (message, state) => ({ reply: [state, message], state }),
      handleCast: (message, state) => ({ state: state + message }) });
    export default supervisor({ children: [{ id: "counter", start: Counter }] });`;
  const made = await ask("POST /v1/sandboxes", {
    body: { id: "tree", modules: { main }, supervisor: "main" },
  });
  const text = await made.text();
  assert.equal(made.status, 201, text);
  const tree = "/v1/sandboxes/tree";
  assert.ok((await give<{ processes: unknown[] }>(`GET ${tree}/processes`)).processes.length > 0);
  assert.equal((await give(`POST ${tree}/messages`, { body: { name: "counter", message: 2 } }))["ok"], true);
  const answer = await give(`POST ${tree}/asks`, { body: { name: "counter", message: "now" } });
  assert.deepEqual(answer["value"], [2, "now"]);
  const state = await give(`POST ${tree}/checkpoints`);
  assert.deepEqual(await give(`GET ${tree}/state`), state);
  assert.equal((await ask(`PUT ${tree}/state`, { body: { state } })).status, 204);
});
