// Code that has brought down a cell, remembered for each tenant by itself: what one tenant's sandboxes did with a code says
// nothing about another's, and must not cost it anything.
import type { Placement } from "../../model/sandboxes/placement.ts";
import { Lru } from "../../std/lru.ts";

/** A sandbox's code, and for whom it runs. */
export interface PlacedCode {
  readonly placement: Placement;
  readonly codeKey: string;
}

const killersMax = 10_000;

export class KillerCode {
  readonly #killers = new Lru<true>(killersMax);

  /** The sandbox brought down a cell. */
  note(code: PlacedCode): void {
    this.#killers.set(keyOfCode(code), true, 1);
  }

  /** Whether a sandbox of the same tenant brought down a cell with this code. */
  has(code: PlacedCode): boolean {
    return this.#killers.get(keyOfCode(code)) !== undefined;
  }
}

/** The same for the same code of the same tenant, and for no other: the name of a tenant has no blanks, and none is empty. */
export function keyOfCode({ placement: { tenant }, codeKey }: PlacedCode): string {
  return `${tenant ?? ""} ${codeKey}`;
}
