// Requests that are under way: each has a signal that its connection aborts, or the end of the server.

/** One request. */
export interface Request {
  readonly signal: AbortSignal;
  /** Its caller is gone. */
  readonly abort: () => void;
  /** It is answered, its lines included. */
  readonly end: () => void;
}

export class Underway {
  /**
   * How to abort each, and the request itself, which is held: the signal of one that nobody holds is never aborted in Node, and its
   * caller need not hold it while an answer in lines is under way.
   */
  readonly #requests = new Map<() => void, globalThis.Request>();
  #idle: PromiseWithResolvers<void> | undefined;
  #isClosed = false;

  get size(): number {
    return this.#requests.size;
  }

  /** No other request is taken. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  begin(held: globalThis.Request): Request {
    const connection = held.signal;
    const controller = new AbortController();
    const abort = (): void => controller.abort(connection.reason);
    connection.addEventListener("abort", abort, { once: true });
    if (connection.aborted) abort();
    this.#requests.set(abort, held);
    const end = (): void => {
      connection.removeEventListener("abort", abort);
      if (this.#requests.delete(abort) && this.#requests.size === 0) this.#idle?.resolve();
    };
    return { signal: controller.signal, abort, end };
  }

  refuse(): void {
    this.#isClosed = true;
  }

  /** Aborts what is under way. */
  abort(): void {
    for (const abort of this.#requests.keys()) abort();
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    if (this.#requests.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }
}
