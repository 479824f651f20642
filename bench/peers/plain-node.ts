// Plain Node: the same kernel in an ordinary process with no flags.
import { answer } from "./child.ts";

let kernel: ((...args: readonly unknown[]) => unknown) | undefined;

answer({
  async load(source: string): Promise<number> {
    const module = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
      kernel: (...args: readonly unknown[]) => unknown;
    };
    ({ kernel } = module);
    return 0;
  },
  /** Milliseconds of processor time for so many calls. */
  entries(count: number, ...args: readonly unknown[]): number {
    const before = process.threadCpuUsage();
    for (let entry = 0; entry < count; entry++) kernel?.(...args);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  },
  run(): number {
    const startedMs = performance.now();
    kernel?.();
    return performance.now() - startedMs;
  },
});
