// Every tool, as the official client calls it in both eras. The client checks each result against the declared schema.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Runtime } from "../../../src/index.ts";
import { tools } from "../../../src/mcp/tools/table.ts";
import { call, handlerOf, mistake, overHttp, overStreams, textOf, use } from "../../support/mcp.ts";
import { startRuntime } from "../../support/runtimes.ts";

const counter =
  "let n = 0; export const up = () => ++n; export const fail = () => { throw new Error('no') };";
const doubling = "export const f = (x) => x * 2;";
const cases = [
  { call: "main.f", args: [2], expected: 4 },
  { call: "main.f", args: [0], expected: 0 },
];

const ways = {
  "a stream of the 2025 era": async (runtime: Runtime) => (await overStreams(runtime, "2025")).client,
  "a stream of the 2026 era": async (runtime: Runtime) => (await overStreams(runtime, "2026")).client,
  "HTTP of the 2025 era": (runtime: Runtime) => overHttp(handlerOf(runtime), "2025"),
  "HTTP of the 2026 era": (runtime: Runtime) => overHttp(handlerOf(runtime), "2026"),
};

for (const [way, connect] of Object.entries(ways)) {
  const client = await connect(await startRuntime());
  await client.listTools();

  suite(`Over ${way}`, () => {
    const used = new Set<string>();
    const useTool = (name: string, args: Record<string, unknown>): ReturnType<typeof use> => {
      used.add(name);
      return use(client, name, args);
    };

    test("tools are listed with schemas of objects and with hints", async () => {
      const listed = (await client.listTools()).tools;
      assert.deepEqual(
        listed.map(({ name }) => name),
        tools.map(({ name }) => name),
      );
      for (const { name, description, inputSchema, outputSchema, annotations } of listed) {
        assert.ok((description ?? "").length > 40, name);
        assert.equal(inputSchema.type, "object");
        assert.equal(outputSchema?.type, "object");
        assert.equal(annotations?.openWorldHint, false);
        assert.equal(typeof annotations.readOnlyHint, "boolean");
      }
      assert.match(client.getInstructions() ?? "", /run_code/);
    });

    test("run_code runs a script or a default export, and reports failures as results", async () => {
      assert.equal((await useTool("run_code", { source: "args[0] + 1", args: [2] })).value, 3);
      const called = await useTool("run_code", { source: "export default (a) => [a]", args: ["x"] });
      assert.deepEqual(called.value, ["x"]);
      const thrown = await useTool("run_code", {
        source: "console.log('so far');\nthrow new RangeError('bad')",
      });
      assert.partialDeepStrictEqual(thrown, {
        ok: false,
        error: { kind: "crashed", thrown: { name: "RangeError", message: "bad" } },
        output: [{ level: "log", text: "so far" }],
      });
      assert.match(thrown.error.thrown.stack, /script:2:/);
      const broken = await useTool("run_code", { source: "const x: = 3" });
      assert.partialDeepStrictEqual(broken, {
        ok: false,
        error: { kind: "compile", diagnostics: [{ line: 1 }] },
      });
      const late = await useTool("run_code", { source: "for (;;);", timeoutMs: 50 });
      assert.partialDeepStrictEqual(late, { ok: false, error: { kind: "timeout", limit: "timeoutMs" } });
    });

    test("a sandbox is created, called, reloaded, compared, rolled back, inspected and destroyed", async () => {
      const created = await useTool("create_sandbox", { id: "a", source: counter });
      assert.partialDeepStrictEqual(created, {
        ok: true,
        sandbox: { status: "running", modules: [{ name: "main" }] },
      });
      await useTool("call", { id: "a", target: "main.up" });
      assert.equal((await useTool("call", { id: "a", target: "main.up" })).value, 2);
      const failed = await useTool("call", { id: "a", target: "main.fail" });
      assert.partialDeepStrictEqual(failed, { ok: false, error: { kind: "crashed", message: "Error: no" } });
      assert.equal(
        (await useTool("run_code", { source: "(await import('main')).up()", sandboxId: "a" })).value,
        3,
      );
      const dry = await useTool("reload", { id: "a", source: "export const up = () => 7", dryRun: true });
      assert.equal(dry.ok, true);
      await useTool("reload", { id: "a", source: "export const up = () => 7", mutation: "seven" });
      assert.equal((await useTool("call", { id: "a", target: "main.up" })).value, 7);
      const refused = await useTool("reload", { id: "a", source: "export const up = (" });
      assert.partialDeepStrictEqual(refused, { ok: false, error: { kind: "compile", code: "PARSE_FAILED" } });
      const compared = await useTool("diff", { id: "a" });
      assert.partialDeepStrictEqual(compared, {
        from: 1,
        to: 2,
        versions: [{ version: 1 }, { mutation: "seven" }],
      });
      assert.match(compared.diff, /\+export const up = \(\) => 7/);
      await useTool("rollback", { id: "a", version: 1 });
      await useTool("rollback", { id: "a", revision: 2 });
      const seen = await useTool("inspect", { id: "a", module: "main", version: 1 });
      assert.equal(seen.source, counter);
      assert.partialDeepStrictEqual(seen, { sandbox: { revision: 4, status: "running" } });
      const { id } = seen.sandbox;
      assert.deepEqual(await useTool("destroy", { ids: ["a"] }), { destroyed: [id], failed: [] });
      assert.partialDeepStrictEqual(await useTool("inspect", { id: "a" }), {
        sandbox: { status: "stopped" },
      });
    });

    test("code that cannot be created is a result, and its id is free again", async () => {
      const refused = await useTool("create_sandbox", {
        id: "again",
        source: "throw new Error('at the top')",
      });
      assert.partialDeepStrictEqual(refused, { ok: false, error: { kind: "crashed", code: "LOAD_FAILED" } });
      const created = await useTool("create_sandbox", {
        id: "again",
        modules: { main: "export * from './util'", util: doubling },
      });
      assert.equal(created.ok, true);
      await useTool("destroy", { ids: ["again"] });
    });

    test("evaluate ranks sources and living sandboxes, and keeps the best", async () => {
      await useTool("create_sandbox", { id: "living", source: "export const f = () => 0;" });
      const result = await useTool("evaluate", {
        candidates: [
          { source: "export const f = (x) => x" },
          { source: doubling, id: "best", parentIds: ["living"], mutation: 1 },
          { source: "syntax error" },
          { id: "living" },
        ],
        tests: cases,
        keep: 1,
      });
      assert.partialDeepStrictEqual(result, { scored: 3, failed: 1 });
      const { results } = result;
      assert.deepEqual(
        results.map(({ score, kept, error }) => [score ?? error?.kind, kept]),
        [
          [0.5, false],
          [1, true],
          ["not-created", false],
          [0.5, false],
        ],
      );
      assert.equal((await useTool("call", { id: "best", target: "main.f", args: [21] })).value, 42);
    });

    test("population_summary, list_sandboxes and lineage tell of one's own", async () => {
      await useTool("create_sandbox", {
        id: "child",
        forkOf: "best",
        mutation: "tripled",
        source: "export const f = (x) => x * 3",
      });
      const population = await useTool("population_summary", { best: 1 });
      assert.partialDeepStrictEqual(population, {
        size: 3,
        byResult: { ok: 2, none: 1 },
        scores: { max: 1, min: 0.5 },
        generations: { min: 0, max: 2 },
      });
      const page = await useTool("list_sandboxes", { limit: 2 });
      assert.partialDeepStrictEqual(page, { total: 3, nextCursor: "from-2" });
      const rest = await useTool("list_sandboxes", { limit: 2, cursor: page.nextCursor });
      assert.equal(rest.sandboxes.length, 1);
      const report = await useTool("lineage", { id: "child" });
      const { path } = report;
      assert.deepEqual(
        path.map(({ id }) => id.split(":").at(-1)),
        ["child", "best", "living"],
      );
      assert.match(path[0]?.diff ?? "", /\+export const f = \(x\) => x \* 3/);
      assert.partialDeepStrictEqual(await useTool("lineage", { id: "living" }), {
        ancestors: [],
        more: false,
      });
    });

    test("resources are listed, read and completed", async () => {
      const { resources } = await client.listResources();
      assert.equal(resources.length, 9);
      const [info, logs, source] = resources.filter(({ uri }) => uri.includes("best"));
      const read = async (uri = ""): Promise<string> => {
        const [content] = (await client.readResource({ uri })).contents;
        return content !== undefined && "text" in content ? content.text : "";
      };
      assert.partialDeepStrictEqual(JSON.parse(await read(info?.uri)), { status: "running" });
      assert.equal(await read(logs?.uri), "");
      assert.equal(await read(source?.uri), doubling);
      assert.equal(await read(`${source?.uri}?version=1`), doubling);
      for (const { uri, mimeType } of resources) {
        const [content] = (await client.readResource({ uri })).contents;
        assert.partialDeepStrictEqual(content, { uri, mimeType });
      }
      // Each template is one of those whose resources are read here.
      assert.deepEqual(
        (await client.listResourceTemplates()).resourceTemplates.map(({ name }) => name),
        ["sandbox", "logs", "source", "version"],
      );
      const ref = {
        type: "ref/resource",
        uri: "vivarium://sandboxes/{id}/source/{module}{?version}",
      } as const;
      const ids = await client.complete({ ref, argument: { name: "id", value: "be" } });
      assert.deepEqual(
        ids.completion.values.map((id) => id.split(":").at(-1)),
        ["best"],
      );
      const context = { arguments: { id: "best", module: "main" } };
      const complete = async (name: string): Promise<readonly string[]> =>
        (await client.complete({ ref, argument: { name, value: "" }, context })).completion.values;
      assert.deepEqual(await complete("module"), ["main"]);
      assert.deepEqual(await complete("version"), ["1"]);
    });

    test("a mistake of the caller is an error that says how to mend it", async () => {
      assert.equal(
        await mistake(client, "call", { id: "nobody", target: "main.f" }),
        'SANDBOX_NOT_FOUND: Cannot find sandbox "nobody"',
      );
      assert.match(
        await mistake(client, "call", { id: "best", target: "f" }),
        /must be "module\.export": got "f"/,
      );
      assert.match(
        await mistake(client, "call", { id: "best", targt: "main.f" }),
        /got "targt"; did you mean target\?/,
      );
      assert.match(await mistake(client, "create_sandbox", {}), /either source or modules: it has neither/);
      assert.match(await mistake(client, "rollback", { id: "best", version: 9 }), /VERSION_NOT_FOUND/);
      assert.match(
        await mistake(client, "create_sandbox", { id: "best", source: doubling }),
        /SANDBOX_EXISTS/,
      );
      const result = await call(client, "call", { id: 7 });
      assert.equal(textOf(result), "INVALID_OPTIONS: Cannot use id as it must be a text: got 7");
    });

    test("each tool was used", () => {
      assert.deepEqual([...used].sort(), tools.map(({ name }) => name).sort());
    });
  });
}
