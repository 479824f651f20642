// What must be kept before it is told: everything that comes after waits its turn, also the word that the cell is gone, so
// that what was kept is never done again.
import type { Clock } from "../../std/clock.ts";

/** A store that has not answered by now is not waited for: the sandboxes of a dead cell must stand again. */
const keepMsMax = 30_000;

export class Barrier {
  readonly #clock: Clock;
  #last: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Calls `act` when `keep` is done and so is all that came before: at once where there is nothing to wait for. Keeping
   * begins at once, so that what waits together waits no longer than its slowest part.
   */
  add(keep: (() => Promise<void>) | undefined, act: () => void): void {
    if (keep === undefined && this.#last === undefined) return act();
    const keeping = keep === undefined ? undefined : this.#bounded(keep());
    const last = Promise.all([this.#last, keeping])
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
