// Whether a sandbox is at fault for the death of a cell or of an isolate that it shared: by that it may share one, must be alone,
// or is refused.

/**
 * `suspect` it may have brought down a cell, until a run in a cell of its own goes well; `offender` it did once; `refused` it
 * did again.
 */
export type FaultLevel = "clear" | "suspect" | "offender" | "refused";

export class FaultRecord {
  #level: FaultLevel = "clear";
  #isApart = false;

  /** It may not share a cell. */
  get isQuarantined(): boolean {
    return this.#level !== "clear";
  }

  /** It cost an isolate that it shared with others, and has its own from now on. */
  get isApart(): boolean {
    return this.#isApart;
  }

  noteSharedLoss(): void {
    this.#isApart = true;
  }

  /** It may have brought down a cell; false where it is a suspect or worse already. */
  noteSuspicion(): boolean {
    if (this.#level !== "clear") return false;
    this.#level = "suspect";
    return true;
  }

  /** It brought down its cell; returns its new level. */
  noteFault(): FaultLevel {
    const isAgain = this.#level === "offender" || this.#level === "refused";
    this.#level = isAgain ? "refused" : "offender";
    return this.#level;
  }

  /** One of its runs went well. */
  noteGoodRun(): void {
    if (this.#level === "suspect") this.#level = "clear";
  }

  /** It is restarted: once more, alone in a cell. */
  noteRestart(): void {
    if (this.#level === "refused") this.#level = "offender";
  }
}
