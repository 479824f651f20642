// Plain Node: the same kernel in an ordinary process with no flags.
import { middleMean } from "../statistics.ts";
import { answer } from "./child.ts";

let kernel: ((...args: readonly unknown[]) => unknown) | undefined;

function timeOf(...args: readonly unknown[]): number {
  const startedMs = performance.now();
  kernel?.(...args);
  return performance.now() - startedMs;
}

answer({
  async load(source: string): Promise<number> {
    const module = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
      kernel: (...args: readonly unknown[]) => unknown;
    };
    ({ kernel } = module);
    return 0;
  },
  /** What calls with so many turns take beyond those without, each after the other, in milliseconds. */
  entries(count: number, turns: number): number {
    const [without, having]: [number[], number[]] = [[], []];
    for (let entry = 0; entry < count; entry++) {
      without.push(timeOf(0));
      having.push(timeOf(turns));
    }
    return middleMean(having) - middleMean(without);
  },
  run: () => timeOf(),
});
