// What is held against a sandbox: whether it may share a cell with others, and whether it is let in at all.

/** A suspect is cleared by behaving; an offender never; who offends again is refused. */
export type Standing = "clear" | "suspect" | "offender" | "refused";

export class FaultRecord {
  #standing: Standing = "clear";

  get standing(): Standing {
    return this.#standing;
  }

  /** It may not share a cell. */
  get isQuarantined(): boolean {
    return this.#standing !== "clear";
  }

  /** It may have brought down a cell; false where worse is known of it already. */
  suspect(): boolean {
    if (this.#standing !== "clear") return false;
    this.#standing = "suspect";
    return true;
  }

  /** It brought down its cell. */
  convict(): void {
    const isAgain = this.#standing === "offender" || this.#standing === "refused";
    this.#standing = isAgain ? "refused" : "offender";
  }

  /** It behaved, alone. */
  clear(): void {
    if (this.#standing === "suspect") this.#standing = "clear";
  }

  /** Its owner wants to try it once more, alone in a cell. */
  readmit(): void {
    if (this.#standing === "refused") this.#standing = "offender";
  }
}
