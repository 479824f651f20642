// A server that listens: Node's own around the operations, with bounds on all that a client can hold, and an end in good order.
import { createServer as createPlainServer, type Server as NodeServer, type ServerOptions } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { InvalidOptionsError, VivariumError } from "../model/errors.ts";
import { show } from "../model/show.ts";
import type { Runtime } from "../index.ts";
import { RequestRefusedError } from "./access/refusals.ts";
import type { Gate } from "./gate.ts";
import { bare, bracketed, isLoopback } from "./guard/addresses.ts";
import { Guard, type RefusalReason } from "./guard/guard.ts";
import { problemOf } from "./listening/answers.ts";
import { Connections } from "./listening/connections.ts";
import { Drain, type DrainReport } from "./listening/drain.ts";
import { Figures } from "./listening/figures.ts";
import {
  readListenOptions,
  type ListenOptions,
  type ReadListenOptions,
  type Refusal,
} from "./listening/options.ts";
import { requestListener } from "./listening/requests.ts";

/** What can be listened for: what `createServer` made. */
export interface Served {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
  readonly runtime: Pick<Runtime, "health" | "metrics">;
  readonly gate: Pick<Gate, "isOpen" | "authenticate" | "require">;
  readonly token: string | null;
}

/** A server that listens. */
export interface Listening extends AsyncDisposable {
  /** As in http://127.0.0.1:7007 */
  readonly url: string;
  readonly port: number;
  /** The token that was made up, where no tokens were given: shown once, as it is nowhere else. */
  readonly token: string | null;
  /**
   * Takes no more work, lets what is under way finish within `drainMs` (of the options, unless it is given), cuts what is left, and
   * ends. Called again, it hastens the first call where its own bound is 0.
   */
  close(options?: { readonly drainMs?: number }): Promise<DrainReport>;
  /** Resolves when it is closed, whoever asked for that. */
  readonly drained: Promise<DrainReport>;
}

/** How often Node looks for requests that take too long to arrive: so often within the shorter bound. */
const looksPerBound = 4;
const keepAliveProbeMs = 30_000;

/** Listens for requests. Rejects with `INVALID_OPTIONS` where others could reach it and its tokens would not be safe. */
export async function listen(served: Served, options: ListenOptions = {}): Promise<Listening> {
  const read = readListenOptions(options);
  checkPublic(served, read);
  const figures = new Figures();
  const refuse = refuser(figures, read);
  const server = nodeServer(read);
  const connections = new Connections(server, read.bounds, (reason, status, remote) =>
    refuse({ reason, status, operation: null, remote }),
  );
  const drain = new Drain(server, connections, read.clock);
  serve(server, served, { read, figures, refuse, connections, drain });
  const { port } = await bound(server, read);
  const host = read.host === "0.0.0.0" ? "127.0.0.1" : read.host === "::" ? "::1" : bare(read.host);
  const { promise: drained, resolve } = Promise.withResolvers<DrainReport>();
  let closing: Promise<DrainReport> | undefined;
  const close: Listening["close"] = ({ drainMs = read.drainMs } = {}) => {
    if (closing !== undefined && drainMs === 0) drain.hasten();
    closing ??= drain.run(drainMs).then(async (report) => {
      await served.close();
      resolve(report);
      return report;
    });
    return closing;
  };
  return {
    url: `${read.tls === undefined ? "http" : "https"}://${bracketed(host)}:${port}`,
    port,
    token: served.token,
    close,
    drained,
    [Symbol.asyncDispose]: async () => void (await close()),
  };
}

// Tokens must not be read on their way, and nobody may come in without one.
function checkPublic({ gate, token }: Served, { host, tls, publicWithoutTls }: ReadListenOptions): void {
  if (isLoopback(host)) return;
  const refuse = (rule: string): InvalidOptionsError =>
    new InvalidOptionsError(
      `Cannot listen at ${show(host)}, where other machines reach it, as ${rule}`,
      "host",
    );
  if (gate.isOpen === true || token !== null) throw refuse("it must have tokens: none are given");
  if (tls === undefined && !publicWithoutTls)
    throw refuse("it must have tls, or publicWithoutTls where a proxy has that: it has neither");
}

function refuser(figures: Figures, { onRefused }: ReadListenOptions): (refusal: Refusal) => void {
  return (refusal) => {
    figures.refused(refusal.reason);
    try {
      onRefused?.(Object.freeze(refusal));
    } catch {
      // A listener that throws must not end what others ask for.
    }
  };
}

function nodeServer({ bounds, tls }: ReadListenOptions): NodeServer {
  const { headersMs, requestMs, keepAliveMs, headerBytes } = bounds;
  const options: ServerOptions = {
    maxHeaderSize: headerBytes,
    headersTimeout: headersMs,
    requestTimeout: Math.max(requestMs, headersMs),
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.max(
      5,
      Math.min(30_000, Math.floor(Math.min(headersMs, requestMs) / looksPerBound)),
    ),
    // Both ends of a connection that was forgotten are noticed by the system.
    keepAlive: true,
    keepAliveInitialDelay: keepAliveProbeMs,
    noDelay: true,
    requireHostHeader: false,
  };
  const server = tls === undefined ? createPlainServer(options) : secureServer(options, tls);
  // Node would drop the headers beyond this number without a word, also those that are looked at: the guard counts them.
  server.maxHeadersCount = 0;
  return server;
}

function secureServer(options: ServerOptions, tls: NonNullable<ReadListenOptions["tls"]>): NodeServer {
  const { headersTimeout: handshakeTimeout = 0 } = options;
  const own = {
    key: asPem(tls.key),
    cert: asPem(tls.cert),
    minVersion: "TLSv1.2",
    handshakeTimeout,
  } as const;
  try {
    return createSecureServer({ ...options, ...own });
  } catch (error) {
    // It names what is wrong, and shows nothing of the key.
    const { code = "an error" } = error as { readonly code?: string };
    const message = `Cannot use tls as it must have a key in PEM and the certificate of that key: got ${code}`;
    throw new InvalidOptionsError(message, "tls");
  }
}

interface Wiring {
  readonly read: ReadListenOptions;
  readonly figures: Figures;
  readonly refuse: (refusal: Refusal) => void;
  readonly connections: Connections;
  readonly drain: Drain;
}

function serve(server: NodeServer, served: Served, wiring: Wiring): void {
  const { read, figures, refuse, connections, drain } = wiring;
  const { hosts, origins, bounds, metrics, clock } = read;
  let streams = 0;
  const isSecure = read.tls !== undefined;
  const guard = new Guard({ host: read.host, isSecure, hosts, origins, headersMax: bounds.headers });
  const isDraining = (): boolean => drain.hasBegun;
  const open = (): Parameters<Figures["text"]>[0] => ({
    connections: connections.size,
    requests: connections.requests,
    streams,
  });
  const listenerFor = requestListener({
    fetch: (request) => served.fetch(request),
    guard,
    begin: (socket) => {
      const end = connections.begin(socket);
      return () => {
        end();
        drain.look();
      };
    },
    figures,
    system: {
      runtime: served.runtime,
      gate: served.gate,
      metrics,
      isDraining,
      figures: () => figures.text(open()),
    },
    streaming: {
      endless: drain.endless,
      onStream: () => {
        streams++;
        return () => void streams--;
      },
    },
    isDraining,
    clock,
    refuse,
  });
  server.on("request", listenerFor("nothing"));
  server.on("checkContinue", listenerFor("continue"));
  server.on("checkExpectation", listenerFor("unknown"));
  server.on("clientError", (error, socket) => onClientError(error, socket as Socket, refuse));
}

const clientErrors: Readonly<Record<string, readonly [status: number, reason: RefusalReason, rule: string]>> =
  {
    HPE_HEADER_OVERFLOW: [431, "headers", "its headers must be shorter: they are too long"],
    HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "body", "its chunks must have no long extensions: they have"],
    ERR_HTTP_REQUEST_TIMEOUT: [408, "slow", "it must arrive in time: it did not"],
  };

// Bytes that are no request: they are answered by a text of ours, and the connection ends.
function onClientError(error: Error, socket: Socket, refuse: Wiring["refuse"]): void {
  const { code = "" } = error as { readonly code?: string };
  if (code === "ECONNRESET" || socket.destroyed) return void socket.destroy();
  const [status, reason, rule] = clientErrors[code] ?? [400, "malformed", "it must be HTTP: it is not"];
  refuse({ reason, status, operation: null, remote: bare(socket.remoteAddress ?? "") });
  if (!socket.writable || socket.bytesWritten > 0) return void socket.destroy();
  const { body } = problemOf(new RequestRefusedError(`Cannot serve the request as ${rule}`, status));
  const head = [
    `HTTP/1.1 ${status} Refused`,
    "Connection: close",
    "Content-Type: application/problem+json",
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  // Nothing more is read from there, also where the client goes on sending.
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

function asPem(given: string | Uint8Array): string | Buffer {
  return typeof given === "string" ? given : Buffer.from(given);
}

function bound(server: NodeServer, { host, port }: ReadListenOptions): Promise<AddressInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<AddressInfo>();
  const onError = (error: Error): void => {
    const { code = "an error" } = error as { readonly code?: string };
    const place = `${bracketed(bare(host))}:${port}`;
    const message = `Cannot listen at ${place} as it must be free and an address of this machine: got ${code}`;
    reject(new VivariumError("INVALID_OPTIONS", message, error));
  };
  server.once("error", onError);
  server.listen({ host: bare(host), port }, () => {
    server.off("error", onError);
    // Listening at a host and a port, it has an address of this form.
    resolve(server.address() as AddressInfo);
  });
  return promise;
}
