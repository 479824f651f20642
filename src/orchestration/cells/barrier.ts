// What must be kept before it is told: everything that comes after waits its turn, also the news that the cell is gone, so
// that what was kept is never done again.
import type { Clock } from "../../std/clock.ts";

/** A store that has not answered by now is not waited for: the sandboxes of a dead cell must stand again. */
const keepMsMax = 30_000;

export class KeptOrder {
  readonly #clock: Clock;
  #last: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `act` when `keep` is done and so is all that came before: at once where there is nothing to wait for. */
  add(keep: (() => Promise<void>) | undefined, act: () => void): void {
    if (keep === undefined && this.#last === undefined) return act();
    const before = this.#last ?? Promise.resolve();
    const last = before
      .then(() => (keep === undefined ? undefined : this.#bounded(keep())))
      .then(act)
      .finally(() => {
        if (this.#last === last) this.#last = undefined;
      });
    this.#last = last;
  }

  #bounded(keeping: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(keepMsMax, resolve);
      keeping.finally(() => timer.cancel()).then(resolve, reject);
    });
  }
}
