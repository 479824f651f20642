// The server: one `fetch` for every operation of a runtime, which is mounted wherever requests come from.
import { readFileSync } from "node:fs";
import { Hono } from "hono";
import { openApiDocument } from "../contract/document.ts";
import type { Tracker } from "../evolution/index.ts";
import type { Runtime } from "../index.ts";
import { RuntimeClosedError } from "../model/errors.ts";
import { fields, integer } from "../model/schema.ts";
import { Access } from "./access/access.ts";
import { RequestRefusedError } from "./access/refusals.ts";
import { addRoutes } from "./app.ts";
import type { Gate } from "./gate.ts";
import type { Parts } from "./handler.ts";
import { EventLog } from "./held/event-log.ts";
import { Handles } from "./held/handles.ts";
import type { HeldSession } from "./held/held-session.ts";
import type { HeldStream } from "./held/held-stream.ts";
import { Idempotency } from "./held/idempotency.ts";
import { problemResponse } from "./http/problems.ts";
import { checkRuntime, readServerOptions, type ServerOptions } from "./options.ts";
import { ownTracker } from "./own-tracker.ts";
import { Underway } from "./underway.ts";

/** How a server is ended. */
export interface ServerCloseOptions {
  /** How long what is under way may go on; streams of events end at once. Default: 0. */
  readonly graceMs?: number;
}

/** Answers requests by a runtime, which stays its owner's: closing the server does not close it. */
export interface Server extends AsyncDisposable {
  /** Answers one request. Closing its connection, so that its signal is aborted, cancels what was asked for. */
  fetch(request: globalThis.Request, env?: unknown): Promise<Response>;
  /** What it answers for. */
  readonly runtime: Runtime;
  /** What lets requests in. */
  readonly gate: Gate;
  /** What answers questions of lineage: the one that it was given, or its own. */
  tracker(): Promise<Tracker>;
  /** The token that was made up, where no access was given; else null. */
  readonly token: string | null;
  /** How many requests are under way, answers in lines included, and what is open between requests. */
  readonly load: { readonly requests: number; readonly streams: number; readonly sessions: number };
  /** Takes no other requests, and ends all that is under way or open. Resolves when that is done, within a few seconds. */
  close(options?: ServerCloseOptions): Promise<void>;
}

const closeOptions = fields({ graceMs: integer({ min: 0, max: 86_400_000, default: 0 }) }, "close()");
/** How long what was aborted may take to end. */
const endMs = 5_000;

/** Makes a server of a runtime. */
export function createServer(runtime: Runtime, options: ServerOptions = {}): Server {
  checkRuntime(runtime);
  return new RuntimeServer(runtime, options);
}

class RuntimeServer implements Server {
  readonly token: string | null;
  readonly #app = new Hono();
  readonly #parts: Parts;
  readonly #underway = new Underway();
  readonly #ends: (() => void | Promise<void>)[] = [];
  #closing: Promise<void> | undefined;

  constructor(runtime: Runtime, options: ServerOptions) {
    const { access: gate, tracker, bounds, clock, mcp, dashboard } = readServerOptions(options);
    this.token = gate instanceof Access ? gate.generatedToken : null;
    if (gate instanceof Access) {
      gate.attach(runtime);
      this.#ends.push(() => gate.close());
    }
    const own = tracker === undefined ? ownTracker(runtime) : undefined;
    if (own !== undefined) this.#ends.push(own.close);
    const streamBounds = { all: bounds.streams, perToken: bounds.streamsPerToken };
    const sessionBounds = { all: bounds.sessions, perToken: bounds.sessionsPerToken };
    const logBounds = { eventsMax: bounds.replayEvents, bytesMax: bounds.replayBytes };
    this.#parts = {
      runtime,
      gate,
      clock,
      bounds,
      tracker: async () => tracker ?? (own === undefined ? Promise.reject(new TypeError()) : own.get()),
      streams: new Handles<HeldStream>("stream", streamBounds, clock),
      sessions: new Handles<HeldSession>("session", sessionBounds, clock),
      events: new EventLog(runtime.events, logBounds, clock),
      version,
    };
    const { streams, sessions } = this.#parts;
    this.#ends.push(
      runtime.events.on(
        "sandbox.destroy.stop",
        ({ sandboxId }) => {
          streams.endOf(sandboxId);
          sessions.endOf(sandboxId);
        },
        { background: true },
      ),
    );
    const { idempotencyKeys: keysMax, idempotencyBytes: bytesMax } = bounds;
    const idempotency = new Idempotency({ keysMax, bytesMax }, clock);
    addRoutes(this.#app, { parts: this.#parts, idempotency, underway: this.#underway });
    if (mcp !== undefined)
      this.#app.all("/mcp", async ({ req }) => {
        if (this.#underway.isClosed) throw new RuntimeClosedError("answer");
        return mcp(req.raw, gate.authenticate(req.raw));
      });
    // It says nothing of this server that the package does not say, so that it needs no token.
    let document: string | undefined;
    this.#app.get("/openapi.json", () => {
      document ??= JSON.stringify(openApiDocument({ version }));
      return new Response(document, { headers: { "content-type": "application/json" } });
    });
    if (dashboard !== null)
      for (const path of ["/", "/assets/:name"]) this.#app.get(path, ({ req }) => dashboard.answer(req.raw));
    this.#app.notFound(() =>
      problemResponse(
        new RequestRefusedError("Cannot answer as the path must be one of the API: it is none", 404),
      ),
    );
    this.#app.onError((error) => problemResponse(error));
  }

  get runtime(): Runtime {
    return this.#parts.runtime;
  }

  tracker(): Promise<Tracker> {
    return this.#parts.tracker();
  }

  get gate(): Gate {
    return this.#parts.gate;
  }

  get load(): Server["load"] {
    const { streams, sessions } = this.#parts;
    return { requests: this.#underway.size, streams: streams.size, sessions: sessions.size };
  }

  async fetch(request: globalThis.Request, env?: unknown): Promise<Response> {
    // A router answers it as GET, and so would make an answer that nobody reads.
    if (request.method === "HEAD") {
      const message = "Cannot answer as the method must be one of the API: got HEAD";
      return problemResponse(
        new RequestRefusedError(message, 405, { allow: "GET, POST, PUT, PATCH, DELETE" }),
      );
    }
    return this.#app.fetch(request, env as object | undefined);
  }

  close(options?: ServerCloseOptions): Promise<void> {
    this.#closing ??= this.#close(closeOptions.read(options, "options").graceMs);
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(graceMs: number): Promise<void> {
    const { streams, sessions, events } = this.#parts;
    this.#underway.refuse();
    events.close();
    if (graceMs > 0) await this.#orLate(graceMs, this.#underway.idle());
    this.#underway.abort();
    const ended = Promise.all([this.#underway.idle(), streams.close(), sessions.close()]);
    await this.#orLate(endMs, ended);
    for (const end of this.#ends) await end();
  }

  async #orLate(ms: number, done: Promise<unknown>): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = this.#parts.clock.after(ms, late.resolve);
    await Promise.race([done, late.promise]);
    timer.cancel();
  }
}

const version = versionOf(
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as unknown,
);

function versionOf(manifest: unknown): string {
  const { version: text } = manifest as { readonly version?: unknown };
  return typeof text === "string" ? text : "unknown";
}
