// A runtime on a server, as a command uses it.
import { connect } from "../../client/index.ts";
import type { OpenedRuntime } from "../command-file.ts";

export async function openThere(
  url: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<OpenedRuntime> {
  const runtime = await connect(url, { signal, ...(token === undefined ? {} : { token }) });
  return {
    runtime,
    where: "server",
    name: url,
    lineage: (id, limit) => runtime.lineage(id, limit === undefined ? {} : { limit }),
    population: (options = {}) => runtime.population(options),
    [Symbol.asyncDispose]: () => runtime.close(),
  };
}
