// Piscina with two threads, or as many as there are cores.
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";

/** A pool, ended with the row. */
export function startPiscina(stack: AsyncDisposableStack, concurrentTasksPerWorker: number): Piscina {
  const threads = Math.max(2, availableParallelism());
  const pool = new Piscina({
    filename: fileURLToPath(new URL("piscina-task.ts", import.meta.url)),
    name: "double",
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker,
  });
  stack.defer(() => pool.destroy());
  return pool;
}
