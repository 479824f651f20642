// The sandbox's clock: the machine's, or a virtual one that stands still until a timer moves it.

const realNow = Date.now;

export class SandboxClock {
  #latest = 0;
  #origin: number = realNow();
  #virtual: number | undefined;

  get isVirtual(): boolean {
    return this.#virtual !== undefined;
  }

  /** From here on time is virtual and stands at `now`. */
  freeze(now: number): void {
    this.#virtual = now;
    this.#origin = now;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#virtual ?? realNow();
  }

  /** Never goes back, even where the machine's clock does. */
  steady(): number {
    if (this.#virtual !== undefined) return this.#virtual;
    const now = realNow();
    if (now > this.#latest) this.#latest = now;
    return this.#latest;
  }

  sinceOrigin(): number {
    return this.steady() - this.#origin;
  }

  /** A virtual clock jumps to the moment a timer is due; the machine's goes its own way. */
  reach(moment: number): void {
    if (this.#virtual !== undefined && moment > this.#virtual) this.#virtual = moment;
  }
}
