// One request to one address. Names are resolved here, and what they lead to is looked at before a connection is made, so that
// a name cannot lead into this machine's own networks.
import { lookup, type LookupAddress, type LookupOptions } from "node:dns";
import type { IncomingMessage, RequestOptions } from "node:http";
import { isIP } from "node:net";
import { isPublicAddress } from "../addresses.ts";
import { refused } from "./policy.ts";

export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** Sends a request and waits for the head of its response. */
export async function send(
  { url, method, headers, body }: Outgoing,
  mayBePrivate: boolean,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !mayBePrivate && !isPublicAddress(literal))
    throw refused(url, "its address must be a public one");
  const options: RequestOptions = {
    method,
    signal,
    agent: false,
    headers: {
      accept: "*/*",
      ...headers,
      "user-agent": "vivarium",
      "accept-encoding": "identity",
      ...(body !== undefined && { "content-length": `${body.length}` }),
    },
    lookup: (name, wanted, done) => lookUp(name, wanted, { mayBePrivate, done: done as Found }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // Loaded with the first request: an import would take a tenth of a second of every start.
  const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
  const sent = request(url, options, resolve);
  sent.on("error", (error) => reject(error instanceof PrivateAddress ? refused(url, error.message) : error));
  sent.end(body);
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
