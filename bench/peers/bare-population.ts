// Bare isolates in as many processes as there are cores, each with its part of them: what no runtime can surpass.
import { availableParallelism } from "node:os";
import { startPeer } from "./child.ts";

export interface BarePopulation extends AsyncDisposable {
  /** Milliseconds until all are made, all processes at once; they are disposed of afterwards. */
  populate(): Promise<number>;
  /** Makes them, to be called. */
  fill(): Promise<void>;
  /** Calls a second, one synchronous call into each, all processes at once. */
  callsPerSecond(): Promise<number>;
}

export function startBareIsolates(count: number, source: string): BarePopulation {
  const processes = Math.max(2, availableParallelism());
  const share = Math.floor(count / processes);
  const peers = Array.from({ length: processes }, () =>
    startPeer("bare-isolates.ts", ["--no-node-snapshot"]),
  );
  const slowest = async (name: string, ...args: readonly unknown[]): Promise<number> =>
    Math.max(...(await Promise.all(peers.map((peer) => peer.ask(name, ...args)))));
  return {
    async populate() {
      const ms = await slowest("populate", share, source);
      await slowest("dispose");
      return ms;
    },
    async fill() {
      await slowest("populate", share, source);
    },
    async callsPerSecond() {
      return ((share * processes) / (await slowest("callAll"))) * 1_000;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(peers.map((peer) => peer[Symbol.asyncDispose]()));
    },
  };
}
