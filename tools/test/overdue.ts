// A test file whose process does not end is killed with all that it started, so that the run ends and says which it was. The
// test runner's own time limit does not end it, and what such a file has reported is not printed before it ends.
import { childrenOf, commandOf } from "../../test/support/processes.ts";
import { every, type Clock } from "../../src/std/clock.ts";

export interface OverdueOptions {
  readonly clock: Clock;
  /** How long a child of this process may take. */
  readonly limitMs: number;
  readonly tell: (line: string) => void;
}

const lookMs = 5_000;

/** Looks at the children of this process until it is disposed. */
export function endOverdue({ clock, limitMs, tell }: OverdueOptions): Disposable {
  let seenAtMs = new Map<number, number>();
  const timer = every(clock, lookMs, look);
  return { [Symbol.dispose]: () => timer.cancel() };

  function look(): void {
    const nowMs = clock.monotonic();
    seenAtMs = new Map(childrenOf(process.pid).map((pid) => [pid, seenAtMs.get(pid) ?? nowMs]));
    for (const [pid, sinceMs] of seenAtMs)
      if (nowMs - sinceMs >= limitMs) {
        tell(`✖ Ended, as it must end by itself within ${limitMs / 60_000} minutes: ${commandOf(pid)}`);
        for (const one of [pid, ...descendantsOf(pid)]) kill(one);
      }
  }
}

function descendantsOf(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
}
