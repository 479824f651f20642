// Two servers on this machine, and guests that may fetch from them.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before } from "node:test";
import {
  createRuntime,
  fetchCapability,
  type FetchOptions,
  type Runtime,
  type Sandbox,
} from "../../src/index.ts";
import { valueOf } from "./outcomes.ts";
import { startRuntime } from "./runtimes.ts";

let servers: Server[] = [];
/** The origin of the first server, once it is there. */
export let origin = "";
let elsewhere = "";
/** Responses that are never ended. */
export const endless = new Set<ServerResponse>();

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { method, url, headers } = request;
  response
    .setHeader("content-type", "application/json")
    .setHeader("set-cookie", "a=1")
    .setHeader("x-own", "yes");
  response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://x");
  const redirect = /^\/redirect\/(\d+)$/.exec(url.pathname);
  if (redirect !== null) {
    request.resume();
    response.writeHead(Number(redirect[1]), { location: url.searchParams.get("to") ?? "/echo" }).end();
  } else if (url.pathname === "/large")
    response.end(Buffer.alloc(Number(url.searchParams.get("bytes")), "x"));
  else if (url.pathname === "/loop") response.writeHead(302, { location: "/loop" }).end();
  else if (url.pathname === "/endless") {
    endless.add(response);
    response.on("close", () => endless.delete(response));
    response.write("first");
  } else if (url.pathname === "/status") response.writeHead(Number(url.searchParams.get("is"))).end();
  else if (url.pathname === "/cut") {
    response.writeHead(200, { "content-length": "100" }).write("half");
    setImmediate(() => response.destroy());
  } else void echo(request, response);
}

before(async () => {
  const start = async (): Promise<Server> => {
    const started = createServer(serve);
    await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
    return started;
  };
  servers = await Promise.all([start(), start()]);
  const originOf = (of: Server): string => `http://127.0.0.1:${(of.address() as AddressInfo).port}`;
  [origin = "", elsewhere = ""] = servers.map(originOf);
});
after(async () => {
  for (const starting of runtimes.values()) await (await starting).close();
  for (const each of servers) {
    each.closeAllConnections();
    each.close();
  }
});

/** A sandbox with this capability, in a runtime of its own. */
export async function sandboxFor(
  main: string,
  options: Partial<FetchOptions> = {},
  name = "fetch",
): Promise<{ runtime: Runtime; sandbox: Sandbox }> {
  const origins = [origin, elsewhere];
  const runtime = await startRuntime({
    capabilities: { [name]: fetchCapability({ origins, privateOrigins: origins, ...options }) },
  });
  const sandbox = await runtime.create({ modules: { main }, capabilities: [name] });
  return { runtime, sandbox };
}

/** Those that expressions are tried in, by their options. */
const runtimes = new Map<string, Promise<Runtime>>();

/** What an expression of a guest gives; `at` is the origin, `far` the other one. */
export async function guest<T>(expression: string, options: Partial<FetchOptions> = {}): Promise<T> {
  const origins = [origin, elsewhere];
  const fetch = fetchCapability({ origins, privateOrigins: origins, ...options });
  const key = JSON.stringify(options);
  const starting =
    runtimes.get(key) ?? createRuntime({ capabilities: { fetch }, cells: { count: 1, spare: 0 } });
  runtimes.set(key, starting);
  const main = `export const go = async (at, far) => { try { return await (${expression}); } catch (error) { return [error.name, error.message]; } };`;
  await using sandbox = await (await starting).create({ modules: { main }, capabilities: ["fetch"] });
  return valueOf(await sandbox.call<T>("main.go", { args: origins }));
}
