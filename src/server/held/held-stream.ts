// A stream of a guest between requests: parts that a caller was not there to take are kept for its next request.
import { toWireValue } from "../../contract/values.ts";
import type { WireParts } from "../../contract/run-bodies.ts";
import type { SandboxStream } from "../../index.ts";
import type { Held } from "./handles.ts";

type Returned = Pick<WireParts, "done" | "returned">;

/** An answer has fewer parts than were asked for where they are longer than this together. */
const answerLengthMax = 8 * 2 ** 20;

/** After a stream became idle its reason can be asked for so long. */
const graceMs = 60_000;

export class HeldStream implements Held {
  readonly sandboxId: string;
  readonly idleMs: number;
  readonly #stream: SandboxStream;
  readonly #cut = new AbortController();
  /** The part that is being produced: also where nobody waits for it any more, one is at a time. */
  #pulling: Promise<unknown> | undefined;
  /** Parts that were produced and not delivered. */
  #parts: WireParts["parts"][number][] = [];
  #returned: Returned | undefined;
  #failure: { readonly error: unknown } | undefined;
  #tail: Promise<unknown> = Promise.resolve();

  /** `open` begins the stream; its signal ends it. */
  constructor(
    open: (signal: AbortSignal) => SandboxStream,
    about: { readonly sandboxId: string; readonly idleMs: number },
  ) {
    this.#stream = open(this.#cut.signal);
    this.sandboxId = about.sandboxId;
    this.idleMs = about.idleMs + graceMs;
  }

  /**
   * The next parts, at most so many; requests are answered one after the other. Rejects with what ended the stream. Once the
   * signal is aborted there are none, and the part that is being produced is for the next request.
   */
  async next(count: number, signal: AbortSignal): Promise<WireParts> {
    const parts = this.#tail.then(() => this.#next(count, signal));
    this.#tail = parts.catch(() => {});
    return (await this.#whileAsked(signal, parts)) ?? nothing();
  }

  /** Lets the generator's `finally` blocks run; a part that is being produced is ended at once. */
  async end(): Promise<void> {
    if (this.#pulling !== undefined) this.#cut.abort();
    await this.#stream.return();
  }

  async #next(count: number, signal: AbortSignal): Promise<WireParts> {
    let length = 0;
    while (this.#parts.length < count && length < answerLengthMax && !signal.aborted && !this.#isOver) {
      this.#pulling ??= this.#pull();
      const part = await this.#whileAsked(signal, this.#pulling);
      if (part !== undefined) length += JSON.stringify(part).length;
    }
    // Nobody is there to take them.
    if (signal.aborted) return nothing();
    const parts = this.#parts.splice(0, count);
    if (this.#parts.length > 0) return { parts, done: false };
    if (this.#failure !== undefined && parts.length === 0) throw this.#failure.error;
    return { parts, ...(this.#returned ?? { done: false }) };
  }

  // Undefined where the caller is gone before.
  async #whileAsked<T>(signal: AbortSignal, awaited: Promise<T>): Promise<T | undefined> {
    const gone = Promise.withResolvers<undefined>();
    const onAbort = (): void => gone.resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return await Promise.race([awaited, gone.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  get #isOver(): boolean {
    return this.#returned !== undefined || this.#failure !== undefined;
  }

  async #pull(): Promise<unknown> {
    try {
      const { done, value } = await this.#stream.next();
      const wire = toWireValue(value, Infinity, "kept");
      if (done === true) this.#returned = { done: true, returned: wire };
      else this.#parts.push(wire);
      return wire;
    } catch (error) {
      this.#failure = { error };
      return undefined;
    } finally {
      this.#pulling = undefined;
    }
  }
}

const nothing = (): WireParts => ({ parts: [], done: false });
