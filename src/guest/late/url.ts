// URL and URLSearchParams. Parsing is the cell's (Node's own parser, texts in and out); the objects are ours.
import type { Made, Needs } from "./needs.ts";

interface Parts {
  readonly href: string;
  readonly origin: string;
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
}

const writable = [
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "hash",
] as const;
const readable = ["origin", ...writable] as const;

type UrlHost = Pick<Needs, "parseUrl" | "changeUrl" | "parse">;

let needs: Needs;

/** The two classes, bound to the cell's parser. */
export function make(host: Needs): Made {
  needs = host;
  class URL {
    #parts: Parts;
    readonly #params: SearchParams;

    constructor(input: unknown, base?: unknown) {
      this.#parts = parseParts(host, `${input}`, base === undefined ? undefined : `${base}`);
      this.#params = new SearchParams(this.#parts.search);
      follow(this.#params, (query) => this.#change("search", query));
    }

    static canParse(input: unknown, base?: unknown): boolean {
      return host.parseUrl(`${input}`, base === undefined ? undefined : `${base}`) !== "";
    }

    static parse(input: unknown, base?: unknown): URL | null {
      return URL.canParse(input, base) ? new URL(input, base) : null;
    }

    get href(): string {
      return this.#parts.href;
    }
    set href(value: unknown) {
      this.#parts = parseParts(host, `${value}`, undefined);
      reset(this.#params, this.#parts.search);
    }
    get search(): string {
      return this.#parts.search;
    }
    set search(value: unknown) {
      this.#change("search", `${value}`);
      reset(this.#params, this.#parts.search);
    }
    get searchParams(): SearchParams {
      return this.#params;
    }
    toString(): string {
      return this.#parts.href;
    }
    toJSON(): string {
      return this.#parts.href;
    }

    static {
      readPart = (url, name) => (url as URL).#parts[name];
      writePart = (url, name, value) => (url as URL).#change(name, `${value}`);
    }
    #change(name: string, value: string): void {
      this.#parts = partsIn(host.changeUrl(this.#parts.href, name, value), host, this.#parts.href);
    }
  }
  for (const name of readable) defineProperty(URL.prototype, name);
  tag(URL.prototype, "URL");
  tag(SearchParams.prototype, "URLSearchParams");
  return { URL, URLSearchParams: SearchParams };
}

// As on the web: what shows an object names its class by it, and the names of classes are shortened here.
function tag(prototype: object, name: string): void {
  Object.defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true });
}

let readPart: (url: object, name: (typeof readable)[number]) => string;
let writePart: (url: object, name: string, value: unknown) => void;

function defineProperty(prototype: object, name: (typeof readable)[number]): void {
  const get = function (this: object): string {
    return readPart(this, name);
  };
  const set = function (this: object, value: unknown): void {
    writePart(this, name, value);
  };
  const isWritable = (writable as readonly string[]).includes(name);
  const accessors = isWritable ? { get, set } : { get };
  Object.defineProperty(prototype, name, { enumerable: true, configurable: true, ...accessors });
}

function parseParts(host: UrlHost, input: string, base: string | undefined): Parts {
  return partsIn(host.parseUrl(input, base), host, input);
}

function partsIn(text: string, host: UrlHost, input: string): Parts {
  if (text === "") throw new TypeError(`Invalid URL: ${input.slice(0, 200)}`);
  return host.parse(text) as Parts;
}

type Pair = [string, string];

const followers = new WeakMap<SearchParams, (query: string) => void>();
const follow = (params: SearchParams, act: (query: string) => void): void => void followers.set(params, act);
let reset: (params: SearchParams, query: string) => void;

class SearchParams {
  #pairs: Pair[];

  constructor(init: unknown = "") {
    this.#pairs = pairsOf(init);
  }

  static {
    reset = (params, query) => {
      params.#pairs = pairsOf(query);
    };
    Object.defineProperty(this, "name", { value: "URLSearchParams" });
  }

  get size(): number {
    return this.#pairs.length;
  }
  append(...given: readonly unknown[]): void {
    needArguments(given, 2);
    const [name, value] = given;
    this.#pairs.push([`${name}`, `${value}`]);
    this.#changed();
  }
  delete(...given: readonly unknown[]): void {
    needArguments(given, 1);
    const [name, value] = given;
    this.#pairs = this.#pairs.filter(
      ([key, item]) => key !== `${name}` || (value !== undefined && item !== `${value}`),
    );
    this.#changed();
  }
  get(...given: readonly unknown[]): string | null {
    needArguments(given, 1);
    const [name] = given;
    return this.#pairs.find(([key]) => key === `${name}`)?.[1] ?? null;
  }
  getAll(...given: readonly unknown[]): string[] {
    needArguments(given, 1);
    const [name] = given;
    return this.#pairs.filter(([key]) => key === `${name}`).map(([, value]) => value);
  }
  has(...given: readonly unknown[]): boolean {
    needArguments(given, 1);
    const [name, value] = given;
    return this.#pairs.some(
      ([key, item]) => key === `${name}` && (value === undefined || item === `${value}`),
    );
  }
  set(...given: readonly unknown[]): void {
    needArguments(given, 2);
    const [name, value] = given;
    const at = this.#pairs.findIndex(([key]) => key === `${name}`);
    if (at < 0) return this.append(name, value);
    this.#pairs = this.#pairs.filter(([key], i) => key !== `${name}` || i === at);
    this.#pairs[at] = [`${name}`, `${value}`];
    this.#changed();
  }
  sort(): void {
    this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#changed();
  }
  forEach(visit: (value: string, name: string, params: SearchParams) => void): void {
    for (const [name, value] of this.#pairs) visit(value, name, this);
  }
  *entries(): Generator<Pair> {
    for (const [name, value] of this.#pairs) yield [name, value];
  }
  *keys(): Generator<string> {
    for (const [name] of this.#pairs) yield name;
  }
  *values(): Generator<string> {
    for (const [, value] of this.#pairs) yield value;
  }
  [Symbol.iterator](): Generator<Pair> {
    return this.entries();
  }
  toString(): string {
    return this.#pairs.map(([name, value]) => `${escapeForm(name)}=${escapeForm(value)}`).join("&");
  }
  #changed(): void {
    followers.get(this)?.(this.toString());
  }
}

function pairsOf(init: unknown): Pair[] {
  if (typeof init === "object" && init !== null) {
    const items = Symbol.iterator in init ? [...(init as Iterable<Pair>)] : Object.entries(init);
    return items.map((pair) => {
      const [name, value, ...more] = pair as readonly unknown[]; // Iterated, or it throws.
      if (pair.length < 2 || more.length > 0)
        throw new TypeError("Cannot make search parameters as each must be a name and a value");
      return [`${name as string}`, `${value as string}`];
    });
  }
  const text = `${init}`.replace(/^\?/, "");
  if (text === "") return [];
  return text
    .split("&")
    .filter(Boolean)
    .map((part) => {
      const equals = part.indexOf("=");
      return equals < 0
        ? [unescapeForm(part), ""]
        : [unescapeForm(part.slice(0, equals)), unescapeForm(part.slice(equals + 1))];
    });
}

function escapeForm(text: string): string {
  const percent = (letter: string): string => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text.toWellFormed())
    .replaceAll(/[!'()~]/g, percent)
    .replaceAll("%20", "+");
}

function unescapeForm(text: string): string {
  return text.replaceAll("+", " ").replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) => {
    const bytes = new Uint8Array(escapes.length / 3);
    for (let i = 0; i < bytes.length; i++)
      bytes[i] = Number.parseInt(escapes.slice(i * 3 + 1, i * 3 + 3), 16);
    const { TextDecoder: Decoder } = needs.made("text-coding") as {
      readonly TextDecoder: typeof TextDecoder;
    };
    return new Decoder("utf-8", { ignoreBOM: true }).decode(bytes);
  });
}

function needArguments(given: readonly unknown[], count: number): void {
  if (given.length < count)
    throw new TypeError(
      `Cannot use the search parameters as ${count} arguments must be given: got ${given.length}`,
    );
}
