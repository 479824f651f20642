// A server over a runtime, asked as its callers do.
import assert from "node:assert/strict";
import { after } from "node:test";
import type { Problem } from "../../src/contract/problem.ts";
import type { ErrorCode, Runtime } from "../../src/index.ts";
import {
  createServer,
  openGate,
  type Caller,
  type Server,
  type ServerOptions,
} from "../../src/server/index.ts";
import { startRuntime } from "./runtimes.ts";

export interface AskOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Served {
  readonly runtime: Runtime;
  readonly server: Server;
  /** A request, as in `ask("POST /v1/once", { body })`. */
  readonly ask: (what: string, options?: AskOptions) => Promise<Response>;
  /** The document that answers a request which must succeed. */
  readonly give: <T = Record<string, unknown>>(what: string, options?: AskOptions) => Promise<T>;
  /** The problem that answers a request which must fail with this code. */
  readonly refuse: (what: string, code: ErrorCode, options?: AskOptions) => Promise<Problem>;
}

/** A server over a small runtime; both are closed when the tests of the file are done. */
export async function serve(options: ServerOptions = {}, runtime?: Runtime): Promise<Served> {
  const own = runtime ?? (await startRuntime());
  const server = createServer(own, options.access === undefined ? { gate: openGate(), ...options } : options);
  after(() => server.close());
  const ask: Served["ask"] = async (what, { body, headers, signal } = {}) => {
    const [method = "GET", path = "/"] = what.split(" ");
    return server.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
        ...(signal !== undefined && { signal }),
      }),
    );
  };
  return {
    runtime: own,
    server,
    ask,
    give: async <T>(what: string, asked?: AskOptions) => {
      const response = await ask(what, asked);
      const text = await response.text();
      assert.ok(response.ok, `${what}: ${response.status} ${text}`);
      // What it holds is the test's own claim.
      return (text === "" ? undefined : JSON.parse(text)) as T;
    },
    refuse: async (what, code, asked) => {
      const response = await ask(what, asked);
      const text = await response.text();
      assert.equal(response.headers.get("content-type"), "application/problem+json", `${what}: ${text}`);
      const problem = JSON.parse(text) as Problem; // As the content-type says.
      assert.equal(problem.code, code, `${what}: ${text}`);
      assert.equal(problem.status, response.status);
      return problem;
    },
  };
}

/** A gate for which everybody is this caller. */
export const gateOf = (caller: Partial<Caller>): NonNullable<ServerOptions["gate"]> =>
  openGate({ tokenId: "tested", scope: "admin", tenant: null, ...caller });

/** The lines of an answer in NDJSON. */
export async function linesOf<L = Record<string, unknown>>(response: Response): Promise<readonly L[]> {
  const text = await response.text();
  assert.equal(response.headers.get("content-type"), "application/x-ndjson", text);
  // What they hold is the test's own claim.
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as L);
}
