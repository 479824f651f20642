// The preset `fetch`: pages of origins that were named, and of no other. Names are resolved here, and what they lead to
// is looked at before a connection is made, so that a name cannot lead into this machine's own networks.
import { lookup, type LookupAddress, type LookupOptions } from "node:dns";
import type { IncomingMessage, RequestOptions } from "node:http";
import { isIP } from "node:net";
import { custom, fields, integer, names, refuseOption, type Shape } from "../model/schema.ts";
import { isPublicAddress } from "./addresses.ts";
import { CapabilityRefusal, type Capability, type CapabilityContext } from "./capability.ts";

export interface FetchOptions {
  /** The origins that may be asked, such as "https://example.com". */
  readonly origins: readonly string[];
  /** Origins whose addresses may be private ones; they must be among `origins`. */
  readonly privateOrigins?: readonly string[];
  /** How long a body may be. Default: 1 MiB. */
  readonly bodyBytesMax?: number;
  /** How long one request may take, with all redirects. Default: 10,000. */
  readonly timeoutMs?: number;
}

/** What a guest gets: plain data. */
export interface FetchedPage {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const redirectsMax = 5;
const headersMax = 50;
const MiB = 2 ** 20;

const fetchOptions = fields({
  origins: custom((value, path) => {
    if (value !== undefined) return readOrigins(value, path);
    throw refuseOption({ verb: "set", path, rule: "a list of names", got: value });
  }),
  privateOrigins: custom(readOrigins),
  // What guests get is at most twice as long as the body, and 64 MiB.
  bodyBytesMax: integer({ min: 0, max: 31 * MiB, default: MiB }),
  timeoutMs: integer({ min: 1, max: 300_000, default: 10_000 }),
} satisfies Shape<FetchOptions>);

/** Gives guests `fetch(url)`: GET only, without cookies or headers of theirs. */
export function fetchCapability(options: FetchOptions): Capability {
  const { bodyBytesMax, timeoutMs, ...given } = fetchOptions.read(options, "options");
  const origins = new Set(given.origins);
  const privateOrigins = new Set(given.privateOrigins);
  for (const got of privateOrigins)
    if (!origins.has(got))
      throw refuseOption({ verb: "use", path: "options.privateOrigins", rule: "among origins", got });
  const admit = (url: URL): boolean => {
    if (!origins.has(url.origin)) throw refused(url, "its origin must be one that is allowed");
    if (url.username !== "" || url.password !== "") throw refused(url, "it must have no password");
    return privateOrigins.has(url.origin);
  };
  return {
    timeoutMs,
    resultBytes: 2 * bodyBytesMax + MiB,
    args: (args) => {
      const list = args as readonly unknown[];
      return (list.length === 1 && typeof list[0] === "string") || "it is one URL";
    },
    async run([given], context) {
      let url = URL.parse(given as string);
      if (url === null) throw new CapabilityRefusal("Cannot fetch as the URL must be one: it is not");
      for (let redirects = 0; redirects <= redirectsMax; redirects++) {
        const response = await open(url, admit(url), context);
        const { location } = response.headers;
        const isRedirect = [301, 302, 303, 307, 308].includes(response.statusCode ?? 0);
        if (!isRedirect || location === undefined) return toPage(url, response, bodyBytesMax);
        response.destroy();
        const next = URL.parse(location, url);
        if (next === null) throw refused(url, "it must redirect to a URL");
        url = next;
      }
      throw refused(url, `it must not redirect more than ${redirectsMax} times`);
    },
  };
}

function readOrigins(value: unknown, path: string): readonly string[] {
  return names.read(value, path).map((text) => {
    const url = URL.parse(text);
    const isGood =
      url !== null && ["http:", "https:"].includes(url.protocol) && url.origin === text.replace(/\/$/, "");
    if (isGood) return url.origin;
    throw refuseOption({ verb: "use", path, rule: 'like "https://example.com"', got: text });
  });
}

function refused(url: URL, why: string): CapabilityRefusal {
  return new CapabilityRefusal(`Cannot fetch ${url.origin} as ${why}`);
}

async function open(
  url: URL,
  mayBePrivate: boolean,
  { signal }: CapabilityContext,
): Promise<IncomingMessage> {
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !mayBePrivate && !isPublicAddress(literal))
    throw refused(url, "its address must be a public one");
  const options: RequestOptions = {
    method: "GET",
    signal,
    agent: false,
    headers: { accept: "*/*", "user-agent": "vivarium", "accept-encoding": "identity" },
    lookup: (name, wanted, done) => lookUp(name, wanted, { mayBePrivate, done: done as Found }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // Loaded with the first request: an import would take a tenth of a second of every start.
  const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
  const sent = request(url, options, resolve);
  sent.on("error", (error) => reject(error instanceof PrivateAddress ? refused(url, error.message) : error));
  sent.end();
  return promise;
}

type Found = (error: Error | null, found: string | LookupAddress[], family?: number) => void;

class PrivateAddress extends Error {}

// One private address among many is enough to refuse: any of them could be used.
function lookUp(
  name: string,
  wanted: LookupOptions,
  { mayBePrivate, done }: { readonly mayBePrivate: boolean; readonly done: Found },
): void {
  lookup(name, { ...wanted, all: true }, (error, found) => {
    if (error !== null) return done(error, []);
    const isOpen = mayBePrivate || found.every(({ address }) => isPublicAddress(address));
    if (!isOpen || found.length === 0)
      return done(new PrivateAddress("its address must be a public one"), []);
    if (wanted.all === true) return done(null, found);
    const [first] = found as [LookupAddress];
    done(null, first.address, first.family);
  });
}

async function toPage(url: URL, response: IncomingMessage, bytesMax: number): Promise<FetchedPage> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      response.destroy();
      throw refused(url, `its body must be at most ${bytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  const headers = Object.entries(response.headers)
    .filter(([name]) => name !== "set-cookie")
    .slice(0, headersMax)
    .map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")] as const);
  return {
    url: url.href,
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    text: Buffer.concat(chunks).toString("utf8"),
  };
}
