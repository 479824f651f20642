// Our own side of the rows: the build that is measured, and runtimes and populations of it that are ready. All rows take the
// package from here, so that another build of it can be measured by the same rows.
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type * as core from "vivarium";
import type { Runtime, RuntimeOptions, Sandbox, SandboxSpec } from "vivarium";
import type * as evolution from "vivarium/evolution";

/** Names the root of another checkout, already built, that is to be measured in the place of this one. */
export const subjectVariable = "VIVARIUM_BENCH_SUBJECT";

const otherRoot = process.env[subjectVariable];

/** The address of the package that is measured, for programs that import it themselves. */
export const entryUrl =
  otherRoot === undefined
    ? import.meta.resolve("vivarium")
    : pathToFileURL(`${otherRoot}/dist/index.js`).href;

// An earlier build may have less than these types say: a row that needs it then fails, and says so.
export const { createRuntime, unwrap } = (await import(entryUrl)) as typeof core;
// As above.
export const { Tracker } = (await import(new URL("evolution/index.js", entryUrl).href)) as typeof evolution;

export type Tracker = InstanceType<typeof Tracker>;

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
  const ids = await create(runtime, count, spec);
  await callAll(runtime, ids);
  return ids;
}

/** Sandboxes that share isolates. */
export const dense: Partial<SandboxSpec> = { placement: { dense: true } };

/** Whether this build has dense sandboxes: an older one, which this one is compared with, refuses them. */
export async function takesDense(runtime: Runtime): Promise<boolean> {
  try {
    await (await runtime.create({ modules: { main: doubling }, ...dense })).destroy();
    return true;
  } catch {
    return false;
  }
}

/** So many sandboxes that have not been called. */
export async function create(
  runtime: Runtime,
  count: number,
  spec?: Partial<SandboxSpec>,
): Promise<readonly string[]> {
  return createAll(
    runtime,
    Array.from({ length: count }, () => ({ modules: { main: doubling }, ...spec })),
  );
}

/** All of these by one batch; throws unless all can be created. */
export async function createAll(runtime: Runtime, specs: readonly SandboxSpec[]): Promise<readonly string[]> {
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
