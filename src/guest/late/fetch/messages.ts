// Request and Response, as the Fetch standard has them, as far as they need no browser.
import { BodyStream, bodyOf, copyOfBody, Message, type Source } from "./body.ts";
import type { Needs } from "../needs.ts";
import { Headers } from "./headers.ts";

const methodForm = /^[!#$%&'*+.^_`|~\w-]+$/;
/** Names that are meant whatever their case is. */
const usualMethods = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];
const redirectModes = ["follow", "error", "manual"];
const emptyStatuses = [101, 103, 204, 205, 304];
const redirectStatuses = [301, 302, 303, 307, 308];

let needs: Needs;

/** Runs before any message is made. */
export function connectMessages(given: Needs): void {
  needs = given;
}

export interface RequestInit {
  readonly method?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly redirect?: unknown;
  readonly signal?: unknown;
  readonly integrity?: unknown;
}

export class Request extends Message {
  readonly #url: string;
  readonly #method: string;
  readonly #headers: Headers;
  readonly #redirect: string;
  readonly #signal: AbortSignal;

  constructor(input: unknown, init: RequestInit | null = {}) {
    const from = input instanceof Request ? input : undefined;
    const { method = from?.method ?? "GET", body, integrity, ...given } = init ?? {};
    const name = methodOf(method);
    const isBare = name === "GET" || name === "HEAD";
    if (integrity !== undefined && integrity !== "")
      throw new TypeError("Cannot make a request as integrity must not be set: it is not checked here");
    // A request that is made of another one takes its body.
    const { body: taken, type } = bodyOf(body ?? from?.body);
    if (isBare && taken !== null)
      throw new TypeError(`Cannot make a request as one by ${name} must have no body`);
    super(taken);
    const { URL: Url } = needs.made("url") as { readonly URL: typeof URL };
    this.#url = from === undefined ? new Url(`${input as string}`).href : from.url;
    this.#method = name;
    this.#headers = new Headers(given.headers ?? from?.headers);
    if (type !== undefined && !this.#headers.has("content-type")) this.#headers.set("content-type", type);
    this.#redirect = `${(given.redirect ?? from?.redirect ?? "follow") as string}`;
    if (!redirectModes.includes(this.#redirect))
      throw new TypeError("Cannot make a request as redirect must be follow, error or manual");
    this.#signal = signalOf(given.signal === undefined ? from?.signal : given.signal);
  }

  get url(): string {
    return this.#url;
  }
  get method(): string {
    return this.#method;
  }
  get headers(): Headers {
    return this.#headers;
  }
  get redirect(): string {
    return this.#redirect;
  }
  get signal(): AbortSignal {
    return this.#signal;
  }
  clone(): Request {
    if (this.bodyUsed)
      throw new TypeError("Cannot clone a request as its body must not have been read: it was");
    return new Request(this.#url, {
      method: this.#method,
      headers: this.#headers,
      redirect: this.#redirect,
      signal: this.#signal,
      body: copyOfBody(this),
    });
  }
}

/** What is known of a response that came from elsewhere. */
interface Origin {
  readonly url: string;
  readonly redirected: boolean;
  readonly type: string;
}

let originate: (response: Response, origin: Origin) => void;

export class Response extends Message {
  readonly #status: number;
  readonly #statusText: string;
  readonly #headers: Headers;
  #origin: Origin = { url: "", redirected: false, type: "default" };

  constructor(
    body?: unknown,
    init: {
      readonly status?: unknown;
      readonly statusText?: unknown;
      readonly headers?: unknown;
    } | null = {},
  ) {
    const { status = 200, statusText = "", headers } = init ?? {};
    const code = Number(status);
    if (!Number.isInteger(code) || code < 200 || code > 599)
      throw new RangeError(`Cannot make a response as its status must be 200–599: got ${code}`);
    const { body: taken, type } = bodyOf(body);
    if (taken !== null && emptyStatuses.includes(code))
      throw new TypeError(`Cannot make a response as one with status ${code} must have no body`);
    super(taken);
    this.#status = code;
    this.#statusText = `${statusText as string}`;
    this.#headers = new Headers(headers);
    if (type !== undefined && !this.#headers.has("content-type")) this.#headers.set("content-type", type);
  }

  static {
    originate = (response, origin) => (response.#origin = origin);
  }

  static json(value: unknown, init: { readonly headers?: unknown } | null = {}): Response {
    const text = JSON.stringify(value);
    if (text === undefined) throw new TypeError("Cannot make a response as its value must be data");
    const headers = new Headers(init?.headers);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    return new Response(text, { ...init, headers });
  }

  static redirect(url: unknown, status: unknown = 302): Response {
    const { URL: Url } = needs.made("url") as { readonly URL: typeof URL };
    const location = new Url(`${url as string}`).href;
    if (!redirectStatuses.includes(Number(status)))
      throw new RangeError("Cannot make a response as its status must be that of a redirect");
    return new Response(null, { status, headers: { location } });
  }

  static error(): Response {
    const response = new Response();
    originate(response, { url: "", redirected: false, type: "error" });
    return response;
  }

  get status(): number {
    return this.#origin.type === "error" ? 0 : this.#status;
  }
  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }
  get statusText(): string {
    return this.#statusText;
  }
  get headers(): Headers {
    return this.#headers;
  }
  get url(): string {
    return this.#origin.url;
  }
  get redirected(): boolean {
    return this.#origin.redirected;
  }
  get type(): string {
    return this.#origin.type;
  }
  clone(): Response {
    if (this.bodyUsed)
      throw new TypeError("Cannot clone a response as its body must not have been read: it was");
    const init = { status: this.#status, statusText: this.#statusText, headers: this.#headers };
    const copy = new Response(copyOfBody(this), init);
    originate(copy, this.#origin);
    return copy;
  }
}

/** A response that came in. */
export function responseFrom(
  source: Source | null,
  head: { readonly status: number; readonly statusText: string; readonly headers: object } & Omit<
    Origin,
    "type"
  >,
): Response {
  const { status, statusText, headers, url, redirected } = head;
  const response = new Response(source === null ? null : new BodyStream(source), {
    status,
    statusText,
    headers,
  });
  originate(response, { url, redirected, type: "basic" });
  return response;
}

function methodOf(given: unknown): string {
  const method = `${given as string}`;
  if (!methodForm.test(method)) throw new TypeError("Cannot make a request as its method must be one");
  const upper = method.toUpperCase();
  return usualMethods.includes(upper) ? upper : method;
}

function signalOf(given: unknown): AbortSignal {
  const { AbortSignal: Signal, AbortController: Controller } = needs.made("events") as {
    readonly AbortSignal: typeof AbortSignal;
    readonly AbortController: typeof AbortController;
  };
  if (given === undefined || given === null) return new Controller().signal;
  if (!((given as object) instanceof Signal))
    throw new TypeError("Cannot make a request as its signal must be an AbortSignal");
  return Signal.any([given as AbortSignal]); // It is one.
}
