// Sessions of clients of the 2025 era over HTTP: each is an agent of its own, whose sandboxes end with it.
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { McpServer } from "@modelcontextprotocol/server";
import type { Timer } from "../std/clock.ts";
import { randomName } from "../std/random.ts";
import type { Agent } from "./agent.ts";
import type { Agents } from "./agents.ts";
import type { McpConfig } from "./config.ts";
import { serverFor } from "./mcp-server.ts";
import { ownerOfCaller, type McpCaller, type Owner } from "./owner.ts";
import { refusal } from "./refusal.ts";

export interface SessionsParts {
  readonly agents: Agents;
  readonly config: McpConfig;
}

interface HttpSession {
  readonly id: string;
  readonly agent: Agent;
  readonly mcp: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Gives back what it has of the token's quotas. */
  readonly release: () => void;
  idle: Timer;
}

const sessionHeader = "mcp-session-id";
/** The code that clients know to begin anew after. */
const sessionNotFound = -32_001;

export class Sessions {
  readonly #parts: SessionsParts;
  readonly #byId = new Map<string, HttpSession>();
  /** How many each token has, those that are beginning included. */
  readonly #counts = new Map<string, number>();
  #size = 0;
  #isClosed = false;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  async serve(request: Request, caller: McpCaller, label: string | null): Promise<Response> {
    const id = request.headers.get(sessionHeader);
    if (id === null) return this.#begin(request, caller, label);
    const session = this.#byId.get(id);
    // Another token's session is answered as one that is not there.
    if (session === undefined || !isOf(session, caller))
      return refusal(404, "Cannot find this session: it ended, or belongs to another token", sessionNotFound);
    this.#rest(session);
    return session.transport.handleRequest(request);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#byId.values()].map((session) => this.#end(session)));
  }

  async #begin(request: Request, caller: McpCaller, label: string | null): Promise<Response> {
    const { sessions, sessionsPerToken } = this.#parts.config.bounds;
    const own = this.#counts.get(caller.tokenId) ?? 0;
    if (own >= sessionsPerToken) return full(429, `${sessionsPerToken} of one token`);
    if (this.#size >= sessions) return full(503, String(sessions));
    const id = randomName("session");
    const owner = ownerOfCaller(caller, label, id);
    const release = this.#take(caller);
    let begun: HttpSession | undefined;
    try {
      begun = await this.#connect({ id, owner, release });
      const response = await begun.transport.handleRequest(request);
      if (this.#isClosed) await this.#end(begun);
      return response;
    } finally {
      // It was no request that begins a session.
      if (begun === undefined || !this.#byId.has(begun.id)) {
        release();
        this.#parts.agents.forget(owner);
        await begun?.mcp.close();
      }
    }
  }

  /** Counts a session until the returned function is called; it may be called again. */
  #take(caller: McpCaller): () => void {
    const { tokenId } = caller;
    const close = this.#parts.config.gate.openStream(caller);
    this.#size++;
    this.#counts.set(tokenId, (this.#counts.get(tokenId) ?? 0) + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      close();
      this.#size--;
      const left = (this.#counts.get(tokenId) ?? 1) - 1;
      if (left > 0) this.#counts.set(tokenId, left);
      else this.#counts.delete(tokenId);
    };
  }

  /** A session that is one as soon as a client says hello. */
  async #connect({ id, owner, release }: Beginning): Promise<HttpSession> {
    const { config, agents } = this.#parts;
    const agent = agents.get(owner);
    const mcp = serverFor(agent);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: config.bounds.messageBytes,
      onsessioninitialized: () => {
        this.#byId.set(id, session);
        this.#rest(session);
      },
      onsessionclosed: () => this.#forget(session),
    });
    const session: HttpSession = { id, agent, mcp, transport, release, idle: { cancel: () => {} } };
    await mcp.connect(transport);
    return session;
  }

  /** It is idle from now on, unless something is asked of it. */
  #rest(session: HttpSession): void {
    const { clock, bounds } = this.#parts.config;
    session.idle.cancel();
    session.idle = clock.after(bounds.sessionIdleMs, () => {
      if (session.agent.isIdle) void this.#end(session);
      else this.#rest(session);
    });
  }

  async #end(session: HttpSession): Promise<void> {
    try {
      await this.#forget(session);
    } finally {
      await session.mcp.close();
    }
  }

  async #forget(session: HttpSession): Promise<void> {
    if (!this.#byId.delete(session.id)) return;
    session.idle.cancel();
    try {
      await session.agent.end();
    } catch (error) {
      this.#parts.config.onError(error);
    }
    this.#parts.agents.forget(session.agent.owner);
    session.release();
  }
}

interface Beginning {
  readonly id: string;
  readonly owner: Owner;
  readonly release: () => void;
}

function full(status: number, max: string): Response {
  return refusal(
    status,
    `QUOTA_EXCEEDED: Cannot begin a session as there must be at most ${max}: end one, or wait`,
  );
}

function isOf({ agent }: HttpSession, { tokenId, tenant, scope }: McpCaller): boolean {
  const { caller } = agent.owner;
  return caller.tokenId === tokenId && caller.tenant === tenant && caller.scope === scope;
}
