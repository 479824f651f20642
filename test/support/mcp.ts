// Connects the protocol's official client to our server, in each of the ways that agents do.
import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type Transport,
} from "@modelcontextprotocol/client";
import { after } from "node:test";
import { PassThrough } from "node:stream";
import type { Runtime } from "../../src/index.ts";
import { createMcpHandler, type McpHandler } from "../../src/mcp/http.ts";
import { LineTransport } from "../../src/mcp/line-transport.ts";
import { serveStdio, type StdioOptions, type StdioServer } from "../../src/mcp/stdio.ts";
import type { McpCaller } from "../../src/mcp/owner.ts";
import type { McpOptions } from "../../src/mcp/config.ts";

/** 2026: each request stands alone. 2025: a session. */
export type Era = "2026" | "2025";

const lineBytesMax = 2 ** 26;

export function newClient(era: Era): Client {
  const mode = era === "2026" ? { pin: "2026-07-28" } : "legacy";
  return new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
}

export interface StdioPair {
  readonly client: Client;
  readonly server: StdioServer;
  /** What the client writes to, for lines that no client would write. */
  readonly toServer: PassThrough;
  readonly fromServer: PassThrough;
}

/** A client and a server with two streams between them. */
export async function overStreams(
  runtime: Runtime,
  era: Era = "2025",
  options: Omit<Partial<StdioOptions>, "input" | "output"> = {},
): Promise<StdioPair> {
  const [toServer, fromServer] = [new PassThrough(), new PassThrough()];
  const server = serveStdio(runtime, { input: toServer, output: fromServer, ...options });
  const client = newClient(era);
  await client.connect(new LineTransport({ input: fromServer, output: toServer, lineBytesMax }) as Transport);
  after(() => server.close());
  return { client, server, toServer, fromServer };
}

export const admin: McpCaller = { tokenId: "one", scope: "admin", tenant: null };

/** A handler that is closed when the tests of the file are done. */
export function handlerOf(runtime: Runtime, options: McpOptions = {}): McpHandler {
  const handler = createMcpHandler(runtime, options);
  after(() => handler.close());
  return handler;
}

/** A client of a handler, over requests that never leave this process. */
export async function overHttp(
  handler: McpHandler,
  era: Era,
  {
    caller = admin,
    headers = {},
  }: { readonly caller?: McpCaller; readonly headers?: Record<string, string> } = {},
): Promise<Client> {
  const client = newClient(era);
  const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
    fetch: (url, init) => handler(new Request(url, init), caller),
    requestInit: { headers },
  });
  await client.connect(transport);
  return client;
}

/** What the results of tools may have in them. */
export interface Structured {
  readonly ok: boolean;
  readonly value: unknown;
  readonly valueNote: string;
  readonly error: {
    readonly kind: string;
    readonly message: string;
    readonly thrown: { readonly stack: string };
  };
  readonly output: readonly { readonly text: string }[];
  readonly outputNote: string;
  readonly sandbox: { readonly id: string };
  readonly sandboxes: readonly { readonly id: string }[];
  readonly nextCursor: string;
  readonly diff: string;
  readonly source: string;
  readonly path: readonly { readonly id: string; readonly diff: string | null }[];
  readonly results: readonly {
    readonly id: string;
    readonly score?: number;
    readonly kept: boolean;
    readonly error?: { readonly kind: string };
  }[];
}

/** The structured result of a tool, whose call must not have been a mistake. */
export async function use(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Structured> {
  const result = await call(client, name, args);
  if (result.isError === true) throw new TypeError(`${name}: ${textOf(result)}`);
  // A test names what it expects in it, and fails where that is not there.
  return result.structuredContent as unknown as Structured;
}

/** The sentence of a mistake. */
export async function mistake(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  const result = await call(client, name, args);
  if (result.isError !== true) throw new TypeError(`${name}: ${JSON.stringify(result.structuredContent)}`);
  return textOf(result);
}

export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: args })) as CallToolResult;
}

export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
