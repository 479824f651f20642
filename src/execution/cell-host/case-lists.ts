// Lists of cases that series of several sandboxes are about: they came in once, and are kept by their numbers until the host
// releases them. The host bounds how many there are.
import type { KeepCommand } from "../protocol/messages.ts";
import type { Series } from "../protocol/run-parts.ts";

interface KeptList {
  readonly targets: string;
  readonly cases: readonly string[];
  /** The text that was asked for last: nearly all sandboxes begin with the same cases. */
  latest: { readonly from: number; readonly count: number; readonly text: string } | undefined;
}

export class CaseLists {
  readonly #byNumber = new Map<number, KeptList>();

  keep({ list, targets, cases }: KeepCommand): void {
    this.#byNumber.set(list, { targets: JSON.stringify(targets), cases, latest: undefined });
  }

  release(numbers: readonly number[]): void {
    for (const number of numbers) this.#byNumber.delete(number);
  }

  /** The cases of a series as the guest runtime reads them; undefined where they are not there. */
  textOf({ list, from, count }: Series): string | undefined {
    const kept = this.#byNumber.get(list);
    if (kept === undefined || from + count > kept.cases.length) return undefined;
    const { targets, cases, latest } = kept;
    if (latest?.from === from && latest.count === count) return latest.text;
    const text = `[${targets},${cases.slice(from, from + count).join(",")}]`;
    kept.latest = { from, count, text };
    return text;
  }
}
