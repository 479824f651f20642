// AbortController and AbortSignal.
import { countListeners, dispatch, Event, EventTarget, watchListeners } from "./event-target.ts";
import type { Exceptions } from "./exceptions.ts";
import type { Needs } from "./needs.ts";

let needs: Needs;
/** Counts aborts, so that of two the earlier is known. */
let abortsSoFar = 0;
/** Only what is here may construct signals. */
let mayConstruct = false;
let abort: (signal: AbortSignal, reason: unknown) => void;
let combine: (signal: AbortSignal, sources: readonly AbortSignal[]) => void;

/** Runs before any of these classes is used. */
export function connectSignals(given: Needs): void {
  needs = given;
}

export class AbortSignal extends EventTarget {
  /** Its place among all aborts; 0 where it is not aborted. */
  #abortedAs = 0;
  #reason: unknown;
  #onabort: ((event: Event) => unknown) | null = null;
  #listener: ((event: Event) => void) | undefined;
  /** Those that abort it, none of which has any itself. */
  #sources: readonly AbortSignal[] = [];
  /**
   * Those that it aborts, as far as anybody listens to them. The others look at their sources when they are read: a signal that
   * lives long does not keep all that were ever made of it.
   */
  readonly #dependents = new Set<AbortSignal>();

  constructor() {
    if (!mayConstruct) throw new TypeError("Cannot construct an AbortSignal: use an AbortController");
    super();
  }

  static {
    abort = (signal, reason) => signal.#abort(reason);
    combine = (signal, sources) => {
      signal.#sources = sources.flatMap((source) =>
        source.#sources.length === 0 ? [source] : source.#sources,
      );
      watchListeners(signal, () => signal.#follow());
    };
  }

  static abort(reason?: unknown): AbortSignal {
    const signal = newSignal();
    abort(signal, reason);
    return signal;
  }

  static timeout(delay: unknown): AbortSignal {
    const delayMs = Number(delay);
    if (Number.isNaN(delayMs))
      throw new TypeError("Cannot set a timeout as it must be a number of milliseconds");
    if (delayMs < 0 || delayMs > Number.MAX_SAFE_INTEGER)
      throw new RangeError(`Cannot set a timeout as it must not be negative: got ${delayMs}`);
    const signal = newSignal();
    const { DOMException } = needs.made("exceptions") as Exceptions;
    needs.setTimeout(() => {
      abort(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError"));
    }, delayMs);
    return signal;
  }

  static any(signals: unknown): AbortSignal {
    if (typeof signals !== "object" || signals === null)
      throw new TypeError("Cannot combine signals as they must be a list");
    const sources: AbortSignal[] = [];
    for (const source of signals as Iterable<unknown>) {
      if (!(source instanceof AbortSignal)) throw new TypeError("Cannot combine signals as each must be one");
      sources.push(source);
    }
    const signal = newSignal();
    const aborted = sources.find((source) => source.aborted);
    if (aborted === undefined) combine(signal, sources);
    else abort(signal, aborted.reason);
    return signal;
  }

  get aborted(): boolean {
    this.#look();
    return this.#abortedAs > 0;
  }

  get reason(): unknown {
    this.#look();
    return this.#reason;
  }

  get onabort(): unknown {
    return this.#onabort;
  }

  set onabort(given: unknown) {
    this.#onabort = typeof given === "function" ? (given as (event: Event) => unknown) : null;
    // One listener for all that are ever set, at the place of the first.
    if (this.#listener === undefined && this.#onabort !== null) {
      this.#listener = (event) => void this.#onabort?.call(this, event);
      this.addEventListener("abort", this.#listener);
    } else if (this.#listener !== undefined && this.#onabort === null) {
      this.removeEventListener("abort", this.#listener);
      this.#listener = undefined;
    }
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  // Aborted already by a source whose abort was not told, as nobody listens.
  #look(): void {
    if (this.#abortedAs > 0) return;
    let first: AbortSignal | undefined;
    for (const source of this.#sources)
      if (source.#abortedAs > 0 && (first === undefined || source.#abortedAs < first.#abortedAs))
        first = source;
    if (first === undefined) return;
    this.#abortedAs = first.#abortedAs;
    this.#reason = first.#reason;
    for (const source of this.#sources) source.#dependents.delete(this);
    this.#sources = [];
  }

  #follow(): void {
    const hasListeners = countListeners(this, "abort") > 0;
    for (const source of this.#sources)
      if (hasListeners) source.#dependents.add(this);
      else source.#dependents.delete(this);
  }

  #abort(reason: unknown): void {
    if (this.aborted) return;
    const { DOMException } = needs.made("exceptions") as Exceptions;
    this.#abortedAs = ++abortsSoFar;
    this.#reason =
      reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
    const dependents = [...this.#dependents];
    // All are aborted before any listener is called, and follow nobody any more.
    for (const dependent of dependents) dependent.#look();
    for (const signal of [this, ...dependents]) dispatch(signal, new Event("abort"), true);
  }
}

export class AbortController {
  readonly #signal = newSignal();

  get signal(): AbortSignal {
    return this.#signal;
  }

  abort(reason?: unknown): void {
    abort(this.#signal, reason);
  }
}

function newSignal(): AbortSignal {
  mayConstruct = true;
  try {
    return new AbortSignal();
  } finally {
    mayConstruct = false;
  }
}
