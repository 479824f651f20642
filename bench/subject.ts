// Our own side of the rows: runtimes and populations that are ready to be measured.
import { setTimeout as sleep } from "node:timers/promises";
import {
  createRuntime,
  unwrap,
  type Runtime,
  type RuntimeOptions,
  type Sandbox,
  type SandboxSpec,
} from "vivarium";

export const doubling = "export const double = (n) => n * 2;";
const settleMs = 20;
const readyMs = 30_000;

/** A runtime with all its cells started, closed with the row. */
export async function startRuntime(stack: AsyncDisposableStack, options?: RuntimeOptions): Promise<Runtime> {
  const runtime = stack.use(await createRuntime(options));
  const startedMs = performance.now();
  for (;;) {
    const { cells } = await runtime.health();
    if (cells.ready >= cells.wanted && !cells.starting) return runtime;
    if (performance.now() - startedMs > readyMs)
      throw new Error("Cannot measure as all cells must be ready: they are not");
    await sleep(settleMs);
  }
}

/** So many sandboxes, each called once. */
export async function populate(
  runtime: Runtime,
  count: number,
  spec?: Partial<SandboxSpec>,
): Promise<readonly string[]> {
  const ids = await make(runtime, count, spec);
  await callAll(runtime, ids);
  return ids;
}

/** So many sandboxes, none of which was called. */
export async function make(
  runtime: Runtime,
  count: number,
  spec?: Partial<SandboxSpec>,
): Promise<readonly string[]> {
  const specs = Array.from({ length: count }, () => ({ modules: { main: doubling }, ...spec }));
  const created = await runtime.batch.create(specs);
  return created.map((result) => {
    if (result.ok) return result.sandboxId;
    throw result.error;
  });
}

/** One tiny call into each; throws unless all answer. */
export async function callAll(runtime: Runtime, ids: readonly string[]): Promise<void> {
  const outcomes = await runtime.batch.call<number>(ids, "main.double", { args: [21], repeatable: true });
  for (const outcome of outcomes) unwrap(outcome);
}

/** The latency of so many calls, one after the other, in microseconds. */
export async function callTimes(
  count: number,
  call: (index: number) => Promise<unknown>,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const startedMs = performance.now();
    await call(index);
    times.push((performance.now() - startedMs) * 1_000);
  }
  return times;
}

/** Calls a sandbox's doubling; throws unless it answers. */
export async function double(sandbox: Sandbox): Promise<void> {
  unwrap(await sandbox.call("main.double", { args: [21] }));
}
