// `vivarium mcp --url`: an agent on stdio whose sandboxes are on a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { connect } from "../../src/client/index.ts";
import { newClient, use } from "../support/mcp.ts";
import { Folder } from "../support/folders.ts";
import { until } from "../support/waiting.ts";
import { Cli } from "./cli-program.ts";
import { root } from "./program.ts";
import { startServing } from "./serving.ts";

const source = "let n = 0; export const up = () => ++n;";

test("vivarium mcp --url works on the server, where its sandboxes end with it, or stay with --keep", async () => {
  using folder = new Folder();
  const cli = new Cli(folder);
  await using serving = await startServing({ env: cli.env });
  await using runtime = await connect(serving.url, { token: serving.token });
  const env = Object.fromEntries(
    Object.entries({ ...cli.env, VIVARIUM_TOKEN: serving.token }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
  const work = async (options: readonly string[]): Promise<string> => {
    const client = newClient("2026");
    const args = [`${root}dist/cli/main.js`, "mcp", "--url", serving.url, ...options];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }),
    );
    await use(client, "create_sandbox", { id: "a", source });
    assert.equal((await use(client, "call", { id: "a", target: "main.up" })).value, 1);
    const [info] = await runtime.list();
    assert.equal(info?.usage.runs, 1);
    await client.close();
    return info.id;
  };
  await work([]);
  await until("its sandboxes are gone", async () => (await runtime.list()).length === 0);
  const kept = await work(["--agent", "planner", "--keep"]);
  assert.deepEqual(
    (await runtime.list()).map(({ id }) => id),
    [kept],
  );
});
