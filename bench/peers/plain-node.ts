// Plain Node: the same kernel in an ordinary process with no flags.
import { answer } from "./child.ts";

let kernel: (() => unknown) | undefined;

answer({
  async load(source: string): Promise<number> {
    const module = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
      kernel: () => unknown;
    };
    ({ kernel } = module);
    return 0;
  },
  run(): number {
    const startedMs = performance.now();
    kernel?.();
    return performance.now() - startedMs;
  },
});
