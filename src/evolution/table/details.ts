// What is known of individuals beside their rows: of the living as it is, of all others as JSON within a bound in bytes. There,
// those that died or were told of first make room.
import type { Details } from "./individual-row.ts";

export const noDetails: Details = {
  createdAt: null,
  components: {},
  tests: [],
  message: null,
  adjustments: [],
};

export class DetailsTable {
  readonly #bytesMax: number;
  readonly #onDropped: (row: number) => void;
  #living = new Map<number, Details>();
  /** Oldest first. */
  #past = new Map<number, string>();
  #bytes = 0;

  constructor(bytesMax: number, onDropped: (row: number) => void) {
    this.#bytesMax = bytesMax;
    this.#onDropped = onDropped;
  }

  /** Of those that do not live, as JSON. */
  get bytes(): number {
    return this.#bytes;
  }

  living(row: number): Details | undefined {
    return this.#living.get(row);
  }

  /** Undefined where nothing is known, or not any more. */
  get(row: number): Details | undefined {
    const past = this.#past.get(row);
    // Written below, from details.
    return this.#living.get(row) ?? (past === undefined ? undefined : (JSON.parse(past) as Details));
  }

  /** It lives from now on; what was told of it before stays. */
  bear(row: number): void {
    const details = this.get(row) ?? { ...noDetails };
    this.#forget(row);
    this.#living.set(row, { ...details, createdAt: null, adjustments: [...details.adjustments] });
  }

  /** Adds to what is known, or replaces it. */
  update(row: number, change: Partial<Details>): void {
    const living = this.#living.get(row);
    if (living !== undefined) Object.assign(living, change);
    else this.#putPast(row, { ...noDetails, ...this.get(row), ...change });
  }

  /** It lives no more. */
  archive(row: number): void {
    const details = this.#living.get(row);
    this.#living.delete(row);
    if (details !== undefined) this.#putPast(row, details);
  }

  restore(row: number, details: Details, isLiving: boolean): void {
    if (isLiving) this.#living.set(row, details);
    else this.#putPast(row, details);
  }

  /** Rows move to new places; those whose place is negative go. */
  move(placeOf: (row: number) => number): void {
    const [living, past] = [this.#living, this.#past];
    this.#living = new Map();
    this.#past = new Map();
    for (const [row, details] of living) this.#living.set(placeOf(row), details);
    for (const [row, text] of past) {
      if (placeOf(row) >= 0) this.#past.set(placeOf(row), text);
      else this.#bytes -= text.length;
    }
  }

  #putPast(row: number, details: Details): void {
    this.#forget(row);
    const { components, tests, message, adjustments } = details;
    const isEmpty = tests.length + adjustments.length + Object.keys(components).length === 0;
    if (isEmpty && message === null) return;
    const text = JSON.stringify(details);
    this.#past.set(row, text);
    this.#bytes += text.length;
    for (const oldest of this.#past.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#forget(oldest);
      this.#onDropped(oldest);
    }
  }

  #forget(row: number): void {
    this.#bytes -= this.#past.get(row)?.length ?? 0;
    this.#past.delete(row);
  }
}
