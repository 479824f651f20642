// Bare isolated-vm, with nothing around it: in a process of its own, as it needs --no-node-snapshot.
import ivm from "isolated-vm";
import { answer } from "./child.ts";

interface Bare {
  readonly isolate: ivm.Isolate;
  readonly call: ivm.Reference<(n: number) => number>;
}

const memoryLimit = 128;
let population: Bare[] = [];

answer({
  /** Milliseconds for one isolate with its context. */
  create(): number {
    const startedMs = performance.now();
    const isolate = new ivm.Isolate({ memoryLimit });
    isolate.createContextSync();
    const ms = performance.now() - startedMs;
    isolate.dispose();
    return ms;
  },
  /** Milliseconds for one of so many, made one after the other. */
  createInARow(count: number): number {
    const startedMs = performance.now();
    const isolates = Array.from({ length: count }, () => {
      const isolate = new ivm.Isolate({ memoryLimit });
      isolate.createContextSync();
      return isolate;
    });
    const ms = (performance.now() - startedMs) / count;
    for (const isolate of isolates) isolate.dispose();
    return ms;
  },
  /** Milliseconds for a whole population with a function each. */
  populate(count: number, source: string): number {
    const startedMs = performance.now();
    population = Array.from({ length: count }, () => make(source));
    return performance.now() - startedMs;
  },
  /** Milliseconds for one synchronous call into each, one after the other. */
  callAll(): number {
    const startedMs = performance.now();
    for (const { call } of population) call.applySync(undefined, [21]);
    return performance.now() - startedMs;
  },
  /** Milliseconds to dispose of the population. */
  dispose(): number {
    const startedMs = performance.now();
    for (const { isolate } of population) isolate.dispose();
    population = [];
    return performance.now() - startedMs;
  },
  /** Milliseconds by which an endless loop outlived its timeout. */
  overshoot(timeout: number): number {
    const isolate = new ivm.Isolate({ memoryLimit });
    const context = isolate.createContextSync();
    const startedMs = performance.now();
    try {
      context.evalSync("for (;;);", { timeout });
    } catch {
      // That is what it is for.
    }
    const ms = performance.now() - startedMs - timeout;
    isolate.dispose();
    return ms;
  },
  rssBytes: () => process.memoryUsage.rss(),
});

function make(source: string): Bare {
  const isolate = new ivm.Isolate({ memoryLimit });
  const context = isolate.createContextSync();
  const call = context.evalSync(source, { reference: true }) as Bare["call"];
  return { isolate, call };
}
