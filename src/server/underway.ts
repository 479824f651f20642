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
  readonly #requests = new Set<() => void>();
  #idle: PromiseWithResolvers<void> | undefined;
  #isClosed = false;

  get size(): number {
    return this.#requests.size;
  }

  /** No other request is taken. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  begin(connection: AbortSignal): Request {
    const controller = new AbortController();
    const abort = (): void => controller.abort(connection.reason);
    connection.addEventListener("abort", abort, { once: true });
    if (connection.aborted) abort();
    this.#requests.add(abort);
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
    for (const abort of this.#requests) abort();
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    if (this.#requests.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }
}
