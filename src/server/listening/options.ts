// The options of a listening server, checked and complete.
import { InvalidOptionsError } from "../../model/errors.ts";
import {
  boolean,
  custom,
  fields,
  func,
  integer,
  isRecord,
  isTexts,
  oneOf,
  refuseOption,
  text,
  type Read,
  type Schema,
  type Shape,
} from "../../model/schema.ts";
import { systemClock, type Clock } from "../../std/clock.ts";
import { hostOf, originOf, type RefusalReason } from "../guard/guard.ts";

/** What is said of a refused request: words of the server's own, and none of the client's. */
export interface Refusal {
  readonly reason: RefusalReason;
  readonly status: number;
  /** The operation that was asked for; null where the address names none. */
  readonly operation: string | null;
  /** The address that it came from. */
  readonly remote: string;
}

/** Bounds on connections; all of them are there against clients that hold what others need. */
export interface ListenBounds {
  /** Connections at a time. Default: 4,096. */
  readonly connections?: number;
  /** Connections at a time from one address. Default: 2,048. */
  readonly connectionsPerRemote?: number;
  /** How long a connection may take to send the headers of its request. Default: 10,000. */
  readonly headersMs?: number;
  /** How long it may take to send the whole request. Default: 120,000. */
  readonly requestMs?: number;
  /** How long it may be open without a request. Default: 5,000. */
  readonly keepAliveMs?: number;
  /** How long the reader of an answer may take none of what waits for it. Default: 30,000. */
  readonly stallMs?: number;
  /** How many headers a request may have. Default: 100. */
  readonly headers?: number;
  /** How long they may be together. Default: 16,384. */
  readonly headerBytes?: number;
}

export interface ListenOptions {
  /** The address to listen at. Default: 127.0.0.1, which only this machine can reach. */
  readonly host?: string;
  /** Its port. Default: 0, any that is free. */
  readonly port?: number;
  /** A certificate and its key, in PEM. Default: none, and no TLS. */
  readonly tls?: { readonly key: string | Uint8Array; readonly cert: string | Uint8Array };
  /** Other machines may reach it without TLS, as behind a proxy that has it: tokens go over the network as they are. Default: false. */
  readonly publicWithoutTls?: boolean;
  /** Other names under which it may be asked, as behind a proxy. Default: none. */
  readonly hosts?: readonly string[];
  /** The origins of web pages that may use it, as in https://example.org. Default: none but its own. */
  readonly origins?: readonly string[];
  /** Who may read `/metrics`: whoever has a token for the whole runtime, everybody, or nobody. Default: `token`. */
  readonly metrics?: "token" | "public" | "off";
  /** How long requests that are under way may go on once it is to close. Default: 10,000. */
  readonly drainMs?: number;
  readonly bounds?: ListenBounds;
  /** Called for every request that is refused. */
  readonly onRefused?: (refusal: Refusal) => void;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

const dayMs = 86_400_000;

const listenBounds = fields({
  connections: integer({ min: 1, max: 1_000_000, default: 4_096 }),
  connectionsPerRemote: integer({ min: 1, max: 1_000_000, default: 2_048 }),
  headersMs: integer({ min: 10, max: dayMs, default: 10_000 }),
  requestMs: integer({ min: 10, max: dayMs, default: 120_000 }),
  keepAliveMs: integer({ min: 1, max: dayMs, default: 5_000 }),
  stallMs: integer({ min: 10, max: dayMs, default: 30_000 }),
  headers: integer({ min: 8, max: 10_000, default: 100 }),
  headerBytes: integer({ min: 1_024, max: 2 ** 20, default: 16_384 }),
} satisfies Shape<ListenBounds>);

// Each is compared as it stands, so that what could never match is refused at once.
function listOf(rule: string, read: (text: string) => string | null): Schema<readonly string[]> {
  return custom((value = [], path, refuse = refuseOption) => {
    if (!isTexts(value)) throw refuse({ verb: "use", path, rule: `a list of ${rule}`, got: value });
    return value.map((each) => {
      const known = read(each);
      if (known === null) throw refuse({ verb: "use", path, rule: `a list of ${rule}`, got: each });
      return known;
    });
  });
}

// A key is shown to nobody, also where it is none.
const tls: Schema<ListenOptions["tls"]> = custom((value, path) => {
  if (value === undefined) return undefined;
  const { key, cert } = isRecord(value) ? value : {};
  const isPem = (one: unknown): boolean => typeof one === "string" || one instanceof Uint8Array;
  if (isPem(key) && isPem(cert)) return value as NonNullable<ListenOptions["tls"]>;
  const rule = "it must have key and cert, each a text or bytes in PEM";
  throw new InvalidOptionsError(`Cannot use ${path} as ${rule}: got others`, path);
});

const clock: Schema<Clock> = custom((value) => (value as Clock | undefined) ?? systemClock);

const listenOptions = fields(
  {
    host: text({ max: 253, default: "127.0.0.1" }),
    port: integer({ min: 0, max: 65_535, default: 0 }),
    tls,
    publicWithoutTls: boolean(false),
    hosts: listOf("names without a port", hostOf),
    origins: listOf("origins, as in https://example.org", originOf),
    metrics: oneOf(["token", "public", "off"], "token"),
    drainMs: integer({ min: 0, max: dayMs, default: 10_000 }),
    bounds: listenBounds,
    onRefused: func<(refusal: Refusal) => void>(),
    clock,
  } satisfies Shape<ListenOptions>,
  "listen()",
);

export type ReadListenOptions = Read<typeof listenOptions>;

export function readListenOptions(given: unknown): ReadListenOptions {
  return listenOptions.read(given, "options");
}
