// One operation on a sandbox while it is under way. All its waits go through here, so that it is over at once when another
// operation ends it.
import { CancelledError, type VivariumError, lateWhy } from "../../../model/errors.ts";
import type { Clock } from "../../../std/clock.ts";

/** What changes a sandbox as a whole. Runs are no operations: the status admits them. */
export type OperationName = "load" | "reload" | "limits" | "suspend" | "resume" | "restart" | "destroy";

export class Operation {
  readonly name: OperationName;
  readonly #what: string;
  readonly #signal: AbortSignal | undefined;
  readonly #over = Promise.withResolvers<void>();
  readonly #waiting = new Set<(error: VivariumError) => void>();
  readonly #undoing = new Set<(error: VivariumError) => void>();
  readonly #onAbort = (): void => {
    if (this.#isCommitted) return;
    for (const reject of this.#waiting) reject(this.#aborted());
  };
  #ended: VivariumError | undefined;
  #takeBack: (() => void) | undefined;
  #isCommitted = false;

  constructor(name: OperationName, what: string, signal: AbortSignal | undefined) {
    this.name = name;
    this.#what = what;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Resolves when it is over, however it ended. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Another operation has replaced it: it may write nothing any more, not even to undo. */
  get isEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Throws where it was ended, or its caller gave up. */
  check(): void {
    if (this.#ended !== undefined) throw this.#ended;
    if (!this.#isCommitted && this.#signal?.aborted === true) throw this.#aborted();
  }

  /** Waits for a promise; rejects as soon as the operation is ended or its caller gives up. */
  until<T>(promise: Promise<T>): Promise<T> {
    return this.#race(promise, this.#waiting, () => this.check());
  }

  /** As `until`, with a bound; no timer outlives the operation. */
  async within<T>(
    clock: Clock,
    { ms, toError }: { readonly ms: number; readonly toError: () => Error },
    promise: Promise<T>,
  ): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = clock.after(ms, () => late.reject(toError()));
    try {
      return await this.until(Promise.race([promise, late.promise]));
    } finally {
      timer.cancel();
    }
  }

  /** Waits for the operation itself; rejects as `until` does. */
  promptly<T>(acting: Promise<T>): Promise<T> {
    return this.#race(acting, this.#waiting, () => {});
  }

  /** As `until`, for steps that must be taken also where the caller gave up. */
  untilEnded<T>(promise: Promise<T>): Promise<T> {
    return this.#race(promise, this.#undoing, () => {
      if (this.#ended !== undefined) throw this.#ended;
    });
  }

  /** Until it is committed, `takeBack` is called at once where it is ended. */
  onEnd(takeBack: () => void): void {
    this.#takeBack = takeBack;
  }

  /** What it did is final: its caller gets the result also where it is ended before it has cleaned up. */
  commit(): void {
    this.#isCommitted = true;
    this.#takeBack = undefined;
  }

  /** Ends it: all its waits reject, and what it has begun goes on without an effect. */
  end(error: VivariumError): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#takeBack?.();
    for (const reject of [...(this.#isCommitted ? [] : this.#waiting), ...this.#undoing]) reject(error);
    this.#over.resolve();
  }

  /** It is over. */
  finish(): void {
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#over.resolve();
  }

  #race<T>(promise: Promise<T>, waiting: Set<(error: VivariumError) => void>, check: () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = (error: unknown): void => {
        waiting.delete(stop);
        reject(error);
      };
      waiting.add(stop);
      promise.then((value) => {
        // What came at the same moment as the end came too late.
        if (isRefusedBy(check, stop)) return;
        waiting.delete(stop);
        resolve(value);
      }, stop);
      isRefusedBy(check, stop);
    });
  }

  #aborted(): CancelledError {
    const reason: unknown = this.#signal?.reason;
    const deadlineMs = reason instanceof CancelledError ? reason.deadlineMs : null;
    const why = deadlineMs === null ? "its signal was aborted" : lateWhy(deadlineMs);
    return new CancelledError(this.#what, why, reason);
  }
}

// Whether a check threw; `refuse` gets what it threw.
function isRefusedBy(check: () => void, refuse: (error: unknown) => void): boolean {
  try {
    check();
    return false;
  } catch (error) {
    refuse(error);
    return true;
  }
}
