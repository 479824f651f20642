// A batch on a server as its caller holds it: results as they come when iterated, in the order of the items when awaited.
import type { Batch } from "../../index.ts";

export class RemoteBatch<T> implements Batch<T> {
  readonly #size: number;
  readonly #results: T[];
  readonly #isDone: boolean[] = [];
  /** Results in the order in which they came. */
  readonly #finished: T[] = [];
  readonly #whole = Promise.withResolvers<T[]>();
  #failure: { readonly error: unknown } | undefined;
  #wakeReaders: (() => void)[] = [];

  constructor(size: number) {
    this.#size = size;
    this.#results = Array.from({ length: size });
    if (size === 0) this.#whole.resolve([]);
  }

  get progress(): { readonly done: number; readonly size: number } {
    return { done: this.#finished.length, size: this.#isRefused ? 0 : this.#size };
  }

  // Nothing of it has begun.
  get #isRefused(): boolean {
    return this.#failure !== undefined && this.#finished.length === 0;
  }

  get isOver(): boolean {
    return this.#failure !== undefined || this.#finished.length === this.#size;
  }

  /** The result of an item; one that has one already keeps it. */
  finish(index: number, result: T): void {
    if (this.isOver || this.#isDone[index] === true || index < 0 || index >= this.#size) return;
    this.#isDone[index] = true;
    this.#results[index] = result;
    this.#finished.push(result);
    if (this.#finished.length === this.#size) this.#whole.resolve(this.#results);
    this.#wake();
  }

  /** Every item without a result gets one. */
  finishAll(resultOf: (index: number) => T): void {
    for (let index = 0; index < this.#size; index++) this.finish(index, resultOf(index));
  }

  /** It is refused as a whole, or nothing more will be known of it. */
  fail(error: unknown): void {
    if (this.isOver) return;
    this.#failure = { error };
    this.#whole.reject(error);
    this.#wake();
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
    // Who iterates it is told there.
    this.#whole.promise.catch(() => {});
    for (let read = 0; read < this.#size;) {
      if (read === this.#finished.length) {
        if (this.#failure !== undefined) throw this.#failure.error;
        await new Promise<void>((resolve) => this.#wakeReaders.push(resolve));
      }
      for (const result of this.#finished.slice(read)) {
        read++;
        yield result;
      }
    }
  }

  #wake(): void {
    const readers = this.#wakeReaders;
    this.#wakeReaders = [];
    for (const wake of readers) wake();
  }
}
