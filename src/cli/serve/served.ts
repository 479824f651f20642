// What `vivarium serve` listens for: the operations of a runtime, and its agents at /mcp behind the same tokens.
import { lineageReport } from "../../evolution/index.ts";
import type { Runtime } from "../../index.ts";
import type { McpOptions } from "../../mcp/config.ts";
import { createMcpHandler } from "../../mcp/http.ts";
import type { TokenSpec } from "../../server/access/token-specs.ts";
import { createServer, type Served } from "../../server/index.ts";

export interface ServedOptions extends McpOptions {
  /** Who may do what. Default: one token for everything, made up. */
  readonly tokens?: readonly TokenSpec[] | undefined;
}

/** Both ways to a runtime. Agents end before the server, as they go through its gate, and the runtime is its owner's to close. */
export function serveAll(runtime: Runtime, { tokens, ...options }: ServedOptions): Served {
  const server = createServer(runtime, {
    ...(tokens && { access: { tokens } }),
    mcp: (request, caller) => mcp(request, caller),
  });
  const mcp = createMcpHandler(runtime, {
    gate: server.gate,
    lineage: async (id, asked) => lineageReport(await server.tracker(), id, asked),
    ...options,
  });
  return {
    fetch: (request) => server.fetch(request),
    close: async () => {
      await mcp.close();
      await server.close();
    },
    runtime,
    gate: server.gate,
    token: server.token,
  };
}
