// Which code one sandbox was quick to evaluate in a reload: a rollback to it need not wait for a thread of its own.
import { heldMsMax, quickMs } from "../../execution/main-lane.ts";
import { Lru } from "../../std/lru.ts";

/** How long the keys of quick code may be together, which are as long as a reload has modules. */
const keysLengthMax = 16_384;

export class ReloadPaces {
  #quick: Lru<true> | undefined;
  /** Code that had been quick held the main lane for long: from then on none is believed to be. */
  #hasHeld = false;

  /** Whether this code was quick the last time. */
  isQuick(codeKey: string): boolean {
    return !this.#hasHeld && this.#quick?.get(codeKey) === true;
  }

  /** It was evaluated in so long. */
  note(codeKey: string, wallMs: number): void {
    if (this.isQuick(codeKey) && wallMs > heldMsMax) this.#hasHeld = true;
    if (wallMs > quickMs) return this.#quick?.delete(codeKey);
    this.#quick ??= new Lru(keysLengthMax);
    this.#quick.set(codeKey, true, codeKey.length);
  }
}
