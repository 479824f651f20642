// Sandboxes with the same limits have one object of them: their runs then share their terms, and travel together.
import { limitNames, type Limits } from "../../model/limits.ts";
import { Lru } from "../../std/lru.ts";

/** How many different sets are known; the one that was used least recently is then forgotten, and known anew. */
const setsMax = 256;

export class LimitSets {
  readonly #known = new Lru<Limits>(setsMax);
  /** Those of most sandboxes are the ones of the sandbox before. */
  #latest: Limits | undefined;

  /** The object that all have whose limits are equal to these. */
  of(limits: Limits): Limits {
    const latest = this.#latest;
    if (latest !== undefined && limitNames.every((name) => latest[name] === limits[name])) return latest;
    const key = limitNames.map((name) => limits[name]).join();
    const known = this.#known.get(key) ?? limits;
    this.#known.set(key, known, 1);
    this.#latest = known;
    return known;
  }
}
