// What a guest has beside the rest of its globals where it was granted a capability that serves `fetch`.

/** A body, read piece by piece. */
interface BodyStream extends AsyncIterable<Uint8Array> {
  readonly locked: boolean;
  cancel(reason?: unknown): Promise<void>;
  getReader(): {
    read(): Promise<{ readonly value: Uint8Array | undefined; readonly done: boolean }>;
    cancel(reason?: unknown): Promise<void>;
    releaseLock(): void;
  };
}

interface HttpMessage {
  readonly headers: Headers;
  readonly body: BodyStream | null;
  readonly bodyUsed: boolean;
  bytes(): Promise<Uint8Array>;
  arrayBuffer(): Promise<ArrayBuffer>;
  text(): Promise<string>;
  // oxlint-disable-next-line typescript/no-explicit-any -- as everywhere else: what it is only its reader knows
  json(): Promise<any>;
}

type HttpBody = string | URLSearchParams | ArrayBuffer | ArrayBufferView | BodyStream | null;

interface RequestOptions {
  readonly method?: string;
  readonly headers?: HeadersInput;
  readonly body?: HttpBody;
  readonly redirect?: "follow" | "error" | "manual";
  readonly signal?: AbortSignal | null;
}

interface ResponseOptions {
  readonly status?: number;
  readonly statusText?: string;
  readonly headers?: HeadersInput;
}

type HeadersInput = Headers | Readonly<Record<string, string>> | Iterable<readonly [string, string]>;

/** Only where a capability was granted that serves `fetch`, as the three classes. */
declare function fetch(input: string | URL | Request, init?: RequestOptions): Promise<Response>;

declare class Headers implements Iterable<readonly [string, string]> {
  constructor(init?: HeadersInput);
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  forEach(visit: (value: string, name: string, headers: Headers) => void): void;
  entries(): IterableIterator<readonly [string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<readonly [string, string]>;
}

interface Request extends HttpMessage {
  readonly url: string;
  readonly method: string;
  readonly redirect: string;
  readonly signal: AbortSignal;
  clone(): Request;
}
declare var Request: {
  readonly prototype: Request;
  new (input: string | URL | Request, init?: RequestOptions): Request;
};

interface Response extends HttpMessage {
  readonly status: number;
  readonly ok: boolean;
  readonly statusText: string;
  readonly url: string;
  readonly redirected: boolean;
  readonly type: string;
  clone(): Response;
}
declare var Response: {
  readonly prototype: Response;
  new (body?: HttpBody, init?: ResponseOptions): Response;
  json(value: unknown, init?: ResponseOptions): Response;
  redirect(url: string | URL, status?: number): Response;
  error(): Response;
};
