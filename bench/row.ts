// A row of the benchmark: entrants that are measured in turn, and targets.
import type { Target } from "./target.ts";

export type Unit = "ms" | "µs" | "MB" | "calls/s" | "runs/s" | "messages/s" | "processes/s";

/** One way of doing the same thing. */
export interface Entrant {
  readonly name: string;
  /** One measurement, or several taken together. */
  readonly sample: () => Promise<number | readonly number[]>;
  /** Takes part in every so many rounds only, as it is slow. Default: 1. */
  readonly every?: number;
}

export interface Row {
  readonly name: string;
  /** What exactly is measured, in one sentence. */
  readonly about: string;
  readonly unit: Unit;
  readonly rounds: number;
  /** Left out unless asked for, as it takes much memory and time. */
  readonly isLarge?: boolean;
  readonly targets: readonly Target[];
  /** Sets up the entrants, ours first; what is put on the stack is ended after the row. */
  readonly prepare: (stack: AsyncDisposableStack) => Promise<readonly Entrant[]>;
}

export const ours = "vivarium";
