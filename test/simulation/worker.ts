// Runs seeds in a thread of its own, as many at a time as it is given, and tells which of them failed.
import { parentPort, workerData } from "node:worker_threads";
import { planOf, type TroubleNames } from "./plan.ts";
import { simulate } from "./simulate.ts";

export interface Chunk {
  readonly first: number;
  readonly count: number;
}

export interface Finding {
  readonly seed: number;
  readonly rule: string;
  readonly what: string;
}

export interface Done {
  readonly count: number;
  readonly timers: number;
  readonly findings: readonly Finding[];
}

const { without, ignored } = workerData as {
  readonly without: TroubleNames;
  readonly ignored: readonly string[];
};

parentPort?.on("message", (chunk: Chunk) => {
  void (async () => {
    const findings: Finding[] = [];
    let timers = 0;
    for (let seed = chunk.first; seed < chunk.first + chunk.count; seed++) {
      const result = await simulate(planOf(seed, without), { ignored });
      timers += result.timers;
      const [first] = result.violations;
      if (first !== undefined) findings.push({ seed, rule: first.rule, what: first.what });
    }
    parentPort?.postMessage({ count: chunk.count, timers, findings } satisfies Done);
  })();
});
