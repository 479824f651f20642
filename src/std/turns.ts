// One thing after the other, in the order in which they were asked for, and only so many that wait.
export class Turns {
  #waiting = 0;
  #tail: Promise<unknown> = Promise.resolve();

  /** How many are under way or wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** The first one begins at once, so that what its caller does next comes after it. */
  take<R>(act: () => Promise<R>): Promise<R> {
    const result = this.#waiting === 0 ? act() : this.#tail.then(act);
    this.#waiting++;
    const settle = (): void => {
      this.#waiting--;
    };
    this.#tail = result.then(settle, settle);
    return result;
  }
}
