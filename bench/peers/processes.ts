// One process per candidate: start Node, run the program, end.
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs programs, as many at a time as there are cores; answers what each printed, in their order. */
export async function runProcesses(programs: readonly string[]): Promise<readonly string[]> {
  const printed: string[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < programs.length) {
      const index = next++;
      printed[index] = (await run(process.execPath, ["-e", programs[index] as string])).stdout;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return printed;
}

/** Runs so many candidates that have next to nothing to do; answers candidates per second. */
export async function processesPerSecond(count: number): Promise<number> {
  const startedMs = performance.now();
  await runProcesses(Array.from({ length: count }, () => "console.log(((n) => n * 2)(21))"));
  return (count / (performance.now() - startedMs)) * 1_000;
}
