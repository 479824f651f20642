// The protocol over two streams, for one agent: what `vivarium mcp` serves.
import { serveStdio as serveStreams } from "@modelcontextprotocol/server/stdio";
import type { Readable, Writable } from "node:stream";
import type { Runtime } from "../index.ts";
import { Agent, AgentLoad } from "./agent.ts";
import { readConfig, type McpOptions } from "./config.ts";
import { LineTransport } from "./line-transport.ts";
import { serverFor } from "./mcp-server.ts";
import { ownerOfProcess } from "./owner.ts";

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** The name of the agent: with it, it finds what it kept. Default: one that never comes again. */
  readonly agent?: string | undefined;
  /** The tenant of the runtime's token, with which all ids must begin. Default: none. */
  readonly tenant?: string | null;
  /** Its sandboxes live on when the connection ends. Default: false. */
  readonly keep?: boolean;
  readonly mcp?: McpOptions;
}

export interface StdioServer {
  /** What the ids of this agent begin with. */
  readonly prefix: string;
  /** Resolves when the connection is over and the agent's sandboxes are destroyed, unless they are kept. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Serves until the input ends or it is closed. The output carries nothing but the protocol. */
export function serveStdio(runtime: Runtime, options: StdioOptions): StdioServer {
  const { input, output, agent: label, tenant = null, keep = false, mcp } = options;
  const config = readConfig(mcp);
  const owner = ownerOfProcess(label, tenant);
  const agent = new Agent({ runtime, config, owner, idleMs: null, load: new AgentLoad() });
  const transport = new LineTransport({ input, output, lineBytesMax: config.bounds.messageBytes });
  const handle = serveStreams(() => serverFor(agent), {
    transport,
    onerror: config.onError,
    maxSubscriptions: 0,
  });
  const end = async (): Promise<void> => {
    await transport.closed;
    // Where the runtime was closed before, nothing is left to be destroyed.
    await (keep ? agent.stop() : agent.end()).catch(config.onError);
  };
  return { prefix: owner.prefix, ended: end(), close: () => handle.close() };
}
