// What the tests of code, versions and reloads share: a small runtime per file, and short ways to ask and to wait.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { createRuntime, unwrap, VivariumError, type Runtime, type RuntimeOptions } from "../../src/index.ts";
import type { LoadError, ReloadReport, Sandbox } from "../../src/index.ts";

export type Sources = Readonly<Record<string, string>>;

/** Every backend there is; what is promised of modules is promised for each. */
export const backends = ["rolldown", "esbuild"] as const;
export type TestedBackend = (typeof backends)[number];

/** A runtime for all tests of a file or suite; it is there when the first test begins. */
export function runtimeForTests(options: RuntimeOptions = {}): { readonly current: Runtime } {
  const held: { current: Runtime } = { current: undefined as never };
  before(async () => {
    held.current = await createRuntime({
      ...options,
      cells: { count: 1, spare: 1, warm: 4, ...options.cells },
    });
  });
  after(() => held.current?.close());
  return held;
}

/** The value of a call that must succeed. */
export async function ask<T = unknown>(sandbox: Sandbox, target: string, ...args: unknown[]): Promise<T> {
  return unwrap(await sandbox.call<T>(target as `${string}.${string}`, { args }));
}

/** How a call fails, in one word. */
export async function failureKind(sandbox: Sandbox, target: string, ...args: unknown[]): Promise<string> {
  const outcome = await sandbox.call(target as `${string}.${string}`, { args });
  return outcome.ok ? `ok: ${String(outcome.value)}` : outcome.error.kind;
}

/** The typed error with which something must be refused. */
export async function refusalOf(
  act: Promise<unknown> | (() => Promise<unknown>),
  code?: string,
): Promise<LoadError> {
  let value: unknown;
  try {
    value = await (typeof act === "function" ? act() : act);
  } catch (error) {
    assert.ok(
      error instanceof VivariumError,
      `not one of our errors: ${error instanceof Error ? error.stack : error}`,
    );
    if (code !== undefined) assert.equal(error.code, code, error.message);
    return error as LoadError;
  }
  return assert.fail(`it was not refused but gave ${JSON.stringify(value)}`);
}

/** Everything that tells one state of a sandbox's code from another. */
export interface CodeState {
  readonly revision: number;
  readonly modules: unknown;
  readonly histories: unknown;
  readonly lastError: unknown;
}

/** Head, versions and histories of a sandbox as they are now. */
export async function codeStateOf(sandbox: Sandbox): Promise<CodeState> {
  const { revision, modules, lastError } = await sandbox.info();
  const histories: Record<string, unknown> = {};
  for (const name of Object.keys(modules)) histories[name] = await sandbox.history(name);
  return { revision, modules, histories, lastError };
}

/** Reports without the parts that a test does not speak about. */
export function shortly({ status, modules }: ReloadReport): unknown {
  return { status, modules };
}

/** Kills the cell in which a sandbox lives, as the kernel would, and waits until the runtime knows. */
export async function killCellOf(runtime: Runtime, sandbox: Sandbox): Promise<void> {
  const { cell } = await sandbox.info();
  const { cells } = await runtime.metrics();
  const home = cells.find(({ number }) => number === cell);
  assert.ok(home !== undefined, "the sandbox lives in a cell");
  const gone = new Promise<void>((resolve) => {
    const stop = runtime.events.on("cell.exited", (event) => {
      if (event.pid !== home.pid) return;
      stop();
      resolve();
    });
  });
  process.kill(home.pid, "SIGKILL");
  await gone;
}
