// Worker threads, one per candidate, in a process of their own.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { answer } from "./child.ts";

const source = `
  const { parentPort } = require("node:worker_threads");
  const double = (n) => n * 2;
  parentPort.on("message", (n) => parentPort.postMessage(double(n)));
  parentPort.postMessage("ready");`;
let population: Worker[] = [];

answer({
  /** Milliseconds until a thread has loaded its code. */
  async create(): Promise<number> {
    const startedMs = performance.now();
    const worker = await start();
    const ms = performance.now() - startedMs;
    await worker.terminate();
    return ms;
  },
  async populate(count: number): Promise<number> {
    const startedMs = performance.now();
    population = await Promise.all(Array.from({ length: count }, start));
    return performance.now() - startedMs;
  },
  async dispose(): Promise<number> {
    const startedMs = performance.now();
    await Promise.all(population.map((worker) => worker.terminate()));
    population = [];
    return performance.now() - startedMs;
  },
  rssBytes: () => process.memoryUsage.rss(),
});

async function start(): Promise<Worker> {
  const worker = new Worker(source, { eval: true });
  await once(worker, "message");
  return worker;
}
