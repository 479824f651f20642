// Items through batches, so that results come while later items are still being read, and not more is read than is worked on.

export interface PipelineOptions<I, R> {
  /** The items as they arrive. */
  readonly groups: AsyncIterator<readonly I[]>;
  /** How many items are without a result at a time. */
  readonly itemsMax: number;
  /** Starts a batch; `offset` is the number of items before it. */
  readonly start: (items: readonly I[], offset: number) => AsyncIterable<R>;
  /** Ends it, whatever is under way. */
  readonly signal: AbortSignal;
}

type Step<R> =
  | { readonly kind: "read"; readonly isOver: boolean }
  | { readonly kind: "result"; readonly from: AsyncIterator<R>; readonly result: IteratorResult<R, unknown> }
  | { readonly kind: "ended" };

/** The results of all batches as they come. */
export async function* pipeline<I, R>(options: PipelineOptions<I, R>): AsyncGenerator<R, void> {
  const { promise: ended, resolve: end } = Promise.withResolvers<Step<R>>();
  const onAbort = (): void => end({ kind: "ended" });
  options.signal.addEventListener("abort", onAbort, { once: true });
  try {
    yield* new Pipeline(options).results(ended);
  } finally {
    options.signal.removeEventListener("abort", onAbort);
  }
}

class Pipeline<I, R> {
  readonly #options: PipelineOptions<I, R>;
  /** The batches that are under way, each with its next result. */
  readonly #batches = new Map<AsyncIterator<R>, Promise<Step<R>>>();
  /** Read, and in no batch yet. */
  #waiting: readonly I[] = [];
  #reading: Promise<Step<R>> | undefined;
  #isOver = false;
  #begun = 0;
  #done = 0;

  constructor(options: PipelineOptions<I, R>) {
    this.#options = options;
  }

  async *results(ended: Promise<Step<R>>): AsyncGenerator<R, void> {
    for (;;) {
      this.#fill();
      const steps = [...this.#batches.values()];
      if (this.#reading !== undefined) steps.push(this.#reading);
      if (steps.length === 0) return;
      const step = await Promise.race([ended, ...steps]);
      if (step.kind === "ended") return;
      if (step.kind === "read") {
        this.#reading = undefined;
        this.#isOver = step.isOver;
      } else if (step.result.done === true) this.#batches.delete(step.from);
      else {
        this.#batches.set(step.from, kept(this.#next(step.from)));
        this.#done++;
        yield step.result.value;
      }
    }
  }

  // Batches of half of what may be under way at least, as each is a request of its own to a server.
  #fill(): void {
    const { itemsMax, start } = this.#options;
    const room = itemsMax - (this.#begun - this.#done);
    if (this.#waiting.length > 0 && room >= itemsMax / 2) {
      const items = this.#waiting.slice(0, room);
      this.#waiting = this.#waiting.slice(room);
      const batch = start(items, this.#begun)[Symbol.asyncIterator]();
      this.#begun += items.length;
      this.#batches.set(batch, kept(this.#next(batch)));
    }
    if (this.#waiting.length === 0 && !this.#isOver) this.#reading ??= kept(this.#read());
  }

  async #read(): Promise<Step<R>> {
    const group = await this.#options.groups.next();
    if (group.done !== true) this.#waiting = group.value;
    return { kind: "read", isOver: group.done === true };
  }

  async #next(from: AsyncIterator<R>): Promise<Step<R>> {
    return { kind: "result", from, result: await from.next() };
  }
}

// Whoever fails first is told; what fails beside it must not be an unhandled rejection.
function kept<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
