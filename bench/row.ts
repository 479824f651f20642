// A row of the benchmark: entrants that are measured in turn, and targets.
import type { Target } from "./target.ts";

export type Unit =
  | "ms"
  | "µs"
  | "ns"
  | "MB"
  | "calls/s"
  | "cases/s"
  | "runs/s"
  | "messages/s"
  | "processes/s";

/** One way of doing the same thing. */
export interface Entrant {
  readonly name: string;
  /** One measurement, or several taken together. */
  readonly sample: () => Promise<number | readonly number[]>;
  /** Takes part in every so many rounds only, as it is slow. Default: 1. */
  readonly every?: number;
  /**
   * How many operations one sample does. Where it is given, the processor time of an operation is measured as well, by kind of
   * process; what is done for it behind the sample, as making warm isolates anew, counts too.
   */
  readonly operations?: number;
}

export interface Row {
  readonly name: string;
  /** What exactly is measured, in one sentence. */
  readonly about: string;
  readonly unit: Unit;
  readonly rounds: number;
  /** Left out unless asked for, as it takes much memory and time. */
  readonly isLarge?: boolean;
  /** Imports the sources of this checkout, and so cannot measure another build. */
  readonly isOwn?: boolean;
  /** Where it belongs in a figure of how things grow. Such rows are measured only where they are asked for. */
  readonly scale?: ScalePoint;
  readonly targets: readonly Target[];
  /** Sets up the entrants, ours first; what is put on the stack is ended after the row. */
  readonly prepare: (stack: AsyncDisposableStack) => Promise<readonly Entrant[]>;
}

/** One place on the horizontal axis of a figure. */
export interface ScalePoint {
  readonly figure: string;
  readonly count: number;
}

export const ours = "vivarium";
