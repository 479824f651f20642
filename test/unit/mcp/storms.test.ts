// Guests at their worst, as agents send them: each ends by its limit with an outcome that says so, and the agent goes on.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import { call, handlerOf, mistake, overHttp, overStreams, use } from "../../support/mcp.ts";
import { startRuntime } from "../../support/runtimes.ts";

const source = "export const f = (x) => x;";
const cases = [{ call: "main.f", args: [1], expected: 1 }];
const slow =
  "let go = false; export const end = () => { go = true; }; export const f = async () => { while (!go) await new Promise((done) => setTimeout(done, 5)); return 1; };";
const runtime = await startRuntime();
const memoryBytes = 32 * 2 ** 20;
// What ends by another limit has time enough for that on a machine that is busy.
const limitsOf = (kind: string): object => ({ memoryBytes, timeoutMs: kind === "timeout" ? 500 : 60_000 });
const clients: Record<string, Client> = {
  "over streams": (await overStreams(runtime, "2026")).client,
  "over HTTP": await overHttp(handlerOf(runtime), "2025"),
};

/** How each ends. */
const worst: Readonly<Record<string, readonly [code: string, kind: string]>> = {
  "code without an end": ["for (;;);", "timeout"],
  "a bomb of memory": ["const all = []; for (;;) all.push(new Array(100_000).fill(all.length));", "memory"],
  "endless recursion": ["const f = () => f() + 1; f()", "crashed"],
  "a flood of output": ["for (;;) console.log('x'.repeat(10_000));", "output-limit"],
  "a result that is too long": ["'x'.repeat(3 * 2 ** 20)", "output-limit"],
};

for (const [way, client] of Object.entries(clients))
  suite(`An agent ${way}`, () => {
    for (const [what, [code, kind]] of Object.entries(worst))
      test(`hears how ${what} ended, by run_code, call and evaluate`, async () => {
        const limits = limitsOf(kind);
        const body = `export const f = () => { ${code.includes(";") ? code : `return ${code};`} };`;
        const run = await call(client, "run_code", { source: code, limits });
        assert.partialDeepStrictEqual(run.structuredContent, { ok: false, error: { kind } });
        assert.ok(JSON.stringify(run).length < 100_000);
        await use(client, "create_sandbox", { id: "bad", source: body, limits });
        const called = await call(client, "call", { id: "bad", target: "main.f" });
        assert.partialDeepStrictEqual(called.structuredContent, { ok: false, error: { kind } });
        await use(client, "destroy", { ids: ["bad"] });
        const candidates = [{ source: body }, { source }];
        const measured = await use(client, "evaluate", {
          candidates,
          tests: cases,
          limits,
          failedRun: "fail",
        });
        assert.equal(measured.results[1]?.score, 1);
        assert.equal((await use(client, "run_code", { source: "6 * 7" })).value, 42);
      });

    test("hears that 10,000 candidates or cases are too many", async () => {
      const tests = Array.from({ length: 10_000 }, () => cases[0]);
      const many = await mistake(client, "evaluate", { candidates: [{ source }], tests });
      assert.match(many, /at most 1000 tests at a time: got 10000/);
      const candidates = Array.from({ length: 10_000 }, () => ({ source }));
      assert.match(await mistake(client, "evaluate", { candidates, tests: cases }), /at most 256 candidates/);
      const result = await use(client, "evaluate", {
        candidates: [{ source }],
        tests: tests.slice(0, 1_000),
      });
      assert.equal(result.results[0]?.score, 1);
    });

    test("reloads and destroys a sandbox while a call of it runs", async () => {
      await use(client, "create_sandbox", { id: "slow", source: slow });
      const begun = Promise.withResolvers<void>();
      const off = runtime.events.on("sandbox.run.start", () => begun.resolve());
      const running = use(client, "call", { id: "slow", target: "main.f" });
      await begun.promise;
      off();
      const reloaded = use(client, "reload", { id: "slow", source: slow.replace("return 1", "return 2") });
      await use(client, "call", { id: "slow", target: "main.end" });
      assert.equal((await reloaded).ok, true);
      assert.equal((await running).value, 1);
      const again = use(client, "call", { id: "slow", target: "main.f" });
      await use(client, "destroy", { ids: ["slow"] });
      const end = await again.catch((error: unknown) => error);
      assert.match(JSON.stringify(end) + String(end), /cancelled|SANDBOX_NOT_FOUND|not-running/);
    });

    test("may use an id again of a candidate that did not load", async () => {
      const candidates = [{ id: "again", source: "(" }];
      const { results } = await use(client, "evaluate", { candidates, tests: cases });
      assert.equal(results[0]?.error?.kind, "not-created");
      assert.equal((await use(client, "create_sandbox", { id: "again", source })).ok, true);
      await use(client, "destroy", { ids: ["again"] });
    });

    test("is told that limits are those of the sandbox where a script runs in one", async () => {
      await use(client, "create_sandbox", { id: "own", source });
      const text = await mistake(client, "run_code", {
        source: "1",
        sandboxId: "own",
        limits: limitsOf("memory"),
      });
      assert.match(text, /Cannot use limits as they must be those of the sandbox/);
      await use(client, "destroy", { ids: ["own"] });
    });
  });

for (const [what, [tool, args]] of Object.entries({
  call: ["call", { id: "slow", target: "main.f" }],
  creation: ["create_sandbox", { source: `${slow} await f();` }],
  evaluation: ["evaluate", { candidates: [{ source: slow }, { id: "slow" }], tests: cases, keep: 1 }],
} as const))
  test(`a client that goes away in the middle of its ${what} leaves nothing`, async () => {
    const own = await startRuntime();
    const { client, server, toServer } = await overStreams(own, "2025");
    await use(client, "create_sandbox", { id: "slow", source: slow });
    const begun = Promise.withResolvers<void>();
    own.events.on(tool === "create_sandbox" ? "sandbox.create.start" : "sandbox.run.start", () =>
      begun.resolve(),
    );
    const running = call(client, tool, args).catch(() => {});
    await begun.promise;
    toServer.end();
    await server.ended;
    assert.deepEqual(await own.list(), []);
    await client.close();
    await running;
  });
