// What only a runtime on a server has: files that travel, what cannot travel, and connections that break and end.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { connect, type Fetch, type RemoteRuntime } from "../../../src/client/index.ts";
import { createRuntime, type Runtime } from "../../../src/index.ts";
import { createServer, type Server } from "../../../src/server/index.ts";
import { errorOf } from "../../support/errors.ts";
import { Folder } from "../../support/folders.ts";
import { valueOf } from "../../support/outcomes.ts";
import { until } from "../../support/waiting.ts";

const main = "export const f = (n) => n + 1;";
const address = "http://127.0.0.1:1";

const folder = new Folder({
  "app/index.ts": `import { triple } from "tiny"; import { quad } from "tiny/more"; import data from "./data.json";
    import { add } from "./lib/add.ts"; export const f = (n: number): number => triple(add(n, data.one)) + quad(0);`,
  "app/lib/add.ts": "export const add = (a: number, b: number): number => a + b;",
  "app/data.json": { one: 1 },
  "app/node_modules/tiny/package.json": {
    name: "tiny",
    version: "1.2.3",
    type: "module",
    exports: { ".": "./i.js", "./more": "./more.js" },
  },
  "app/node_modules/tiny/base.js": "export const times = (a, b) => a * b;",
  "app/node_modules/tiny/i.js":
    "import { times } from './base.js'; export const triple = (n) => times(3, n);",
  "app/node_modules/tiny/more.js":
    "import { times } from './base.js'; export const quad = (n) => times(4, n);",
  "broken/main.ts": "export const f = ;",
  "outside/main.ts": 'import "../app/lib/add.ts";',
  "missing/main.ts": 'import "not-installed";',
});

let host: Runtime;
let server: Server;
let token: string;
const runtimes: RemoteRuntime[] = [];

/** Connects without sockets; `fetch` may do something in between. */
async function open(
  fetch: Fetch = (request) => server.fetch(request),
  more: object = {},
): Promise<RemoteRuntime> {
  const runtime = await connect(address, { token, fetch, retry: { firstMs: 1 }, ...more });
  runtimes.push(runtime);
  return runtime;
}

before(async () => {
  host = await createRuntime({ cells: { count: 1, spare: 0, warm: 2 } });
  server = createServer(host);
  token = server.token ?? "";
});
after(async () => {
  for (const runtime of runtimes) await runtime.close();
  await server?.close();
  await host?.close();
  folder[Symbol.dispose]();
});

suite("files of the client's machine", () => {
  test("a folder travels with its files, its data and its packages", async () => {
    const runtime = await open();
    await using sandbox = await runtime.create({ path: folder.at("app") });
    assert.equal(valueOf(await sandbox.call("index.f", { args: [2] })), 9);
    const { modules } = await sandbox.info();
    for (const name of ["index", "lib/add", "data.json", "tiny", "tiny/more"])
      assert.ok(name in modules, name);
    assert.match(await sandbox.source("tiny"), /^\/\/ npm package tiny/);
    const batch = await runtime.batch.call<number>([{ path: folder.at("app") }], "index.f", { args: [1] });
    assert.deepEqual(
      batch.map((one) => one.ok && one.value),
      [6],
    );
  });

  test("what does not compile is refused where it goes, and what is not there says so here", async () => {
    const runtime = await open();
    const parse = await errorOf(
      () => runtime.create("broken", { path: folder.at("broken") }),
      "PARSE_FAILED",
    );
    assert.match(parse.message, /module "main" as it must be a program/);
    assert.equal((await runtime.info("broken")).status, "failed");
    await errorOf(() => runtime.create({ path: folder.at("nowhere") }), "INVALID_OPTIONS");
    await errorOf(() => runtime.create({ path: folder.at("outside") }), "LOAD_FAILED");
    const missing = await errorOf(() => runtime.create({ path: folder.at("missing") }), "LOAD_FAILED");
    assert.match(missing.message, /not-installed/);
    const [made] = await runtime.batch.create([{ path: folder.at("outside") }]);
    assert.ok(made?.ok === false && made.error.code === "LOAD_FAILED");
    const [scored] = await runtime.batch.evaluate([{ path: folder.at("outside") }, { modules: { main } }], {
      tests: [{ name: "t", call: "main.f", args: [1], expected: 2 }],
    });
    assert.ok(scored?.ok === false && scored.error.kind === "not-created" && !scored.kept);
  });

  test("files and folders are read here and compiled there", async () => {
    const runtime = await open();
    const artifact = await runtime.compile.file(folder.at("app/lib/add.ts"));
    assert.deepEqual(artifact.exports, ["add"]);
    const { entry, modules } = await runtime.compile.directory(folder.at("app"));
    assert.equal(entry, "index");
    await using sandbox = await runtime.create({ modules });
    assert.equal(valueOf(await sandbox.call("index.f", { args: [0] })), 3);
  });
});

suite("what cannot travel", () => {
  test("it is refused with NOT_REMOTE, which says what and what to do instead", async () => {
    const runtime = await open();
    await using sandbox = await runtime.create({ modules: { main } });
    const { batch } = runtime;
    const suited = { name: "t", call: "main.f", check: () => true } as const;
    const acts: readonly (() => unknown)[] = [
      () => batch.evaluate([sandbox.id], () => 1),
      () => batch.evaluate([sandbox.id], { tests: [suited] }),
      () => batch.evaluate([sandbox.id], { stages: [{ name: "s", fitness: () => 1 }] }),
      () => batch.evaluate([{ modules: { main } }], { tests: [] }, { keep: () => true }),
      () => batch.call([{ modules: { main } }], "main.f", { keep: () => true }),
      () => batch.hotReload([sandbox.id], { main }, { verify: () => true }),
      () => sandbox.hotReload({ main }, { verify: () => true }),
      () => sandbox.hotReload({ main }, { migrate: (() => ({})) as never }),
      () => sandbox.autoReload(true),
      () => runtime.create({ path: folder.at("app"), autoReload: true }),
      () => runtime.retention(() => []),
    ];
    for (const act of acts) {
      const error = await errorOf(act, "NOT_REMOTE");
      assert.match(error.message, /^Cannot .+ as it must .+[:;] /);
    }
    await errorOf(
      () => runtime.create({ modules: { main }, labels: { n: (() => 1) as never } }),
      "INVALID_OPTIONS",
    );
    await errorOf(() => runtime.create({ modules: { main }, restart: { windowMs: NaN } }), "INVALID_OPTIONS");
    assert.equal(runtime.data, null);
  });
});

suite("connections", () => {
  test("a creation whose answer was lost is asked for again, and done once", async () => {
    let lost = 0;
    const runtime = await open(async (request) => {
      const response = await server.fetch(request);
      if (request.method === "POST" && lost < 2) {
        await response.text();
        lost++;
        throw new TypeError("the connection broke");
      }
      return response;
    });
    const sandbox = await runtime.create("once-made", { modules: { main } });
    assert.equal(lost, 2);
    assert.equal((await sandbox.info()).revision, 1);
    lost = 1;
    const error = await errorOf(() => sandbox.call("main.f", { args: [1] }), "CONNECTION_FAILED");
    assert.ok(error.cause instanceof TypeError);
  });

  test("what is no server of ours says so", async () => {
    const page = (): Promise<Response> => Promise.resolve(new Response("<html>", { status: 502 }));
    const error = await errorOf(() => connect(address, { fetch: page }), "CONNECTION_FAILED");
    assert.match(error.message, /must answer: got status 502 with "<html>"$/);
    await errorOf(() => connect("ftp://somewhere"), "INVALID_OPTIONS");
    await errorOf(() => connect(address, { tokens: "x" } as never), "INVALID_OPTIONS");
    await errorOf(
      () => connect(address, { token: "another-token-of-nobody", fetch: (r) => server.fetch(r) }),
      "UNAUTHENTICATED",
    );
  });

  test("connect() is bounded by its signal", async () => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const fetch = (request: Request): Promise<Response> =>
      new Promise((_, reject) => {
        request.signal.addEventListener("abort", () => reject(request.signal.reason as Error));
        leaving.abort();
      });
    await errorOf(() => connect(address, { fetch, signal }), "CANCELLED");
  });

  test("close() ends what is under way and leaves the server alone", async () => {
    const runtime = await open();
    const sandbox = await runtime.create("stays", {
      modules: { main: "export const spin = () => { for (;;); };" },
    });
    const call = sandbox.call("main.spin");
    const creation = runtime.create({
      modules: { main: "await new Promise((go) => setTimeout(go, 60_000));" },
    });
    const told = errorOf(() => creation, "RUNTIME_CLOSED");
    await until("it runs", async () => (await host.metrics()).runsUnderway > 0);
    await runtime.close();
    const outcome = await call;
    assert.ok(!outcome.ok && outcome.error.kind === "cancelled" && outcome.error.reason === "closed");
    await told;
    await errorOf(() => sandbox.call("main.spin"), "RUNTIME_CLOSED");
    await errorOf(() => runtime.list(), "RUNTIME_CLOSED");
    await errorOf(() => runtime.batch.call([], "main.f"), "RUNTIME_CLOSED");
    await until("nothing runs", async () => (await host.metrics()).runsUnderway === 0);
    assert.equal(await host.has("stays"), true);
    await sandbox[Symbol.asyncDispose]();
    await runtime[Symbol.asyncDispose]();
  });

  test("lineage and population are those of the server", async () => {
    const runtime = await open();
    await runtime.create("root", { modules: { main } });
    await runtime.fork("root", { id: "child", modules: { main: "export const f = (n) => n + 2;" } });
    await runtime.batch.evaluate(["root", "child"], {
      tests: [{ name: "t", call: "main.f", args: [1], expected: 3 }],
    });
    const { path, ancestors } = await runtime.lineage("child");
    assert.deepEqual([path.map(({ id }) => id), ancestors], [["child", "root"], ["root"]]);
    const { best } = await runtime.population({ best: 1 });
    assert.deepEqual(best, [{ id: "child", score: 1, generation: 1 }]);
  });

  test("individuals, one of them and the runs are those of the server", async () => {
    const runtime = await open();
    await runtime.create("first", { modules: { main } });
    await runtime.fork("first", { id: "second", modules: { main: "export const f = (n) => n + 2;" } });
    const { total } = await runtime.individuals({ limit: 1, details: false });
    const { individuals, next } = await runtime.individuals({ after: total - 1, deadlineMs: 10_000 });
    assert.deepEqual(
      [individuals.map(({ id, parentIds }) => [id, parentIds]), next],
      [[["second", ["first"]]], null],
    );
    const { parentSources, score } = await runtime.individual("second");
    assert.deepEqual([parentSources, score], [{ main }, null]);
    await errorOf(() => runtime.individual("nobody"), "SANDBOX_NOT_FOUND");
    await runtime.documents.write("runs", new Map([["one", { title: "First", generation: 3 }]]));
    const [run] = await runtime.runs({ deadlineMs: 10_000 });
    assert.deepEqual([run?.name, run?.title, run?.generation, run?.best], ["one", "First", 3, null]);
  });
});
