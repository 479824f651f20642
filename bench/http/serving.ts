// The server that is measured, with its runtime, in a process of its own.
import { createRuntime, unwrap, type Sandbox } from "vivarium";
import { createServer, listen } from "vivarium/server";
import { answer } from "../peers/child.ts";

export interface Started {
  readonly port: number;
  readonly token: string;
  readonly sandboxIds: readonly string[];
}

export interface Memory {
  /** Of this process, the highest since the last question. */
  readonly rssBytes: number;
  /** After a collection. */
  readonly heapBytes: number;
  /** Of all cells together. */
  readonly cellBytes: number;
}

const sampleMs = 250;
const token = "a-token-of-the-benchmark-alone";
const double = { modules: { main: "export const double = (n) => n * 2;" } };

const runtime = await createRuntime();
const sandboxes: Sandbox[] = [];
let rssMax = 0;
setInterval(() => (rssMax = Math.max(rssMax, process.memoryUsage.rss())), sampleMs).unref();

answer({
  listen: async (count: number): Promise<Started> => {
    for (let number = 0; number < count; number++)
      sandboxes.push(await runtime.create(`load-${number}`, double));
    const server = createServer(runtime, {
      access: { tokens: [{ token, name: "load", scope: "admin" }] },
    });
    const listening = await listen(server, { port: 0 });
    const port = Number(new URL(listening.url).port);
    return { port, token, sandboxIds: sandboxes.map(({ id }) => id) };
  },

  /** So many calls through the local API, one after the other; how long each took, in milliseconds. */
  local: async (count: number): Promise<number[]> => {
    const latencies: number[] = [];
    for (let number = 0; number < count; number++) {
      const sandbox = sandboxes[number % sandboxes.length];
      const startedMs = performance.now();
      const outcome = await sandbox?.call<number>("main.double", { args: [21] });
      latencies.push(performance.now() - startedMs);
      if (outcome === undefined || unwrap(outcome) !== 42) throw new Error("a call had a wrong result");
    }
    return latencies;
  },

  memory: async (): Promise<Memory> => {
    const rssBytes = Math.max(rssMax, process.memoryUsage.rss());
    rssMax = 0;
    globalThis.gc?.();
    const { cells } = await runtime.metrics();
    const cellBytes = cells.reduce((sum, cell) => sum + cell.rssBytes, 0);
    return { rssBytes, heapBytes: process.memoryUsage().heapUsed, cellBytes };
  },
});
