// One process per candidate: start Node, run the function, end.
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs so many candidates, as many at a time as there are cores; answers candidates per second. */
export async function processesPerSecond(count: number): Promise<number> {
  const startedMs = performance.now();
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await run(process.execPath, ["-e", "console.log(((n) => n * 2)(21))"]);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return (count / (performance.now() - startedMs)) * 1_000;
}
