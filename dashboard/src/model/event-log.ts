// The latest events, as they came, within a bound: what the view of events shows.
import type { AnyEvent } from "../../../src/index.ts";

export interface LoggedEvent {
  /** Counted from 1 by the page. */
  readonly number: number;
  readonly any: AnyEvent;
}

export class EventLog {
  readonly #max: number;
  #ring: LoggedEvent[] = [];
  #start = 0;
  #last = 0;

  constructor(max = 10_000) {
    this.#max = max;
  }

  /** How many came in all. */
  get total(): number {
    return this.#last;
  }

  get size(): number {
    return this.#ring.length;
  }

  push(any: AnyEvent): void {
    const logged = { number: ++this.#last, any };
    if (this.#ring.length < this.#max) this.#ring.push(logged);
    else {
      this.#ring[this.#start] = logged;
      this.#start = (this.#start + 1) % this.#max;
    }
  }

  /** The oldest that is kept has place 0. */
  at(place: number): LoggedEvent | undefined {
    return this.#ring[(this.#start + place) % this.#ring.length];
  }

  /** Newest first, those that are wanted, at most so many. */
  latest(count: number, isWanted: (logged: LoggedEvent) => boolean = () => true): readonly LoggedEvent[] {
    const found: LoggedEvent[] = [];
    for (let place = this.size - 1; place >= 0 && found.length < count; place--) {
      const logged = this.at(place);
      if (logged !== undefined && isWanted(logged)) found.push(logged);
    }
    return found;
  }

  clear(): void {
    [this.#ring, this.#start, this.#last] = [[], 0, 0];
  }
}
