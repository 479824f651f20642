// A client for the HTTP API that a public generator makes from its document: it is well-typed, and creates, calls, reloads,
// evaluates and listens at a server that runs.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, suite, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Folder } from "../../support/folders.ts";
import { hear, tokens } from "../../support/listening.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));
const timeout = 240_000;

interface Answer {
  readonly data?: unknown;
  readonly error?: { readonly code: string };
  readonly response: { readonly status: number };
}
interface Asked {
  readonly client: unknown;
  readonly path?: object;
  readonly query?: object;
  readonly body?: object;
  readonly headers?: object;
  readonly parseAs?: "text";
  readonly signal?: AbortSignal;
}
type Act = (asked: Asked) => Promise<Answer>;
type Generated = Readonly<Record<"createSandbox" | "listSandboxes" | "call" | "once" | "reload", Act>> &
  Readonly<Record<"batchEvaluate" | "destroySandbox" | "getSandbox", Act>> & {
    readonly events: (asked: Asked) => Promise<{ readonly stream: AsyncGenerator<unknown> }>;
  };
interface Clients {
  readonly createClient: (options: object) => unknown;
}

const folder = new Folder();
after(() => folder[Symbol.dispose]());
const server = await hear();
const document = await fetch(`${server.url}/openapi.json`);
folder.write({ "openapi.json": await document.text() });
const generator = fileURLToPath(new URL("generate.ts", import.meta.url));
const generating = [generator, folder.at("openapi.json"), folder.at("client")];
await run(process.execPath, generating, { cwd: root, timeout });
const load = async (file: string): Promise<unknown> => import(pathToFileURL(folder.at(file)).href);
// It was generated, so that its types are not known here: the compiler reads it below.
const api = (await load("client/sdk.gen.ts")) as Generated;
const { createClient } = (await load("client/client/index.ts")) as Clients;
const client = createClient({ baseUrl: server.url, auth: () => tokens.admin.token });

suite("a client that is generated from the document", () => {
  test("has no mistake for a strict compiler", { timeout }, async () => {
    const flags = "--ignoreConfig --noEmit --strict --target esnext --module nodenext --skipLibCheck";
    const lib = ["--lib", "esnext,dom,dom.iterable", "--allowImportingTsExtensions"];
    const tsc = `${root}node_modules/typescript/bin/tsc`;
    const args = [tsc, ...flags.split(" "), ...lib, folder.at("client/index.ts")];
    await assert.doesNotReject(run(process.execPath, args, { cwd: folder.path, timeout }));
  });

  test("creates, calls, reloads and destroys", async () => {
    const source = "export const f = (n: number) => n * 2;";
    const spec = { id: "generated", modules: { main: source }, labels: { by: "client" } };
    const made = await api.createSandbox({ client, body: spec, headers: { "Idempotency-Key": "one" } });
    assert.equal(made.response.status, 201);
    assert.equal((made.data as { readonly id: string }).id, "generated");
    const found = await api.listSandboxes({ client, query: { label: ["by=client"], limit: 5 } });
    assert.equal((found.data as { readonly sandboxes: readonly unknown[] }).sandboxes.length, 1);

    const path = { id: "generated" };
    const called = await api.call({ client, path, body: { target: "main.f", args: [21] } });
    assert.equal((called.data as { readonly value: unknown }).value, 42);
    const modules = { main: "export const f = (n: number) => n * 3;" };
    const reloaded = await api.reload({ client, path, body: { modules } });
    assert.equal((reloaded.data as { readonly status: string }).status, "reloaded");
    const again = await api.call({ client, path, body: { target: "main.f", args: [21] } });
    assert.equal((again.data as { readonly value: unknown }).value, 63);

    assert.equal((await api.destroySandbox({ client, path })).response.status, 204);
    const gone = await api.getSandbox({ client, path, query: { living: true } });
    assert.equal(gone.response.status, 404);
    assert.equal(gone.error?.code, "SANDBOX_NOT_FOUND");
  });

  test("runs a source once, and gets the failure of a guest as an outcome", async () => {
    const done = await api.once({ client, body: { source: "args[0] * 2", args: [21] } });
    assert.equal((done.data as { readonly value: unknown }).value, 42);
    const failed = await api.once({ client, body: { source: "throw new TypeError('no')" } });
    assert.equal(failed.response.status, 200);
    assert.equal((failed.data as { readonly error: { readonly kind: string } }).error.kind, "crashed");
    const mistake = await api.once({ client, body: { source: "1", timeoutMs: -5 } });
    assert.equal(mistake.error?.code, "INVALID_LIMITS");
  });

  test("evaluates candidates, line by line", async () => {
    const candidate = (factor: number): object => ({
      modules: { main: `export const f = (n) => n * ${factor};` },
    });
    const tests = [{ name: "doubles", call: "main.f", args: [21], expected: 42 }];
    const body = { targets: [candidate(2), candidate(3)], fitness: { tests, failedRun: "no-points" } };
    const { data } = await api.batchEvaluate({ client, body, parseAs: "text" });
    const lines = String(data)
      .trimEnd()
      .split("\n")
      .map(
        (line) =>
          JSON.parse(line) as { readonly type: string; readonly result?: { index: number; score: number } },
      );
    assert.deepEqual([lines[0]?.type, lines.at(-1)?.type], ["begin", "end"]);
    const scores = lines.flatMap(({ result }) =>
      result === undefined ? [] : [[result.index, result.score]],
    );
    assert.deepEqual(
      scores.toSorted(([a], [b]) => a! - b!),
      [
        [0, 1],
        [1, 0],
      ],
    );
  });

  test("hears events as they happen", { timeout }, async () => {
    const ending = new AbortController();
    const asked = { client, query: { name: ["sandbox.run.stop"] }, signal: ending.signal };
    const { stream } = await api.events(asked);
    // The frame that says that what follows is live: it has no data of an event.
    assert.deepEqual((await stream.next()).value, {});
    const heard = stream.next();
    await api.once({ client, body: { source: "1" } });
    const { value } = await heard;
    assert.equal((value as { readonly name: string }).name, "sandbox.run.stop");
    ending.abort();
    await stream.return(undefined);
  });
});
