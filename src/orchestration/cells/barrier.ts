// What must be kept before it is told: everything of the same sandbox that comes after waits its turn, and so does the word
// that the cell is gone, so that what was kept is never done again. Neighbours do not wait for each other.
import type { DoneItem, DoneReport, ChangedStates } from "../../execution/protocol/messages.ts";
import type { Clock } from "../../std/clock.ts";
import { itemsOf } from "../runs/run-groups.ts";

/** A store that has not answered by now is not waited for: the sandboxes of a dead cell must stand again. */
const keepMsMax = 30_000;

export class Barrier {
  readonly #clock: Clock;
  /** What came last of each sandbox, while it waits. */
  readonly #lasts = new Map<number, Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Nothing waits. */
  get isIdle(): boolean {
    return this.#lasts.size === 0;
  }

  /**
   * Calls `act` when `keep` is done and so is all that came before about the same sandbox: at once where there is nothing
   * to wait for. Keeping begins at once, so that what waits together waits no longer than its slowest part.
   */
  add(key: number, keep: (() => Promise<void>) | undefined, act: () => void): void {
    const before = this.#lasts.get(key);
    if (keep === undefined && before === undefined) return act();
    const keeping = keep === undefined ? undefined : this.#bounded(keep());
    const last = Promise.all([before, keeping])
      .then(act)
      .finally(() => {
        if (this.#lasts.get(key) === last) this.#lasts.delete(key);
      });
    this.#lasts.set(key, last);
  }

  /** Calls `act` when nothing waits any more. */
  afterAll(act: () => void): void {
    if (this.isIdle) act();
    else void Promise.all(this.#lasts.values()).then(act);
  }

  #bounded(keeping: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(keepMsMax, resolve);
      keeping.finally(() => timer.cancel()).then(resolve, reject);
    });
  }
}

/** What a report says of one sandbox. */
export interface DonePart {
  readonly states: ChangedStates[];
  readonly items: DoneItem[];
}

/** A report by the sandboxes that it is about; `keyOf` knows whose an operation is. What is nobody's is left out. */
export function partsOf(
  report: DoneReport,
  keyOf: (op: number) => number | undefined,
): ReadonlyMap<number, DonePart> {
  const parts = new Map<number, DonePart>();
  const partOf = (key: number): DonePart => {
    const part = parts.get(key) ?? { states: [], items: [] };
    parts.set(key, part);
    return part;
  };
  for (const state of report.states) partOf(state.key).states.push(state);
  for (const item of itemsOf(report)) {
    const key = keyOf(item.op);
    if (key !== undefined) partOf(key).items.push(item);
  }
  return parts;
}
