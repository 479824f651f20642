// What comes in for a sandbox whose isolate is still being booted waits for it, in its order.

interface Arrival {
  readonly waiting: (() => void)[];
  /** It was dropped before its isolate was there. */
  isUnwanted: boolean;
}

export class Arrivals {
  readonly #byKey = new Map<number, Arrival>();

  /** How many are being booted. */
  get size(): number {
    return this.#byKey.size;
  }

  expect(key: number): void {
    this.#byKey.set(key, { waiting: [], isUnwanted: false });
  }

  /** Its isolate is there: `begin` is called, then all that waited. */
  arrive(key: number, begin: (isUnwanted: boolean) => void): void {
    const arrival = this.#byKey.get(key);
    this.#byKey.delete(key);
    begin(arrival?.isUnwanted === true);
    for (const act of arrival?.waiting ?? []) act();
  }

  /** Acts now, or when the isolate is there. */
  whenThere(key: number, act: () => void): void {
    const arrival = this.#byKey.get(key);
    if (arrival === undefined) act();
    else arrival.waiting.push(act);
  }

  /** As `whenThere`, for what drops the sandbox: it need not be loaded any more. */
  whenDropped(key: number, act: () => void): void {
    const arrival = this.#byKey.get(key);
    if (arrival !== undefined) arrival.isUnwanted = true;
    this.whenThere(key, act);
  }
}
