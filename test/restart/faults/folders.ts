// Runtimes on data folders that faults are done to: small guests, what a client hears of the store, and what a folder has.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import {
  createRuntime,
  unwrap,
  type ErrorCode,
  type Runtime,
  type RuntimeOptions,
  type Sandbox,
  type SandboxInfo,
  type SandboxSpec,
  type VivariumError,
} from "../../../src/index.ts";
import { errorOf } from "../../support/errors.ts";
import { until } from "../../support/waiting.ts";

/** A guest that says which code it has. */
export const plain = (tag = 1): SandboxSpec => ({ modules: { main: `export const tag = () => ${tag};` } });

const counterSource = (tag: number): string => `
  import { server, supervisor } from "vivarium/guest";
  const Counter = server({ name: "counter", init: () => ({ count: 0 }),
    handleCall: (message, state) => message === "look"
      ? { reply: state.count, state } : { reply: state.count + 1, state: { count: state.count + 1 } } });
  export const tag = () => ${tag};
  export default supervisor({ children: [{ id: "counter", start: Counter }] });`;

/** A guest whose process counts messages, and is stored after each of them. */
export const counter = (tag = 1): SandboxSpec => ({
  modules: { main: counterSource(tag) },
  supervisor: "main",
  checkpoint: "message",
});

export const tagOf = async (sandbox: Sandbox): Promise<number> =>
  unwrap(await sandbox.call<number>("main.tag"));
export const next = async (sandbox: Sandbox): Promise<number> =>
  unwrap(await sandbox.ask<number>("counter", "next"));
export const look = async (sandbox: Sandbox): Promise<number> =>
  unwrap(await sandbox.ask<number>("counter", "look"));

/** Evaluates one sandbox to this score. */
export async function score(runtime: Runtime, id: string, value: number): Promise<void> {
  const [result] = await runtime.batch.evaluate([id], () => value);
  assert.equal(result?.ok === true && result.score, value);
}

export interface Opened extends AsyncDisposable {
  readonly runtime: Runtime;
  /** What the store has told, in order. */
  readonly told: readonly string[];
  /** Resolves when the store is well again, and has told so. */
  restored(): Promise<void>;
}

/** A runtime with one cell on a data folder, when all that is in there is loaded. */
export async function open(path: string, options: RuntimeOptions = {}): Promise<Opened> {
  const cells = { count: 1, spare: 0, warm: 2 };
  const opened = listenTo(await createRuntime({ data: path, cells, ...options }));
  await until("all is loaded", async () => (await opened.runtime.health()).store.recovered !== null);
  return opened;
}

/** The error with which a start on a folder must be refused. */
export function refusedStart(path: string, code: ErrorCode = "STORE_FAILED"): Promise<VivariumError> {
  return errorOf(async () => {
    await using _ = await open(path);
    return "a runtime";
  }, code);
}

export function listenTo(runtime: Runtime): Opened {
  const told: string[] = [];
  runtime.events.on("store.degraded", () => told.push("degraded"));
  runtime.events.on("store.restored", () => told.push("restored"));
  return {
    runtime,
    told,
    restored: async () => {
      await until("the store is well again", () => told.at(-1) === "restored");
      const { status, store } = await runtime.health();
      assert.deepEqual([status, store.state, store.reason], ["ok", "ok", null]);
    },
    // For a test that failed: others close it themselves, and look at how that ends.
    [Symbol.asyncDispose]: () => runtime.close().catch(() => {}),
  };
}

/** Asserts that the store says of itself that it cannot be written, and why. */
export async function assertDegraded({ runtime, told }: Opened, why: RegExp): Promise<void> {
  const { status, store } = await runtime.health();
  assert.deepEqual([status, store.state, told.at(-1)], ["degraded", "degraded", "degraded"]);
  assert.match(store.reason ?? "", why);
}

/** What a runtime has, by id: its status and what can be seen of code, states and fitness. */
export async function seenIn(runtime: Runtime): Promise<Readonly<Record<string, string>>> {
  const infos = await runtime.list();
  return Object.fromEntries(
    await Promise.all(infos.map(async (info) => [info.id, await describe(runtime, info)])),
  );
}

/** What a new runtime on a folder finds there. */
export async function contentsOf(path: string): Promise<Readonly<Record<string, string>>> {
  await using opened = await open(path);
  return await seenIn(opened.runtime);
}

async function describe(runtime: Runtime, { id, status, fitness, revision }: SandboxInfo): Promise<string> {
  const sandbox = await runtime.get(id);
  const { modules, state } = await sandbox.export();
  const tag = /tag = \(\) => (\d+)/.exec(modules["main"]?.at(-1)?.source ?? "")?.[1];
  const counted = state?.servers.map((server) => ` count ${/\d+/.exec(server.state)?.[0]}`).join("") ?? "";
  const scored = fitness === null ? "" : ` score ${fitness.score}`;
  return `${status} revision ${revision} code ${tag}${counted}${scored}`;
}

/** Runs SQL in a process of its own, as this one has locks on the database; gives the rows. */
export function sql(path: string, text: string): readonly Readonly<Record<string, unknown>>[] {
  const program = `const { DatabaseSync } = require("node:sqlite");
    const database = new DatabaseSync(process.argv[1], { timeout: 5000 });
    console.log(JSON.stringify(database.prepare(process.argv[2]).all()));`;
  const args = ["--no-warnings", "-e", program, join(path, "vivarium.db"), text];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as ReturnType<typeof sql>;
}
