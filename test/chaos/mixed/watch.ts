// Records a mixed run: what was done and how it ended, what was wrong, and what never ended.
import { setTimeout as sleep } from "node:timers/promises";
import { VivariumError } from "../../../src/index.ts";
import type { Moment, Subject } from "./subject.ts";

/** Far longer than anything may take: whatever takes so long hangs. */
const hangMs = 120_000;

/** The errors of an operation on a sandbox that ends meanwhile. */
const endCodes: readonly string[] = ["CANCELLED", "SANDBOX_NOT_RUNNING", "SANDBOX_NOT_FOUND"];
/** The errors of an operation that meets another change. */
const meetingCodes: readonly string[] = ["CANCELLED", "SANDBOX_NOT_RUNNING"];

export class Watch {
  readonly faults: string[] = [];
  readonly #ended = new Map<string, Map<string, number>>();
  readonly #stop = new AbortController();
  #longestMs = 0;
  operations = 0;
  hangs = 0;

  /** True once no new operation may begin. */
  get isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  stop(): void {
    this.#stop.abort();
  }

  fault(text: string): void {
    this.faults.push(text);
  }

  /** Counts how something ended. */
  note(what: string, end: string): void {
    this.operations++;
    const ends = this.#ended.get(what) ?? new Map<string, number>();
    this.#ended.set(what, ends);
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }

  /** How a promise ended; one that does not is named, and the run is over. */
  async settled<T>(what: string, promise: PromiseLike<T>): Promise<PromiseSettledResult<T> | undefined> {
    const startedMs = performance.now();
    const giveUp = new AbortController();
    const result = await Promise.race([
      Promise.allSettled([promise]),
      sleep(hangMs, undefined, { signal: giveUp.signal, ref: true }),
    ]);
    giveUp.abort();
    this.#longestMs = Math.max(this.#longestMs, performance.now() - startedMs);
    if (result !== undefined) return result[0];
    this.hangs++;
    this.fault(`hang: ${what} is pending after ${hangMs / 1_000} s`);
    this.stop();
    return undefined;
  }

  /**
   * Does something to a sandbox, and judges a refusal: `expected` are the codes that it must be refused with, where any
   * are named; an operation that meets the end of the sandbox, or another change of it, may be refused for that.
   */
  async attempt<T>(act: Attempt<T>): Promise<T | undefined> {
    const { what, subject, begun, expected = [] } = act;
    const result = await this.settled(`${what} of ${subject.id}`, act.promise);
    if (result === undefined) return undefined;
    if (result.status === "fulfilled") {
      this.note(what, "ok");
      if (expected.length > 0) this.#faultOf(subject, `${what} was not refused with ${expected.join()}`);
      return result.value;
    }
    const { reason } = result as { reason: unknown };
    const code = reason instanceof VivariumError ? reason.code : "untyped";
    this.note(what, code);
    act.onRefused?.(code);
    const isFine =
      expected.includes(code) ||
      (subject.isGone && endCodes.includes(code)) ||
      (meetingCodes.includes(code) && subject.hasMetOthers(begun));
    if (!isFine) this.#faultOf(subject, `${what} was refused: ${code}: ${String(reason)}`);
    return undefined;
  }

  /** A fault of a sandbox is reported once. */
  #faultOf(subject: Subject, text: string): void {
    if (!subject.isBroken) this.fault(`${subject.id}: ${text}`);
    subject.isBroken = true;
  }

  objectTo(subject: Subject, text: string): void {
    this.#faultOf(subject, text);
  }

  /** All counts, a line for each kind of operation. */
  toText(): string {
    const lines = Array.from(this.#ended, ([what, ends]) => {
      const sum = Array.from(ends.values()).reduce((a, b) => a + b, 0);
      const kinds = Array.from(ends, ([end, count]) => `${end} ${count}`).join(", ");
      return `  ${what.padEnd(12)} ${String(sum).padStart(7)}  ${kinds}`;
    });
    return [...lines, `  the longest took ${this.#longestMs.toFixed(0)} ms`].join("\n");
  }
}

interface Attempt<T> {
  readonly what: string;
  readonly subject: Subject;
  readonly begun: Moment;
  readonly promise: PromiseLike<T>;
  readonly expected?: readonly string[];
  readonly onRefused?: (code: string) => void;
}
