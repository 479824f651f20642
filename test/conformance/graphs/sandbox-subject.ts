// A module graph in a sandbox, seen as in Node.
import { LoadError, unwrap, type Runtime, type Sandbox } from "../../../src/index.ts";
import { logName, logSource, nameOf } from "./graph.ts";
import { failureOf, type Observation, type Seen } from "./observation.ts";

export type Loaded = { readonly sandbox: Sandbox } | { readonly failure: Observation };

/** Creates a sandbox with a graph, or returns how that failed. */
export async function load(runtime: Runtime, sources: Readonly<Record<string, string>>): Promise<Loaded> {
  try {
    return { sandbox: await runtime.create({ modules: { [logName]: logSource, ...sources } }) };
  } catch (error) {
    if (error instanceof LoadError && error.sandboxId !== undefined) await runtime.destroy(error.sandboxId);
    return { failure: failureFrom(error) };
  }
}

/** Replaces modules, or returns how that failed. */
export async function reload(
  sandbox: Sandbox,
  sources: Readonly<Record<string, string>>,
): Promise<Observation | undefined> {
  try {
    await sandbox.hotReload(sources);
    return undefined;
  } catch (error) {
    return failureFrom(error);
  }
}

export async function see(sandbox: Sandbox, count: number): Promise<Seen> {
  const peeks: (readonly unknown[])[] = [];
  for (let index = 0; index < count; index++)
    peeks.push(unwrap(await sandbox.call<readonly unknown[]>(`${nameOf(index)}.peek${index}`)));
  return { log: unwrap(await sandbox.call<readonly string[]>(`${logName}.read`)), peeks };
}

export async function bump(sandbox: Sandbox, index: number): Promise<void> {
  unwrap(await sandbox.call(`${nameOf(index)}.bump${index}`));
}

// What cannot be linked has no failure of a guest; the language calls it a SyntaxError.
function failureFrom(error: unknown): Observation {
  if (!(error instanceof LoadError)) throw error;
  const { failure, message } = error;
  if (failure === undefined) return failureOf(error.phase === "link" ? "SyntaxError" : error.phase, message);
  return failureOf(failure.thrown?.name ?? failure.kind, failure.thrown?.message ?? failure.message);
}
