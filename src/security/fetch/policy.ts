// What guests may ask for by way of `fetch`: origins, methods, headers and how long bodies are.
import { custom, fields, integer, names, refuseOption, type Shape } from "../../model/schema.ts";
import { CapabilityRefusal } from "../capability.ts";

export interface FetchOptions {
  /** The origins that may be asked, such as "https://example.com". */
  readonly origins: readonly string[];
  /** Origins whose addresses may be private ones; they must be among `origins`. */
  readonly privateOrigins?: readonly string[];
  /** The methods that guests may use. Default: GET and HEAD. */
  readonly methods?: readonly string[];
  /** The request headers that guests may set. Default: accept, accept-language, content-type, content-language, range and the conditional ones. */
  readonly requestHeaders?: readonly string[];
  /** How long the body of a request may be. Default: 64 KiB. */
  readonly requestBytesMax?: number;
  /** How long the body of a response may be. Default: 1 MiB. */
  readonly bodyBytesMax?: number;
  /** How long one request may take, with all redirects and the whole body. Default: 10,000. */
  readonly timeoutMs?: number;
}

/** The options, complete and checked. */
export interface FetchPolicy {
  readonly methods: ReadonlySet<string>;
  readonly requestHeaders: ReadonlySet<string>;
  readonly requestBytesMax: number;
  readonly bodyBytesMax: number;
  readonly timeoutMs: number;
  /** Throws where the URL may not be asked; returns whether its address may be a private one. */
  readonly admit: (url: URL) => boolean;
}

const KiB = 2 ** 10;
const MiB = 2 ** 20;
const tokenForm = /^[!#$%&'*+.^_`|~\w-]{1,100}$/;
const usualHeaders = [
  "accept",
  "accept-language",
  "content-type",
  "content-language",
  "range",
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-unmodified-since",
  "if-range",
];
/** What says where a message goes and where it ends: never a guest's to set. */
const ownHeaders =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|keep-alive|expect|accept-encoding|via|origin|referer|user-agent|(?:proxy|sec)-.*)$/;
/** Whose use would change what a connection is. */
const ownMethods = new Set(["CONNECT", "TRACE", "TRACK"]);

const fetchOptions = fields({
  origins: custom((value, path) => {
    if (value !== undefined) return readOrigins(value, path);
    throw refuseOption({ verb: "set", path, rule: "a list of names", got: value });
  }),
  privateOrigins: custom(readOrigins),
  methods: custom((value, path) => (value === undefined ? ["GET", "HEAD"] : readMethods(value, path))),
  requestHeaders: custom((value, path) => (value === undefined ? usualHeaders : readHeaders(value, path))),
  // It travels as text, in a request of at most 1 MiB.
  requestBytesMax: integer({ min: 0, max: 700 * KiB, default: 64 * KiB }),
  // What guests get is at most twice as long as the body, and 64 MiB.
  bodyBytesMax: integer({ min: 0, max: 31 * MiB, default: MiB }),
  timeoutMs: integer({ min: 1, max: 300_000, default: 10_000 }),
} satisfies Shape<FetchOptions>);

export function readPolicy(options: FetchOptions): FetchPolicy {
  const { requestBytesMax, bodyBytesMax, timeoutMs, ...given } = fetchOptions.read(options, "options");
  const origins = new Set(given.origins);
  const privateOrigins = new Set(given.privateOrigins);
  for (const got of privateOrigins)
    if (!origins.has(got))
      throw refuseOption({ verb: "use", path: "options.privateOrigins", rule: "among origins", got });
  return {
    methods: new Set(given.methods),
    requestHeaders: new Set(given.requestHeaders),
    requestBytesMax,
    bodyBytesMax,
    timeoutMs,
    admit: (url) => {
      if (!origins.has(url.origin)) throw refused(url, "its origin must be one that is allowed");
      if (url.username !== "" || url.password !== "") throw refused(url, "it must have no password");
      return privateOrigins.has(url.origin);
    },
  };
}

/** A refusal that a guest may read: it names nothing that the guest does not know. */
export function refused(url: URL, why: string): CapabilityRefusal {
  return new CapabilityRefusal(`Cannot fetch ${url.origin} as ${why}`);
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

function readMethods(value: unknown, path: string): readonly string[] {
  return names.read(value, path).map((name) => {
    const method = name.toUpperCase();
    if (tokenForm.test(name) && !ownMethods.has(method)) return method;
    throw refuseOption({
      verb: "use",
      path,
      rule: 'a method like "POST", and none that makes a tunnel',
      got: name,
    });
  });
}

function readHeaders(value: unknown, path: string): readonly string[] {
  return names.read(value, path).map((name) => {
    const header = name.toLowerCase();
    if (tokenForm.test(name) && !ownHeaders.test(header)) return header;
    const rule = 'a header like "authorization", and none that is the connection\'s own';
    throw refuseOption({ verb: "use", path, rule, got: name });
  });
}
