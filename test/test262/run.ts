// Tries every chosen test on both sides, a bounded number at a time.
import { readCase, type Case } from "./case.ts";
import type { Compared } from "./comparison.ts";
import { Reference } from "./reference.ts";
import { runInSandbox, startSandboxes } from "./sandboxes.ts";

export interface Trial {
  readonly compared: readonly Compared[];
  /** How many tests were not tried, by reason. */
  readonly leftOut: ReadonlyMap<string, number>;
}

export interface TrialOptions {
  /** How many cells and how many processes of the reference work side by side. */
  readonly jobs: number;
  readonly onProgress?: (done: number) => void;
}

// So that a cell has the next test while the compiler has the one after it.
const casesPerJob = 3;
const scriptOnly = "no module code: passes in a bare isolate only as a script";

export async function tryTests(
  root: string,
  paths: readonly string[],
  { jobs, onProgress = () => {} }: TrialOptions,
): Promise<Trial> {
  await using runtime = await startSandboxes(jobs);
  await using stack = new AsyncDisposableStack();
  const free = Array.from({ length: jobs * casesPerJob }, () => stack.use(new Reference()));
  const compared: Compared[] = [];
  const leftOut = new Map<string, number>();
  const leave = (reason: string): void => void leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
  let done = 0;
  const tryOne = async (test: Case, bare: Reference): Promise<void> => {
    const [reference, here] = await Promise.all([bare.ask(test), runInSandbox(runtime, test)]);
    const { path, features } = test;
    if (reference === "script") leave(scriptOnly);
    else compared.push({ path, features, reference, here });
  };
  const rest = paths.values();
  const work = async (bare: Reference): Promise<void> => {
    for (const path of rest) {
      const reading = readCase(root, path);
      if ("leftOut" in reading) leave(reading.leftOut);
      else await tryOne(reading.case, bare);
      onProgress(++done);
    }
  };
  await Promise.all(free.map(work));
  return { compared: compared.toSorted((a, b) => (a.path < b.path ? -1 : 1)), leftOut };
}
