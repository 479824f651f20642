// Piscina with two threads, or as many as there are cores.
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import type * as tasks from "./piscina-task.ts";

/** A pool that runs one of the tasks, ended with the row. */
export function startPiscina(
  stack: AsyncDisposableStack,
  concurrentTasksPerWorker: number,
  name: keyof typeof tasks = "double",
): Piscina {
  const threads = Math.max(2, availableParallelism());
  const pool = new Piscina({
    filename: fileURLToPath(new URL("piscina-task.ts", import.meta.url)),
    name,
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker,
  });
  stack.defer(() => pool.destroy());
  return pool;
}
