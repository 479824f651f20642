// The protocol over HTTP as a web-standard handler, for both of its eras: clients of 2026 send requests that stand alone, those
// of 2025 have sessions.
import { createMcpHandler as createModernHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import type { Runtime } from "../index.ts";
import { VivariumError } from "../model/errors.ts";
import type { Agent } from "./agent.ts";
import { Agents } from "./agents.ts";
import { readConfig, type McpOptions } from "./config.ts";
import { Sessions } from "./http-sessions.ts";
import { serverFor } from "./mcp-server.ts";
import { agentHeader, ownerOfCaller, type McpCaller } from "./owner.ts";
import { refusal } from "./refusal.ts";
import { sentenceOf } from "./results.ts";

/** Answers one request of a caller that is authenticated already. Whoever mounts it checks Host and Origin before. */
export interface McpHandler {
  (request: Request, caller: McpCaller): Promise<Response>;
  /** Ends all sessions and what is under way; the sandboxes of sessions are destroyed. */
  close(): Promise<void>;
}

export function createMcpHandler(runtime: Runtime, options?: McpOptions): McpHandler {
  const config = readConfig(options);
  const { messageBytes: maxRequestBodySize, idleMs } = config.bounds;
  const agents = new Agents({ runtime, config, idleMs });
  const sessions = new Sessions({ agents, config });
  // Whose a request is that stands alone.
  const agentOf = new WeakMap<Request, Agent>();
  const modern = createModernHandler(
    ({ requestInfo }) => {
      const agent = requestInfo === undefined ? undefined : agentOf.get(requestInfo);
      if (agent === undefined)
        throw new VivariumError("INTERNAL", "Cannot answer as a request must have an agent");
      return serverFor(agent);
    },
    // There are no changes to subscribe to.
    { legacy: "reject", maxRequestBodySize, maxSubscriptions: 0, onerror: config.onError },
  );
  let isClosed = false;
  const serve = async (request: Request, caller: McpCaller): Promise<Response> => {
    if (isClosed)
      return refusal(503, "RUNTIME_CLOSED: Cannot answer as the server must be open: it is closing");
    const label = request.headers.get(agentHeader);
    if (await isLegacyRequest(request, undefined, { maxRequestBodySize }))
      return sessions.serve(request, caller, label);
    agentOf.set(request, agents.get(ownerOfCaller(caller, label)));
    return modern.fetch(request);
  };
  const handler = async (request: Request, caller: McpCaller): Promise<Response> => {
    try {
      return await serve(request, caller);
    } catch (error) {
      return refusal(statusOf(error), sentenceOf(error, config.onError));
    }
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    agents.stop();
    await Promise.all([modern.close(), sessions.close()]);
  };
  return Object.assign(handler, { close });
}

function statusOf(error: unknown): number {
  if (!(error instanceof VivariumError) || error.code === "INTERNAL") return 500;
  return error.code === "QUOTA_EXCEEDED" ? 429 : 400;
}
