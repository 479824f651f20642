// `vivarium mcp` as agents start it: a process of its own, whose stdout carries nothing but the protocol.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { newClient, use } from "../support/mcp.ts";
import { Folder } from "../support/folders.ts";
import { startServing } from "./serving.ts";

const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const source = "let n = 0; export const up = () => ++n;";

function start(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [program, "mcp", ...args], { stdio: "pipe" });
}

/** All that it writes, and how it ends. */
async function ended(
  child: ChildProcess,
): Promise<{ readonly stdout: string; readonly stderr: string; readonly code: unknown }> {
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.on("data", (part: Buffer) => (texts[name] += part.toString()));
  const [code] = (await once(child, "close")) as [unknown];
  return { ...texts, code };
}

for (const era of ["2025", "2026"] as const)
  test(`vivarium mcp serves the official client of ${era}, and keeps what it is told to keep`, async () => {
    using folder = new Folder();
    const data = folder.at("data");
    for (const value of [1, 2]) {
      const client = newClient(era);
      const args = [program, "mcp", "--data", data, "--agent", "planner", "--keep"];
      await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
      assert.equal((await client.listTools()).tools.length, 12);
      if (value === 1) await use(client, "create_sandbox", { id: "a", source });
      else await use(client, "inspect", { id: "a", module: "main" });
      assert.equal((await use(client, "call", { id: "a", target: "main.up" })).value, 1);
      await client.close();
    }
  });

test("vivarium serve has the same tools at /mcp, and with --data an agent of its token is there after a restart", async () => {
  using folder = new Folder();
  for (const round of [1, 2]) {
    await using serving = await startServing({ args: ["--data", folder.at("data")] });
    const connect = async (era: "2025" | "2026"): Promise<ReturnType<typeof newClient>> => {
      const client = newClient(era);
      const requestInit = { headers: { Authorization: `Bearer ${serving.token}` } };
      const url = new URL(`${serving.url}/mcp`);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
      return client;
    };
    const [session, alone] = [await connect("2025"), await connect("2026")];
    if (round === 1) await use(alone, "create_sandbox", { id: "kept", source });
    assert.equal((await use(alone, "call", { id: "kept", target: "main.up" })).value, 1);
    assert.deepEqual((await use(session, "list_sandboxes")).sandboxes, []);
    await use(session, "create_sandbox", { id: "gone", source });
    const listed = await fetch(`${serving.url}/v1/sandboxes`, {
      headers: { Authorization: `Bearer ${serving.token}` },
    });
    const { sandboxes } = (await listed.json()) as { readonly sandboxes: readonly unknown[] };
    assert.equal(sandboxes.length, 2);
    await Promise.all([session.close(), alone.close()]);
  }
});

const hello = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

test("vivarium mcp ends with its input, and on SIGTERM, with nothing but messages on stdout", async () => {
  for (const end of [
    (child: ChildProcess) => child.stdin?.end(),
    (child: ChildProcess) => child.kill("SIGTERM"),
  ]) {
    const child = start();
    const done = ended(child);
    child.stdin?.write(`${JSON.stringify(hello)}\n`);
    await once(child.stdout ?? child, "data");
    end(child);
    const { stdout, stderr, code } = await done;
    assert.equal(code, 0);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: number; result: { serverInfo: object } });
    assert.equal(lines.length, 1);
    assert.partialDeepStrictEqual(lines[0]?.result.serverInfo, { name: "vivarium", version: "0.1.0" });
    assert.match(stderr, /^Serving an agent on stdin and stdout .*; its ids begin with mcp-/);
  }
});

test("vivarium mcp says what is wrong with its options, and prints settings for clients", async () => {
  const wrong = await ended(start("--keep"));
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /Cannot use --keep as there must be --agent NAME/);
  const unknown = await ended(start("config", "nobody"));
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /config and one of claude, .*: got "config" "nobody"/);
  const printed = await ended(start("config", "vscode", "--data", "./agent", "--agent", "a"));
  const args = ["-y", "vivarium", "mcp", "--data", "./agent", "--agent", "a"];
  assert.deepEqual(JSON.parse(printed.stdout), {
    servers: { vivarium: { type: "stdio", command: "npx", args } },
  });
});
