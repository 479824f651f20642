// The preset `fetch`: what origins that were named answer, and no others. A guest asks for whole pages, or for the head of a
// response and then for its body, piece by piece.
import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { isRecord } from "../model/schema.ts";
import type { Capability, CapabilityContext } from "./capability.ts";
import { OpenBodies } from "./fetch/bodies.ts";
import { exchange, headersOf, readAsked } from "./fetch/exchange.ts";
import { readPolicy, refused, type FetchOptions, type FetchPolicy } from "./fetch/policy.ts";

export type { FetchOptions } from "./fetch/policy.ts";

/** What a guest gets: plain data. */
export interface FetchedPage {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The head of a response, and as much of its body as came with it. */
interface FetchedHead extends Pick<FetchedPage, "url" | "status" | "headers"> {
  readonly statusText: string;
  readonly redirected: boolean;
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

const MiB = 2 ** 20;
/** Responses with these have no body. */
const withoutBody = [204, 205, 304];
const made = new WeakSet<object>();

/** Whether it serves the `fetch` of guests, and not only functions that they import. */
export function servesFetch(capability: unknown): boolean {
  return typeof capability === "object" && capability !== null && made.has(capability);
}

/**
 * Gives guests `fetch` with `Headers`, `Request` and `Response`, and the function `fetch(url, { method, headers, body })`, which
 * answers with a whole page. What they may send is up to the options; there are no cookies.
 */
export function fetchCapability(options: FetchOptions): Capability {
  const policy = readPolicy(options);
  const open = new WeakMap<AbortSignal, OpenBodies>();
  const bodiesOf = ({ lifetime }: CapabilityContext): OpenBodies => {
    const bodies = open.get(lifetime) ?? new OpenBodies(lifetime);
    open.set(lifetime, bodies);
    return bodies;
  };
  const capability: Capability = {
    timeoutMs: policy.timeoutMs,
    resultBytes: 2 * policy.bodyBytesMax + MiB,
    args: (args) => isAsked(args as readonly unknown[]) || "it is one URL, and what is sent there",
    async run([first, init], context) {
      if (typeof first === "string") return page(first, init, { policy, context });
      const { open: id, read, end, url } = first as Readonly<Record<string, unknown>>; // As `args` has seen.
      const bodies = bodiesOf(context);
      if (typeof read === "number") return bodies.read(read);
      if (typeof end === "number") return bodies.end(end);
      return head({ id: id as number, url, init }, bodies, { policy, context }); // The same.
    },
  };
  made.add(capability);
  return capability;
}

// Whole pages by a URL; else an object with the number of a body: one that is opened, read or ended.
function isAsked([first, init, ...more]: readonly unknown[]): boolean {
  if (more.length > 0 || (init !== undefined && !isRecord(init))) return false;
  if (typeof first === "string") return true;
  if (!isRecord(first)) return false;
  const numbers = [first["open"], first["read"], first["end"]].filter((id) => id !== undefined);
  return numbers.length === 1 && Number.isSafeInteger(numbers[0]);
}

interface Circumstances {
  readonly policy: FetchPolicy;
  readonly context: CapabilityContext;
}

async function page(given: string, init: unknown, { policy, context }: Circumstances): Promise<FetchedPage> {
  const asked = readAsked(given, init, policy);
  const { url, response } = await exchange(asked, policy, context.signal);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > policy.bodyBytesMax) {
      response.destroy();
      throw refused(url, `its body must be at most ${policy.bodyBytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  return { url: url.href, status: response.statusCode ?? 0, headers: headersOf(response), text };
}

async function head(
  { id, url: given, init }: { readonly id: number; readonly url: unknown; readonly init: unknown },
  bodies: OpenBodies,
  { policy, context }: Circumstances,
): Promise<FetchedHead> {
  const asked = readAsked(given, init, policy);
  const body = bodies.begin(id, policy.timeoutMs);
  try {
    const signal = AbortSignal.any([body.signal, context.signal]);
    const { url, method, isRedirected, response } = await exchange(asked, policy, signal);
    const status = response.statusCode ?? 0;
    body.open(response, { url, bytesMax: policy.bodyBytesMax });
    const piece = await firstPiece(method, response, () => body.take());
    if (piece.isLast) bodies.end(id);
    return {
      // As the web has it: what is behind # is not of the response.
      url: url.href.replace(/#.*$/, ""),
      status,
      statusText: (response.statusMessage ?? "").slice(0, 100),
      headers: headersOf(response),
      redirected: isRedirected,
      ...piece,
    };
  } catch (error) {
    const ending = body.endingOf(error);
    bodies.end(id);
    throw ending;
  }
}

// A short body has mostly come in with the head: it then takes no further request.
async function firstPiece(
  method: string,
  { statusCode = 0 }: IncomingMessage,
  take: () => { bytes: Uint8Array; isLast: boolean },
): Promise<{ bytes: Uint8Array; isLast: boolean }> {
  if (method === "HEAD" || withoutBody.includes(statusCode))
    return { bytes: new Uint8Array(0), isLast: true };
  await setImmediate();
  return take();
}
