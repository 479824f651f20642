// Serves a runtime on a port of this machine, for tests of what is on the other side.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Runtime } from "../../../src/index.ts";
import { createServer, type ServerOptions } from "../../../src/server/index.ts";

export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
}

/** Closing it ends connections and the server; the runtime is its owner's. */
export async function serve(
  runtime: Runtime,
  options: ServerOptions & { readonly port?: number } = {},
): Promise<Served> {
  const { port = 0, ...own } = options;
  const server = createServer(runtime, own);
  const http = createAdaptorServer({ fetch: (request: Request) => server.fetch(request) });
  http.listen(port, "127.0.0.1");
  await once(http, "listening");
  const { port: used } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${used}`,
    token: server.token ?? "",
    async [Symbol.asyncDispose]() {
      await server.close();
      if ("closeAllConnections" in http) http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}
