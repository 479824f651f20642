// States are stored, and long values read, before the answers that go with them are passed on. Later reports of the same sandbox wait for that, and so
// does the report that the cell is gone, so that what was stored is never done again. Sandboxes do not wait for each other.
import type { DoneItem, DoneReport, ChangedStates } from "../../execution/protocol/messages.ts";
import type { Clock } from "../../std/clock.ts";
import { itemsOf } from "../runs/cell-messages.ts";

/** A store that takes longer is not waited for: the sandboxes of a lost cell must be loaded again. */
const storeMsMax = 30_000;

/** What is waited for before answers are passed on. */
export interface WorkBefore {
  /** Stores states; it begins at once, and is waited for only so long. */
  readonly store?: () => Promise<void>;
  /** Values that are being read on our own thread: they end by themselves, and without them there is no answer. */
  readonly readings: readonly Promise<void>[];
}

export class Barrier {
  readonly #clock: Clock;
  /** By isolate: settles when all its reports so far are passed on. */
  readonly #lasts = new Map<number, Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Nothing waits. */
  get isIdle(): boolean {
    return this.#lasts.size === 0;
  }

  /**
   * Calls `act` when the work is done and so is all that came before about the same isolate; at once where there is nothing to
   * wait for. Storing begins at once, so that several wait no longer than the slowest of them.
   */
  add(key: number, { store, readings }: WorkBefore, act: () => void): void {
    const before = this.#lasts.get(key);
    if (store === undefined && readings.length === 0 && before === undefined) return act();
    const storing = store === undefined ? undefined : this.#bounded(store());
    const last = Promise.all([before, storing, ...readings])
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

  #bounded(storing: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(storeMsMax, resolve);
      storing.finally(() => timer.cancel()).then(resolve, reject);
    });
  }
}

/** The part of a report that is about one isolate. */
export interface DonePart {
  readonly states: ChangedStates[];
  readonly items: DoneItem[];
}

/** A report by isolates; `keyOf` finds the isolate of an operation. Operations that are not known are left out. */
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
