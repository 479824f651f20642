// What the process runtime needs from the rest of the guest runtime, given to it once when it is installed.
import type { Described, Flat } from "../thrown.ts";

export interface ProcessHost {
  /** There is work for the scheduler and it is not running. */
  wake(): void;
  /** A process started, exited or was restarted; texts and numbers only. */
  report(kind: string, detail: string): void;
  now(): number;
  /** The run has no fuel left: whatever a guest would do now throws. */
  isOutOfFuel(): boolean;
  setTimer(act: (...args: unknown[]) => unknown, delayMs: number): number;
  clearTimer(id: number): void;
  flatten(error: unknown): Flat;
  describe(error: unknown): Described;
  /** The name of the module that is being evaluated. */
  moduleBeingEvaluated(): string;
  /** Without a bound of its own, the text may be as long as any state. */
  encode(value: unknown, bytesMax?: number): string;
  decode(text: string): unknown;
}

export interface ProcessLimits {
  readonly processes: number;
  readonly messageQueue: number;
  /** How long `init` may take, and `terminate`. */
  readonly loadMs: number;
  /** The state of a server is encoded after every message, and must be data. */
  readonly isCheckpointed: boolean;
  /** How long a result may be, encoded; checkpointed states leave the cell with results. */
  readonly resultBytes: number;
}
