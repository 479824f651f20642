// What the requests meet: a small runtime and a server that listens, with tokens of every scope and two tenants, and what the
// answers so far have said. After each round nothing of it may be left.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, type Runtime } from "../../../src/index.ts";
import { createServer, listen, type Listening, type Server } from "../../../src/server/index.ts";
import { tokens } from "../../support/listening.ts";
import { fulfilled, until } from "../../support/waiting.ts";
import type { Known } from "./shapes.ts";
import type { Plan } from "./requests.ts";
import type { Answered, Line } from "./sending.ts";
import { operationOf } from "./verdicts.ts";
import { tenantOf, type Who } from "./words.ts";

const MiB = 2 ** 20;
const limits = {
  timeoutMs: 100,
  timeoutMsMax: 250,
  loadMs: 300,
  stepMs: 100,
  compileMs: 1_000,
  memoryBytes: 32 * MiB,
  resultBytes: MiB,
  outputBytes: 20_000,
  logBytes: 20_000,
};
const sandboxesMax = 24;
/** What the tenant `blue` may have, so that what is counted must be counted down as well. */
const blueQuotas = { sandboxes: 6, memoryBytes: 6 * limits.memoryBytes, openStreams: 6 };
/** How many answers of a kind are remembered for later requests. */
const keptMax = 6;
const endMs = 30_000;

const bounds = {
  bodyBytes: 65_536,
  replayEvents: 200,
  streams: 12,
  streamsPerToken: 6,
  sessions: 6,
  sessionsPerToken: 3,
  idempotencyKeys: 8,
  idempotencyBytes: 65_536,
  heartbeatMs: 20,
};

// Which operation answers with what, and the fields of later requests that take it.
const gathered: Readonly<Record<string, readonly (readonly [field: string, member: string])[]>> = {
  openStream: [["streamId", "streamId"]],
  openSession: [["sessionId", "sessionId"]],
  exportSandbox: [["individual", ""]],
  call: [["recording", "recording"]],
  captureState: [["state", ""]],
  checkpoint: [["state", ""]],
};

export class World implements AsyncDisposable, Line {
  readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly runtime: Runtime;
  readonly server: Server;
  readonly #listening: Listening;
  readonly #given = new Map<string, Record<string, unknown[]>>();

  readonly #folder: string;
  #rounds = 0;

  private constructor(folder: string, server: Server, listening: Listening) {
    this.#folder = folder;
    this.runtime = server.runtime;
    this.server = server;
    this.#listening = listening;
  }

  static async open(): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), "fuzzed-"));
    const runtime = await createRuntime({
      limits,
      data: folder,
      journal: { bytesMax: MiB },
      cells: { count: 1, spare: 0, warm: 2 },
      capacity: { sandboxes: sandboxesMax },
      capabilities: { echo: (...args: readonly unknown[]) => args.length },
    });
    const specs = Object.entries(tokens).map(([name, spec]) => ({
      ...spec,
      name,
      ...(name === "blue" ? { quotas: blueQuotas } : {}),
    }));
    const server = createServer(runtime, { access: { tokens: specs }, bounds });
    return new World(folder, server, await listen(server, { metrics: "token" }));
  }

  get port(): number {
    return this.#listening.port;
  }

  /** What a caller may speak of. */
  known(who: Who): Known {
    return { who, given: this.#of(who), keys: [`k${this.#rounds}`, `l${this.#rounds}`] };
  }

  async isAnySuspended(): Promise<boolean> {
    return (await this.runtime.list()).some(({ status }) => status === "suspended");
  }

  /** Remembers what an answer gave. */
  learn(plan: Plan, { status, text, isCut }: Answered): void {
    const wanted = gathered[operationOf(plan) ?? ""];
    if (wanted === undefined || status >= 300 || isCut || !text.startsWith("{")) return;
    const given = this.#of(plan.who);
    for (const [field, member] of wanted) {
      const document = JSON.parse(text.split("\n", 1)[0] ?? "") as Record<string, unknown>;
      const value = member === "" ? document : document[member];
      if (value === undefined) continue;
      given[field] = [value, ...(given[field] ?? [])].slice(0, keptMax);
    }
  }

  #of(who: Who): Record<string, unknown[]> {
    const own = this.#given.get(tenantOf(who)) ?? {};
    this.#given.set(tenantOf(who), own);
    return own;
  }

  /** Destroys all that was made, and fails where something is left or does not answer any more. */
  async clear(): Promise<void> {
    const { runtime, server } = this;
    // What was given up may still be about to make something.
    await until("no request is under way", () => server.load.requests === 0, endMs);
    for (const { id } of await runtime.list()) await runtime.destroy(id).catch(() => {});
    this.#given.clear();
    this.#rounds++;
    const left = (): string => JSON.stringify(server.load);
    await until(
      `nothing is under way or open`,
      () => left() === '{"requests":0,"streams":0,"sessions":0}',
      endMs,
    ).catch((error: unknown) => assert.fail(`${left()}: ${String(error)}`));
    assert.deepEqual(await runtime.list(), [], "a sandbox is left");
    const outcome = await fulfilled("once()", runtime.once("20 + 22"), endMs);
    assert.equal(outcome.ok ? outcome.value : outcome.error.kind, 42, "the runtime answers");
    let told = "";
    const isFree = async (): Promise<boolean> => (told = await this.#refusal()) === "";
    await until("all quotas are free", isFree, endMs).catch(() => assert.fail(`a quota is used up: ${told}`));
  }

  // All that the tenant's quotas allow can be had at once; else what the server says.
  async #refusal(): Promise<string> {
    const ids = Array.from({ length: blueQuotas.sandboxes }, (_, at) => `blue:free-${at}`);
    const modules = { main: "export const f = () => 1;" };
    const made = await this.#batch("create", { specs: ids.map((id) => ({ id, modules })) });
    const gone = await this.#batch("destroy", { ids });
    const isWhole = [made, gone].every((lines) => lines.split('"ok":true').length === ids.length + 1);
    return isWhole ? "" : made + gone;
  }

  async #batch(name: string, body: unknown): Promise<string> {
    const headers = { authorization: `Bearer ${tokens.blue.token}`, "content-type": "application/json" };
    const how = { method: "POST", headers, body: JSON.stringify(body) };
    return (await this.server.fetch(new Request(`http://127.0.0.1/v1/batches/${name}`, how))).text();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.agent.destroy();
    await this.#listening.close({ drainMs: 0 });
    await this.runtime.close();
    rmSync(this.#folder, { recursive: true });
  }
}
