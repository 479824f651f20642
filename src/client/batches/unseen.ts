// Sandboxes of a batch that was given up, of which nobody was told: those that had no id have one that was made up here, so that
// they can be destroyed although their results never came.
import { isRecord } from "../../model/schema.ts";
import { uniqueText } from "../../std/portable.ts";

/** After how long those are destroyed that were not there yet when their batch was given up. */
const againMs = 250;

/** The item itself, or one with an id of its own where it has none. */
export function withId<I>(item: I, prefix: string): I {
  if (!isRecord(item) || item["id"] !== undefined) return item;
  return { ...item, id: `${prefix}sandbox-${uniqueText()}` };
}

/** The made-up ids of a batch, and what destroys those that no result came of. */
export class Unseen {
  readonly #ids = new Map<number, string>();

  add(index: number, id: unknown): void {
    if (typeof id === "string") this.#ids.set(index, id);
  }

  /** `index` has its result. */
  seen(index: number): void {
    this.#ids.delete(index);
  }

  /** Destroys the others, and once more those that came late. */
  destroy(act: (ids: readonly string[]) => void, after: (ms: number, act: () => void) => unknown): void {
    const ids = [...this.#ids.values()];
    if (ids.length === 0) return;
    act(ids);
    after(againMs, () => act(ids));
  }
}
