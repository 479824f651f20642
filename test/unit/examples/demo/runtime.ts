// Starts a runtime of the built package, which the demo imports by name: a failure that its `unwrap` throws is only
// known to a runtime of the same copy of the package.
import { after } from "node:test";
import { createRuntime, type Runtime } from "vivarium";

/** A runtime that is closed when the tests of the file are done. */
export async function startBuiltRuntime(cells: number): Promise<Runtime> {
  const runtime = await createRuntime({ cells: { count: cells, spare: 0, warm: 2 } });
  after(() => runtime.close());
  return runtime;
}
