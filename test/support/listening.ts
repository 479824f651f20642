// A server that listens on loopback, and clients that speak to it byte by byte, as no library would.
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after } from "node:test";
import type { Runtime } from "../../src/index.ts";
import {
  createServer,
  listen,
  type Listening,
  type ListenOptions,
  type Refusal,
  type Server,
  type ServerOptions,
  type TokenSpec,
} from "../../src/server/index.ts";
import { startRuntime } from "./runtimes.ts";

/** Tokens of every kind: `as("reader")` is a request with one of them. */
export const tokens = {
  admin: { token: "admin-0123456789abcdef", scope: "admin" },
  evaluator: { token: "evaluator-0123456789abcdef", scope: "evaluate" },
  reader: { token: "reader-0123456789abcdef", scope: "read" },
  expired: { token: "expired-0123456789abcdef", scope: "admin", expiresAt: "2020-01-01T00:00:00Z" },
  red: { token: "red-0123456789abcdef", scope: "admin", tenant: "red" },
  blue: { token: "blue-0123456789abcdef", scope: "admin", tenant: "blue" },
} as const satisfies Readonly<Record<string, TokenSpec>>;

export const as = (who: keyof typeof tokens): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${tokens[who].token}`,
});

export interface Heard {
  readonly runtime: Runtime;
  readonly server: Server;
  readonly listening: Listening;
  readonly url: string;
  /** What was refused so far. */
  readonly refusals: readonly Refusal[];
  readonly ask: (what: string, options?: AskOptions) => Promise<Response>;
}

export interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** A server that listens at a port of its own; it is closed when the tests of the file are done. */
export async function hear(
  options: ListenOptions = {},
  own: ServerOptions = {},
  runtime?: Runtime,
): Promise<Heard> {
  const refusals: Refusal[] = [];
  const used = runtime ?? (await startRuntime());
  const specs = Object.entries(tokens).map(([name, spec]) => ({ ...spec, name }));
  const server = createServer(used, { ...("gate" in own ? {} : { access: { tokens: specs } }), ...own });
  const listening = await listen(server, { onRefused: (refusal) => void refusals.push(refusal), ...options });
  after(() => listening.close({ drainMs: 0 }));
  const ask: Heard["ask"] = async (what, { headers, body, signal } = {}) => {
    const [method = "GET", path = "/"] = what.split(" ");
    return fetch(`${listening.url}${path}`, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
  };
  return { runtime: used, server, listening, url: listening.url, refusals, ask };
}

/** A connection that sends what it is told to. */
export interface Raw {
  readonly socket: Socket;
  send(text: string): void;
  /** All that came, once the server has ended the connection. */
  readonly ended: Promise<string>;
  /** Resolves when this has come. */
  until(part: string): Promise<string>;
}

/** Opens a connection; it is destroyed when the tests of the file are done. */
export async function raw(port: number): Promise<Raw> {
  const socket = connect({ port, host: "127.0.0.1" });
  after(() => socket.destroy());
  let text = "";
  const waiting = new Set<() => void>();
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    text += chunk;
    for (const look of waiting) look();
  });
  // A reset is an end as well.
  socket.on("error", () => {});
  socket.on("close", () => resolve(text));
  await new Promise<void>((opened) => socket.once("connect", opened));
  return {
    socket,
    send: (given) => void socket.write(given),
    ended,
    until: async (part) => {
      while (!text.includes(part))
        await Promise.race([
          new Promise<void>((more) => waiting.add(more)),
          ended.then(() => assert.ok(text.includes(part), `ended before ${JSON.stringify(part)}: ${text}`)),
        ]);
      return text;
    },
  };
}

/** The status of an answer in bytes. */
export const statusIn = (text: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);

/** A request in bytes, with an admin's token unless `headers` say otherwise. */
export function bytesOf(line: string, port: number, headers: readonly string[] = []): string {
  const own = headers.some((header) => /^authorization:/i.test(header))
    ? []
    : [`Authorization: ${as("admin").authorization}`];
  const host = headers.some((header) => /^host:/i.test(header)) ? [] : [`Host: 127.0.0.1:${port}`];
  return `${[`${line} HTTP/1.1`, ...host, ...own, ...headers].join("\r\n")}\r\n\r\n`;
}

/** Fails where an answer tells what nobody may read. */
export function assertTellsNothing(text: string): void {
  for (const { token } of Object.values(tokens)) assert.ok(!text.includes(token), "a token is in the answer");
  assert.doesNotMatch(
    text,
    /\/work\/|\/src\/|node_modules|\bat .+:\d+:\d+|node:internal/,
    "a place of ours is in the answer",
  );
}
