// Who waits for a sandbox to be loaded. Waiting for a cell has a bound; what a cell has been given is bounded there.
import { VivariumError } from "../../model/errors.ts";
import { every, type Clock } from "../../std/clock.ts";
import type { Resident } from "../sandboxes/resident.ts";

interface Loading {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class Loadings {
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #underway = new Map<Resident, Loading>();

  constructor(clock: Clock, waitMs: number) {
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /** Waits for the load that `begin` sets off. */
  async wait(resident: Resident, begin: () => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#underway.set(resident, { resolve, reject });
    const timer = every(this.#clock, this.#waitMs, () => {
      if (resident.home === undefined) reject(noCellError(resident, this.#waitMs));
    });
    try {
      begin();
      await promise;
    } finally {
      timer.cancel();
      this.#underway.delete(resident);
    }
  }

  has(resident: Resident): boolean {
    return this.#underway.has(resident);
  }

  succeed(resident: Resident): void {
    this.#underway.get(resident)?.resolve();
  }

  fail(resident: Resident, error: Error): void {
    this.#underway.get(resident)?.reject(error);
  }

  failAll(errorFor: (resident: Resident) => Error): void {
    for (const [resident, { reject }] of this.#underway) reject(errorFor(resident));
  }
}

/** A sandbox waited for a cell in vain. */
export function noCellError({ id }: Resident, waitMs: number): VivariumError {
  const why = `it must get a cell within ${waitMs} ms: none had room`;
  return new VivariumError("CELLS_UNAVAILABLE", `Cannot load sandbox "${id}" as ${why}`);
}
