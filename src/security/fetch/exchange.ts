// A request with its redirects: each is admitted like the first, and what one may know of another origin it is told.
import type { IncomingMessage } from "node:http";
import { isRecord } from "../../model/schema.ts";
import { CapabilityRefusal } from "../capability.ts";
import { send, type Outgoing } from "./connection.ts";
import { refused, type FetchPolicy } from "./policy.ts";

/** What a guest asks for, read and admitted. */
export interface Asked extends Outgoing {
  readonly redirect: "follow" | "error" | "manual";
}

export interface Exchanged {
  readonly url: URL;
  readonly method: string;
  readonly isRedirected: boolean;
  readonly response: IncomingMessage;
}

const redirectsMax = 5;
const headersMax = 50;
const headerLengthMax = 8_192;
const redirectModes = ["follow", "error", "manual"] as const;
const redirectStatuses = [301, 302, 303, 307, 308];
/** What one origin was told and another must not be. */
const secrets = ["authorization", "cookie", "proxy-authorization"];
const valueForm = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Reads what a guest asks for; throws a refusal where the policy does not allow it. */
export function readAsked(given: unknown, init: unknown, policy: FetchPolicy): Asked {
  const url = typeof given === "string" ? URL.parse(given) : null;
  if (url === null) throw new CapabilityRefusal("Cannot fetch as the URL must be one: it is not");
  // A fragment is the guest's own, and sent to nobody.
  const fields = isRecord(init) ? init : {};
  const { method = "GET", headers = {}, body, redirect = "follow" } = fields;
  if (typeof method !== "string" || !policy.methods.has(method.toUpperCase())) {
    const known = [...policy.methods].join(", ");
    throw refused(url, `its method must be one that is allowed (${known})`);
  }
  const mode = redirectModes.find((name) => name === redirect);
  if (mode === undefined) throw refused(url, "its redirect must be follow, error or manual");
  const name = method.toUpperCase();
  const bytes = readBody(body, url, policy);
  if (bytes !== undefined && (name === "GET" || name === "HEAD"))
    throw refused(url, `a request by ${name} must have no body`);
  return { url, method: name, headers: readHeaders(headers, url, policy), body: bytes, redirect: mode };
}

/** Sends it, and follows where it leads. */
export async function exchange(asked: Asked, policy: FetchPolicy, signal: AbortSignal): Promise<Exchanged> {
  let outgoing: Outgoing = asked;
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const { url, method } = outgoing;
    const response = await send(outgoing, policy.admit(url), signal);
    const { location } = response.headers;
    const isRedirect = redirectStatuses.includes(response.statusCode ?? 0) && location !== undefined;
    if (!isRedirect || asked.redirect === "manual")
      return { url, method, isRedirected: redirects > 0, response };
    response.destroy();
    if (asked.redirect === "error") throw refused(url, "it must not redirect");
    const next = URL.parse(location, url);
    if (next === null) throw refused(url, "it must redirect to a URL");
    outgoing = redirected(outgoing, next, response.statusCode ?? 0);
    if (!policy.methods.has(outgoing.method))
      throw refused(next, `it redirects to ${outgoing.method}, which must be allowed`);
  }
  throw refused(outgoing.url, `it must not redirect more than ${redirectsMax} times`);
}

// As browsers do: a POST that was answered with 301 or 302, and all but GET and HEAD with 303, goes on as GET without its body.
function redirected({ url, method, headers, body }: Outgoing, next: URL, status: number): Outgoing {
  const becomesGet =
    (status === 303 && method !== "GET" && method !== "HEAD") ||
    ((status === 301 || status === 302) && method === "POST");
  const isElsewhere = next.origin !== url.origin;
  const kept = Object.entries(headers).filter(
    ([name]) => !(becomesGet && name.startsWith("content-")) && !(isElsewhere && secrets.includes(name)),
  );
  return {
    url: next,
    method: becomesGet ? "GET" : method,
    headers: Object.fromEntries(kept),
    body: becomesGet ? undefined : body,
  };
}

function readBody(body: unknown, url: URL, { requestBytesMax }: FetchPolicy): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (!(bytes instanceof Uint8Array)) throw refused(url, "its body must be a text or bytes");
  if (bytes.length > requestBytesMax)
    throw refused(url, `the body of a request must be at most ${requestBytesMax} bytes`);
  return bytes;
}

function readHeaders(given: unknown, url: URL, { requestHeaders }: FetchPolicy): Record<string, string> {
  const entries = isRecord(given) ? Object.entries(given) : [];
  if (entries.length > headersMax) throw refused(url, `it must have at most ${headersMax} headers`);
  const headers: Record<string, string> = {};
  for (const [name, value] of entries) {
    const header = name.toLowerCase();
    if (!requestHeaders.has(header))
      throw refused(url, `its header ${JSON.stringify(header.slice(0, 100))} must be one that is allowed`);
    if (typeof value !== "string" || value.length > headerLengthMax || !valueForm.test(value))
      throw refused(
        url,
        `its header ${header} must be a text of at most ${headerLengthMax} letters on one line`,
      );
    headers[header] = value;
  }
  return headers;
}

/** The headers of a response as a guest may see them. */
export function headersOf(response: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(response.headers)
      .filter(([name]) => name !== "set-cookie")
      .slice(0, headersMax)
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}
