// That something is over, for those who wait for that. There is an AbortSignal for it too, which is made only where somebody asks
// for it: with a listener and its event it takes longer than many a run.
import { LinkedList, type Link } from "./linked-list.ts";

export class Ending {
  readonly #waiting = new LinkedList<() => void>();
  #controller: AbortController | undefined;
  #over: { readonly reason: string } | undefined;

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  /** Aborted when it is over. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#over !== undefined) this.#controller.abort(this.#over.reason);
    }
    return this.#controller.signal;
  }

  /** Calls `act` when it is over, unless the link is given back before; to be asked only where it is not over. */
  onEnd(act: () => void): Link<() => void> {
    return this.#waiting.add(act);
  }

  forget(link: Link<() => void>): void {
    this.#waiting.remove(link);
  }

  /** It is over; only the first call counts. */
  end(reason: string): void {
    if (this.#over !== undefined) return;
    this.#over = { reason };
    for (const act of this.#waiting) act();
    this.#controller?.abort(reason);
  }
}
