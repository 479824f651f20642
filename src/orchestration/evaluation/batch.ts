// Bounded fan-out of any operation: results in input order when awaited, as they finish when iterated.
import type { CutReason } from "../../model/runs/unbegun.ts";

/**
 * A batch that is under way. It begins at once, and neither form of waiting for it can be missed or changes it. One that is
 * refused as a whole rejects: when it is awaited, or at the first item when it is iterated.
 */
export interface Batch<T> extends Pick<Promise<T[]>, "then" | "catch" | "finally">, AsyncIterable<T> {
  /** How many results there are, of how many. */
  readonly progress: { readonly done: number; readonly size: number };
}

export interface BatchRun<I, T> {
  readonly items: readonly I[];
  readonly concurrency: number;
  /** It was cut short before it began: nothing is started. */
  readonly cut?: CutReason | undefined;
  /** Starts one item; calls `done` exactly once, also when it is cancelled. */
  readonly start: (item: I, done: (result: T) => void) => void;
  /** The batch is cut short: ends an item that was started and is not done. */
  readonly cancel: (item: I, reason: CutReason) => void;
  /** The result of an item that was not started when the batch was cut short. */
  readonly unstarted: (item: I, reason: CutReason) => T;
  /** Every item has its result. The last one is passed on when this resolves; it never rejects. */
  readonly beforeEnd?: (() => Promise<void>) | undefined;
  readonly onEnd: (results: readonly T[]) => void;
}

/** A batch of which nothing has begun, as it was refused. */
export function refusedBatch<T>(refusal: unknown): Batch<T> {
  const refused = Promise.reject<never>(refusal);
  const iterator = { next: (): Promise<never> => refused };
  return Object.assign(refused, { progress: { done: 0, size: 0 }, [Symbol.asyncIterator]: () => iterator });
}

export class RunningBatch<I, T> implements Batch<T> {
  readonly #run: BatchRun<I, T>;
  readonly #results: T[];
  /** Results in the order in which they came. */
  readonly #finished: T[] = [];
  readonly #whole = Promise.withResolvers<T[]>();
  #wakeReaders: (() => void)[] = [];
  #next = 0;
  #active = 0;
  #cut: CutReason | undefined;
  #isFilling = false;

  constructor(run: BatchRun<I, T>) {
    this.#run = run;
    this.#cut = run.cut;
    this.#results = Array.from({ length: run.items.length });
    if (run.items.length === 0) this.#end();
    else this.#fill();
  }

  get progress(): { readonly done: number; readonly size: number } {
    return { done: this.#finished.length, size: this.#run.items.length };
  }

  /** Ends everything that is not done: what runs is cancelled, what waits gets its result without being started. */
  cut(reason: CutReason): void {
    if (this.#cut !== undefined) return;
    this.#cut = reason;
    for (const [index, item] of this.#run.items.slice(0, this.#next).entries())
      if (this.#results[index] === undefined) this.#run.cancel(item, reason);
    this.#fill();
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a batch is awaited for its results, by design
  then<A = T[], B = never>(
    onDone?: ((results: T[]) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#whole.promise.then(onDone, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<T[] | B> {
    return this.#whole.promise.catch(onError);
  }

  finally(onEnd?: (() => void) | null): Promise<T[]> {
    return this.#whole.promise.finally(onEnd);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for (let read = 0; read < this.#run.items.length;) {
      if (read === this.#finished.length)
        await new Promise<void>((resolve) => this.#wakeReaders.push(resolve));
      for (const result of this.#finished.slice(read)) {
        read++;
        yield result;
      }
    }
  }

  // An item may be done before its start returns, so this loop, not recursion, starts the next one.
  #fill(): void {
    if (this.#isFilling) return;
    this.#isFilling = true;
    const { items, concurrency } = this.#run;
    while (this.#next < items.length && (this.#active < concurrency || this.#cut !== undefined)) {
      const index = this.#next++;
      // The index is that of an item.
      const item = items[index] as I;
      if (this.#cut === undefined) this.#startOne(item, index);
      else this.#finish(index, this.#run.unstarted(item, this.#cut));
    }
    this.#isFilling = false;
  }

  #startOne(item: I, index: number): void {
    this.#active++;
    this.#run.start(item, (result) => {
      if (this.#results[index] !== undefined) return;
      this.#active--;
      this.#finish(index, result);
      this.#fill();
    });
  }

  #finish(index: number, result: T): void {
    this.#results[index] = result;
    const isLast = this.#finished.length === this.#results.length - 1;
    if (!isLast || this.#run.beforeEnd === undefined) this.#passOn(result);
    else void this.#run.beforeEnd().then(() => this.#passOn(result));
  }

  #passOn(result: T): void {
    this.#finished.push(result);
    if (this.#wakeReaders.length > 0) {
      const readers = this.#wakeReaders;
      this.#wakeReaders = [];
      for (const wake of readers) wake();
    }
    if (this.#finished.length === this.#run.items.length) this.#end();
  }

  #end(): void {
    this.#run.onEnd(this.#results);
    this.#whole.resolve(this.#results);
  }
}
