// A runtime in this process does what every runtime does.
import { createRuntime } from "../../../src/index.ts";
import { describeRuntimes } from "./runtimes.suite.ts";

describeRuntimes(async (options) => {
  const runtime = await createRuntime(options);
  return { runtime, host: runtime, [Symbol.asyncDispose]: () => runtime.close() };
});
