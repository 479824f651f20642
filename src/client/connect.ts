// Connects to a server: the address, the token, and what the server says of itself.
import { InvalidOptionsError } from "../model/errors.ts";
import { custom, fields, func, optional, text, type Shape } from "../model/schema.ts";
import { show } from "../model/show.ts";
import { portableClock } from "../std/portable.ts";
import { ConnectedRuntime } from "./remote-runtime.ts";
import { retryOptions } from "./transport/retry.ts";
import { Transport, type Fetch } from "./transport/transport.ts";
import type { ConnectOptions, EventConnection, EventGap, RemoteRuntime } from "./types.ts";
import { readCancel, type Bounds } from "./wire/options.ts";

const { signal, deadlineMs, ...own } = {
  token: text(),
  fetch: func<Fetch>(),
  retry: retryOptions,
  onMissed: func<(gap: EventGap) => void>(),
  onConnection: func<(connection: EventConnection) => void>(),
  signal: custom((value) => value as AbortSignal | undefined),
  deadlineMs: optional(custom((value) => value as number)),
} satisfies Shape<ConnectOptions>;
const connectOptions = fields({ ...own, signal, deadlineMs }, "connect()");

/** Connects to the runtime of a server; rejects at once where nobody answers, or where the server does not know the token. */
export async function connect(url: string | URL, options?: ConnectOptions): Promise<RemoteRuntime> {
  const given = connectOptions.read(options, "options");
  const bounds: Bounds = readCancel({ signal: given.signal, deadlineMs: given.deadlineMs });
  const transport = new Transport({
    url: readUrl(url),
    token: given.token,
    // As a method of another object it would be refused by browsers.
    fetch: given.fetch ?? ((request) => fetch(request)),
    retry: given.retry,
    clock: portableClock,
  });
  const about = await transport.json({
    id: "about",
    what: "connect",
    noun: "the connection",
    bounds,
    isOnce: true,
  });
  const { onMissed, onConnection } = given;
  const { heartbeatMs } = about;
  return new ConnectedRuntime(transport, about, { heartbeatMs, onMissed, onConnection });
}

function readUrl(given: unknown): URL {
  const url = given instanceof URL ? given : typeof given === "string" ? URL.parse(given) : null;
  const isOurs = url !== null && (url.protocol === "http:" || url.protocol === "https:");
  if (isOurs && url.search === "" && url.hash === "" && url.username === "") return url;
  const rule = "the address of a server, as http://127.0.0.1:7420, without a query";
  throw new InvalidOptionsError(`Cannot use url as it must be ${rule}: got ${show(String(given))}`, "url");
}
