// Batches over HTTP: lines in their order, refusals, arguments and modules of each, fitness as data, what closes them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "../../../src/model/wire/encode.ts";
import { linesOf, serve } from "../../support/served.ts";

const { ask, refuse, runtime, server } = await serve();
const main = `
  export const f = (n: number) => n * 2;
  export const map = () => new Map([["a", 1]]);
  export const forever = () => { while (true); };`;

interface Line {
  readonly type: string;
  readonly size?: number;
  readonly done?: number;
  readonly result?: {
    readonly index: number;
    readonly sandboxId: string;
    readonly ok: boolean;
    readonly value?: unknown;
    readonly score?: number;
    readonly kept?: boolean;
    readonly error?: { readonly code?: string; readonly kind?: string };
  };
}

async function batch(name: string, body: object): Promise<NonNullable<Line["result"]>[]> {
  const lines = await linesOf<Line>(await ask(`POST /v1/batches/${name}`, { body }));
  const said = lines.filter(({ type }) => type !== "progress");
  assert.equal(said[0]?.type, "begin");
  assert.equal(said.at(-1)?.type, "end", JSON.stringify(lines.at(-1)));
  assert.equal(said.at(-1)?.done, said[0]?.size);
  return said.flatMap(({ result }) => result ?? []).sort((one, other) => one.index - other.index);
}

test("sandboxes are created, called, run, reloaded, forked and destroyed, each with its result", async () => {
  const specs = ["a", "b", "c"].map((id) => ({ id, modules: { main } }));
  const created = await batch("create", { specs });
  assert.deepEqual(
    created.map(({ sandboxId, ok }) => [sandboxId, ok]),
    [
      ["a", true],
      ["b", true],
      ["c", true],
    ],
  );
  assert.equal((await batch("create", { specs: specs.slice(0, 1) }))[0]?.error?.code, "SANDBOX_EXISTS");
  const argsOfEach = [{ args: [1] }, { args: [2] }, { argsEncoded: encode([3], Infinity) }];
  const called = await batch("call", { targets: ["a", "b", "c"], target: "main.f", argsOfEach });
  assert.deepEqual(
    called.map(({ value }) => value),
    [2, 4, 6],
  );
  const ran = await batch("run", { targets: ["a"], function: "(m, n) => m.main.f(n)", args: [8] });
  assert.equal(ran[0]?.value, 16);
  const modulesOfEach = [{ main: "export const f = () => 'new';" }, { main: "export const" }];
  const reloaded = await batch("reload", { ids: ["a", "b"], modulesOfEach });
  assert.equal(reloaded[0]?.ok, true);
  assert.equal(reloaded[1]?.error?.code, "PARSE_FAILED");
  const forked = await batch("fork", { forks: [{ parentIds: ["c"], id: "d" }, { parentIds: ["gone"] }] });
  assert.equal(forked[0]?.ok, true);
  assert.equal(forked[1]?.error?.code, "SANDBOX_NOT_FOUND");
  const destroyed = await batch("destroy", { ids: ["a", "b", "c", "d", "gone"] });
  assert.deepEqual(
    destroyed.map(({ ok }) => ok),
    [true, true, true, true, false],
  );
});

test("specs are measured by a suite with encoded values, and the best are kept", async () => {
  const targets = [2, 3].map((n) => ({
    modules: { main: `export const f = (x) => new Map([["v", x * ${n}]]);` },
  }));
  const expectedEncoded = encode(new Map([["v", 3]]), Infinity);
  const fitness = { tests: [{ name: "map", call: "main.f", args: [1], expectedEncoded }] };
  const results = await batch("evaluate", { targets, fitness, keep: 1 });
  assert.deepEqual(
    results.map(({ score }) => score),
    [0, 1],
  );
  const living = await runtime.list();
  assert.deepEqual(
    living.map(({ id }) => id),
    [results[1]?.sandboxId],
  );
});

test("a scorer and a cascade are fitness as data", async () => {
  const scorer = {
    questions: [{ call: "main.f", args: [4] }],
    scorer: { modules: { judge: "export const score = ([n]) => n / 8;" }, call: "judge.score" },
  };
  const targets = [{ modules: { main } }];
  assert.equal((await batch("evaluate", { targets, fitness: scorer }))[0]?.score, 1);
  const suite = { tests: [{ name: "one", call: "main.f", args: [1], expected: 2 }] };
  const stages = [
    { name: "cheap", fitness: suite, atLeast: 1 },
    { name: "dear", fitness: scorer },
  ];
  assert.equal((await batch("evaluate", { targets, fitness: { stages } }))[0]?.score, 1);
});

test("a batch that is refused as a whole is a problem with its status", async () => {
  const problem = await refuse("POST /v1/batches/call", "INVALID_OPTIONS", {
    body: { targets: [], target: "nothing" },
  });
  assert.equal(problem.status, 400);
  await refuse("POST /v1/batches/evaluate", "INVALID_OPTIONS", {
    body: { targets: [], fitness: { tests: [] } },
  });
  const body = { targets: ["a"], target: "main.f", argsOfEach: [] };
  await refuse("POST /v1/batches/call", "INVALID_OPTIONS", { body });
});

test("a reader that leaves ends its batch", async () => {
  const stopped = new Promise<number>((resolve) => {
    runtime.events.on("sandbox.batch.stop", ({ failures }) => resolve(failures));
  });
  const targets = Array.from({ length: 8 }, () => ({ modules: { main }, limits: { timeoutMs: 60_000 } }));
  const response = await ask("POST /v1/batches/call", { body: { targets, target: "main.forever" } });
  const reader = response.body?.getReader();
  assert.match(new TextDecoder().decode((await reader?.read())?.value), /"begin"/);
  await reader?.cancel();
  assert.equal(await stopped, 8);
  assert.equal(server.load.requests, 0);
});

test("a batch of nothing begins and ends", async () => {
  assert.deepEqual(await batch("destroy", { ids: [] }), []);
});

test("lines come as server-sent events where these are accepted", async () => {
  const headers = { accept: "text/event-stream" };
  const response = await ask("POST /v1/batches/destroy", { body: { ids: ["x"] }, headers });
  const text = await response.text();
  assert.match(text, /^data: \{"type":"begin","size":1\}\n\ndata: \{"type":"result"/);
});
