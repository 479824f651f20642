// What is known of how long code takes to load: of each tenant's own code alone, as another's could be made to look slow.
import { heldMsMax, quickMs } from "../../execution/main-lane.ts";
import { Lru } from "../../std/lru.ts";
import type { Pace } from "../runs/lane.ts";
import { keyOfCode, type PlacedCode } from "./killer-code.ts";

/** How long all keys may be together, which are as long as their code has modules. */
const keysLengthMax = 4_000_000;

export class LoadPaces {
  readonly #paces = new Lru<Pace>(keysLengthMax);

  paceOf(code: PlacedCode): Pace {
    return this.#paces.get(keyOfCode(code)) ?? "unknown";
  }

  /** It was loaded in so long. */
  note(code: PlacedCode, wallMs: number): void {
    if (wallMs <= quickMs) this.#set(code, "quick");
    else if (wallMs > heldMsMax) this.#set(code, "slow");
  }

  /** A slice was too short for it. */
  noteSlow(code: PlacedCode): void {
    this.#set(code, "slow");
  }

  #set(code: PlacedCode, pace: Pace): void {
    const key = keyOfCode(code);
    this.#paces.set(key, pace, key.length);
  }
}
