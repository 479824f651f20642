// What was heard of the runs of one sandbox: the latest of them, newest first.
import type { AnyEvent } from "../../../../src/index.ts";

export interface RecentRun {
  /** Counted from 1. */
  readonly number: number;
  readonly at: number;
  readonly target: string;
  readonly result: string;
  /** Null: unknown. */
  readonly durationMs: number | null;
  readonly cpuMs: number | null;
}

export class RecentRuns {
  readonly #max: number;
  #runs: RecentRun[] = [];
  #count = 0;

  constructor(max = 100) {
    this.#max = max;
  }

  get all(): readonly RecentRun[] {
    return this.#runs;
  }

  /** Whether it told of a run. */
  hear({ name, event, at }: AnyEvent): boolean {
    if (name === "sandbox.run.stop") {
      const { target, result, durationMs, usage } = event;
      return this.#add({ at, target, result, durationMs, cpuMs: usage.cpuMs });
    }
    if (name !== "sandbox.killed") return false;
    return this.#add({ at, target: "", result: `killed: ${event.reason}`, durationMs: null, cpuMs: null });
  }

  #add(run: Omit<RecentRun, "number">): true {
    this.#runs = [{ ...run, number: ++this.#count }, ...this.#runs].slice(0, this.#max);
    return true;
  }
}
