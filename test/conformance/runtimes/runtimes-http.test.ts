// A runtime on a server does what every runtime does.
import { connect } from "../../../src/client/index.ts";
import { createRuntime } from "../../../src/index.ts";
import { describeRuntimes } from "./runtimes.suite.ts";
import { serve } from "./served.ts";

describeRuntimes(async (options) => {
  const host = await createRuntime(options);
  const served = await serve(host);
  const runtime = await connect(served.url, { token: served.token });
  return {
    runtime,
    host,
    async [Symbol.asyncDispose]() {
      await runtime.close();
      await served[Symbol.asyncDispose]();
      await host.close();
    },
  };
});
