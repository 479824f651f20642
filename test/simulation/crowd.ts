// Many seeds on several threads, until all are done or enough have failed.
import { Worker } from "node:worker_threads";
import type { TroubleName } from "./trouble.ts";
import type { Chunk, Done, Finding } from "./worker.ts";

const chunkSize = 25;

export interface Crowd {
  readonly first: number;
  readonly seeds: number;
  readonly jobs: number;
  readonly without: readonly TroubleName[];
  /** Rules that are not looked at. */
  readonly ignored: readonly string[];
}

/** Runs seeds; `onFinding` says whether to go on. */
export async function runSeeds(
  { first, seeds, jobs, without, ignored }: Crowd,
  onFinding: (finding: Finding) => boolean,
): Promise<{ readonly count: number; readonly timers: number }> {
  let next = first;
  let count = 0;
  let timers = 0;
  let mayGoOn = true;
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL("./worker.ts", import.meta.url), {
        workerData: { without, ignored },
      });
      const give = (): void => {
        const size = Math.min(chunkSize, first + seeds - next);
        if (size <= 0 || !mayGoOn) {
          void worker.terminate().then(() => resolve());
          return;
        }
        worker.postMessage({ first: next, count: size } satisfies Chunk);
        next += size;
      };
      worker.on("error", reject);
      worker.on("message", (done: Done) => {
        count += done.count;
        timers += done.timers;
        for (const finding of done.findings) if (!onFinding(finding)) mayGoOn = false;
        give();
      });
      give();
    });
  await Promise.all(Array.from({ length: jobs }, work));
  return { count, timers };
}
