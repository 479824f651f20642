// Starts runtimes for tests, small ones, and ends them with their file.
import { after } from "node:test";
import { createRuntime, type Runtime, type RuntimeOptions, type Sandbox } from "../../src/index.ts";

/** A runtime with one cell that is closed when the tests of the file are done. */
export async function startRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  const runtime = await createRuntime({
    ...options,
    cells: { count: 1, spare: 0, warm: 2, ...options.cells },
  });
  after(() => runtime.close());
  return runtime;
}

/** A sandbox with one module, `main`. */
export function createMain(
  runtime: Runtime,
  main: string,
  limits: NonNullable<RuntimeOptions["limits"]> = {},
): Promise<Sandbox> {
  return runtime.create({ modules: { main }, limits });
}
