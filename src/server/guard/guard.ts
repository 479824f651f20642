// What is refused before anybody asks for a token: pages of other sites that use a browser to get here, and requests whose
// headers or address are no plain ones.
import type { IncomingHttpHeaders } from "node:http";
import { RequestRefusedError } from "../access/refusals.ts";
import { bare, hostnameOf, isLoopback, isWildcard } from "./addresses.ts";
import { checkAddress } from "./paths.ts";

/** Why a request was refused, in one word of ours: for figures and logs. */
export type RefusalReason =
  | "address"
  | "body"
  | "connections"
  | "draining"
  | "headers"
  | "host"
  | "malformed"
  | "method"
  | "origin"
  | "quota"
  | "scope"
  | "slow"
  | "stalled"
  | "token";

/** What the guard must know of the server. */
export interface GuardOptions {
  /** Where it listens, as it was asked for. */
  readonly host: string;
  readonly isSecure: boolean;
  /** Other names under which it may be asked. */
  readonly hosts: readonly string[];
  /** The origins of pages that may use it. */
  readonly origins: readonly string[];
  readonly headersMax: number;
}

/** What it looks at. */
export interface Incoming {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly socket: { readonly localAddress?: string | undefined };
}

/** A request that may go on. */
export interface Passed {
  /** Without the query. */
  readonly path: string;
  /** What its answer must have as well. */
  readonly headers: Readonly<Record<string, string>>;
  /** A browser asks whether it may ask: that is the whole answer. */
  readonly isPreflight: boolean;
}

/** A refusal of the guard's own, with its reason. */
export interface Refused {
  readonly reason: RefusalReason;
  readonly error: RequestRefusedError;
}

const allowedHeaders =
  "authorization, content-type, accept, idempotency-key, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, vivarium-agent";
const exposedHeaders = "retry-after, www-authenticate, mcp-session-id";
const preflightSeconds = "600";

/** The headers of every answer: nothing is cached, embedded or taken for another type. */
export const answerHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

export class Guard {
  readonly #options: GuardOptions;
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#hosts = new Set([options.host, ...options.hosts].map(bare));
    this.#origins = new Set(options.origins);
  }

  /** Lets a request pass, or says why not. */
  check(incoming: Incoming): Passed | Refused {
    const count = incoming.rawHeaders.length / 2;
    const { headersMax } = this.#options;
    if (count > headersMax)
      return refused("headers", 431, `there must be at most ${headersMax} headers: got ${count}`);
    if (!this.#isHost(incoming))
      return refused("host", 421, "its Host must be a name of this server (hosts): got another one");
    if (!this.#isOrigin(incoming))
      return refused(
        "origin",
        403,
        "its Origin must be this server's own, or among origins: got another one",
      );
    let path: string;
    try {
      path = checkAddress(incoming.url ?? "");
    } catch (error) {
      if (error instanceof RequestRefusedError) return { reason: "address", error };
      throw error;
    }
    const { method, headers } = incoming;
    const isPreflight =
      method === "OPTIONS" &&
      headers.origin !== undefined &&
      headers["access-control-request-method"] !== undefined;
    return { path, isPreflight, headers: this.#sharing(headers.origin, isPreflight) };
  }

  #isHost({ headers, rawHeaders, socket }: Incoming): boolean {
    // Of two, one reader takes the first and another the last.
    const given = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
    const name = given.length === 1 ? hostnameOf(headers.host ?? "") : null;
    if (name === null) return false;
    if (isLoopback(name) || this.#hosts.has(name)) return !isWildcard(name);
    // A server for every address of the machine is asked by the one that the connection came to.
    return isWildcard(this.#options.host) && bare(socket.localAddress ?? "") === name;
  }

  #isOrigin(incoming: Incoming): boolean {
    const { headers } = incoming;
    const { origin } = headers;
    if (origin !== undefined) return this.#origins.has(origin) || this.#isOwn(origin, headers.host);
    // Pictures, scripts and links of other sites come without an origin; browsers say so here.
    const site = headers["sec-fetch-site"];
    return site === undefined || site === "same-origin" || site === "none" || isPageOpened(incoming);
  }

  #isOwn(origin: string, host: string | undefined): boolean {
    return origin === `${this.#options.isSecure ? "https" : "http"}://${host?.toLowerCase()}`;
  }

  #sharing(origin: string | undefined, isPreflight: boolean): Passed["headers"] {
    if (this.#origins.size === 0) return {};
    if (origin === undefined || !this.#origins.has(origin)) return { vary: "origin" };
    const own = { vary: "origin", "access-control-allow-origin": origin };
    if (!isPreflight) return { ...own, "access-control-expose-headers": exposedHeaders };
    return {
      ...own,
      "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers": allowedHeaders,
      "access-control-max-age": preflightSeconds,
    };
  }
}

// A link of another page leads to the dashboard, whose own page says nothing; what it embeds it may not.
function isPageOpened({ method, url = "", headers }: Incoming): boolean {
  const isPage = method === "GET" && url.replace(/\?.*$/s, "") === "/";
  const destination = headers["sec-fetch-dest"];
  const isWhole = destination === undefined || destination === "document";
  return isPage && isWhole && headers["sec-fetch-mode"] === "navigate";
}

/** A word for an option that names an origin; null where it is none. */
export function originOf(text: string): string | null {
  return URL.canParse(text) && new URL(text).origin === text ? text : null;
}

/** The same for a name of this server. */
export function hostOf(text: string): string | null {
  const name = hostnameOf(text);
  return name !== null && bare(text) === name && !isWildcard(name) ? name : null;
}

function refused(reason: RefusalReason, status: number, rule: string): Refused {
  return { reason, error: new RequestRefusedError(`Cannot serve the request as ${rule}`, status) };
}

/** The reason of an answer that the operations gave themselves, where it is a refusal. */
export function reasonOfStatus(status: number): RefusalReason | null {
  return (
    ({ 401: "token", 403: "scope", 405: "method", 413: "body", 415: "body", 429: "quota" } as const)[
      status
    ] ?? null
  );
}
