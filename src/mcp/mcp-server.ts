// The server of one agent as the protocol's library runs it: what it can, and how each request is carried out.
import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { CallToolRequest, CallToolResult } from "@modelcontextprotocol/server";
import { show } from "../model/show.ts";
import type { Agent } from "./agent.ts";
import { instructions } from "./instructions.ts";
import { readCursor } from "./pages.ts";
import { complete, listResources, readResource, templateList } from "./resources/resources.ts";
import { sentenceOf, toMistake, toResult } from "./results.ts";
import { findTool, tools } from "./tools/table.ts";
import { includes, type ToolCall } from "./tools/tool.ts";

/** A server for one connection, or one request, of this agent. */
export function serverFor(agent: Agent): McpServer {
  const { version } = agent.config;
  const mcp = new McpServer(
    { name: "vivarium", title: "Vivarium", version },
    {
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false }, completions: {} },
      instructions,
    },
  );
  const { server } = mcp;
  // In place of the library's own, whose lists have no pages and whose mistakes are not told in our words.
  server.setRequestHandler("tools/list", ({ params }) => {
    requireNoCursor(params?.cursor);
    return {
      tools: tools.filter(({ scope }) => includes(agent.owner.scope, scope)).map(({ listed }) => listed),
    };
  });
  server.setRequestHandler("tools/call", (request, context) => callTool(agent, request.params, context));
  server.setRequestHandler("resources/list", async ({ params }) =>
    answering(agent, () => listResources(agent, readCursor(params?.cursor))),
  );
  server.setRequestHandler("resources/templates/list", ({ params }) => {
    requireNoCursor(params?.cursor);
    return templateList;
  });
  server.setRequestHandler("resources/read", ({ params }) => readResource(agent, params.uri));
  server.setRequestHandler("completion/complete", ({ params }) =>
    answering(agent, () => complete(agent, params)),
  );
  return mcp;
}

/** Lists of one page have no cursors. */
function requireNoCursor(cursor: string | undefined): void {
  if (cursor === undefined) return;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Cannot use cursor as this list must be read whole: got ${show(cursor)}`,
  );
}

/** Errors of ours as those of the protocol. */
async function answering<T>(agent: Agent, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, sentenceOf(error, agent.config.onError));
  }
}

async function callTool(
  agent: Agent,
  { name, arguments: args, _meta }: CallToolRequest["params"],
  { mcpReq, http }: ServerContext,
): Promise<CallToolResult> {
  const tool = findTool(name);
  if (tool === undefined) {
    const names = tools.map((one) => one.name).join(", ");
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Cannot call this tool as it must be one of ${names}: got ${show(name)}`,
    );
  }
  // Nobody gets the answer where the connection is gone, as no answer is kept for those who come back.
  const connection = http?.req?.signal;
  const signal = connection === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, connection]);
  const token = _meta?.progressToken ?? mcpReq._meta?.progressToken;
  const progress: ToolCall["progress"] = (done, total, message) => {
    if (token === undefined || signal.aborted) return;
    const params = { progressToken: token, progress: done, total, message };
    mcpReq.notify({ method: "notifications/progress", params }).catch(agent.config.onError);
  };
  try {
    return toResult(await tool.call(agent, args, { signal, progress }));
  } catch (error) {
    return toMistake(error, agent.config.onError);
  }
}
