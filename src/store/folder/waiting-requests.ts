// The requests that wait for the writer, in the order in which they are answered: bounded in bytes and in time.
import { VivariumError } from "../../model/errors.ts";
import type { Clock, Timer } from "../../std/clock.ts";
import { Queue } from "../../std/queue.ts";
import { storeMs } from "../ordered.ts";
import type { Failure, GroupAnswer } from "./requests.ts";

/** Why a request was not carried out. */
export type Refusal = Omit<Failure, "index">;

export interface WaitingRequest {
  readonly what: string;
  readonly bytes: number;
  readonly onAnswer: (refusal?: Refusal) => void;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Entry extends WaitingRequest {
  readonly dueMs: number;
}

const bytesMax = 256 * 2 ** 20;

export function errorOf({ code, message }: Refusal): VivariumError {
  return new VivariumError(code, message);
}

export class WaitingRequests {
  readonly #clock: Clock;
  readonly #onChange: (hasAny: boolean) => void;
  /** All that are not answered yet, and those of them that were not given up. */
  readonly #unanswered = new Queue<Entry>();
  readonly #hopeful = new Queue<Entry>();
  #bytes = 0;
  #timer: Timer | undefined;

  /** `onChange` is called when the first one begins to wait, and when the last one has settled. */
  constructor(clock: Clock, onChange: (hasAny: boolean) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get hasAny(): boolean {
    return this.#hopeful.size > 0;
  }

  /** Why one more may not wait. */
  refusal(what: string, bytes: number): Refusal | undefined {
    if (this.#bytes + bytes <= bytesMax) return undefined;
    const rule = `at most ${bytesMax} bytes may wait for the disk`;
    const message = `Cannot ${what} as ${rule}: ${this.#bytes} wait, and this has ${bytes}`;
    return { code: "STORE_FAILED", message, isDisk: true };
  }

  add(request: WaitingRequest): void {
    const entry = { ...request, dueMs: this.#clock.monotonic() + storeMs };
    this.#bytes += entry.bytes;
    this.#unanswered.push(entry);
    this.#hopeful.push(entry);
    if (this.#hopeful.size > 1) return;
    this.#onChange(true);
    // One timer for all: it goes off when the first one is due, and is then set for the first of the others.
    this.#timer ??= this.#clock.after(storeMs, () => this.#giveUp());
  }

  /** Settles the first ones in order. */
  answer({ count, failures, values }: Pick<GroupAnswer, "count" | "failures" | "values">): void {
    const failed = new Map(failures.map((failure) => [failure.index, failure]));
    const valued = new Map(values);
    for (let index = 0; index < count; index++) {
      const entry = this.#next();
      if (entry === undefined) break;
      const failure = failed.get(index);
      entry.onAnswer(failure);
      if (failure === undefined) entry.resolve(valued.get(index));
      else entry.reject(errorOf(failure));
    }
    this.#settled();
  }

  refuseAll(refusal: Refusal): void {
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      entry.onAnswer(refusal);
      entry.reject(errorOf(refusal));
    }
    this.#settled();
  }

  #next(): Entry | undefined {
    const entry = this.#unanswered.shift();
    if (entry === undefined) return undefined;
    this.#bytes -= entry.bytes;
    // Those before it were given up.
    if (this.#hopeful.peek() === entry) this.#hopeful.shift();
    return entry;
  }

  #settled(): void {
    if (this.hasAny || this.#timer === undefined) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#onChange(false);
  }

  #giveUp(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonic();
    for (let first = this.#hopeful.peek(); first !== undefined; first = this.#hopeful.peek()) {
      if (first.dueMs > nowMs) {
        this.#timer = this.#clock.after(first.dueMs - nowMs, () => this.#giveUp());
        return;
      }
      this.#hopeful.shift();
      first.reject(
        new VivariumError("STORE_FAILED", `${first.what}() must be done within ${storeMs} ms: it was not`),
      );
    }
    this.#onChange(false);
  }
}
