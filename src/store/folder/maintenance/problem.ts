// What can be wrong in a data folder, as data, and how a repair mends it.
import type { TableName, Value } from "./tables.ts";

/** Every kind of problem, with the sentence the documentation shows. */
export const problemKinds = {
  unreadable: "A part of the file cannot be read, or contradicts another part.",
  "lost-source": "A version whose source is missing or is not what was stored.",
  "lost-version": "A sandbox whose current revision needs a version that is not there.",
  "invalid-json": "A column that must be JSON of a certain form and is not.",
  "no-sandbox": "A version or a state that belongs to no sandbox.",
  "lost-artifact": "A compiled module that is missing or damaged. It is compiled again when it is needed.",
  "unreferenced-blob": "Texts that nothing refers to. Compaction drops them.",
} as const;
export type ProblemKind = keyof typeof problemKinds;

export interface Problem {
  readonly kind: ProblemKind;
  readonly table: TableName | null;
  /** The sandbox that it is about, where it is about one. */
  readonly sandboxId: string | null;
  /** A whole sentence. It may quote what a guest wrote. */
  readonly message: string;
}

/** A change to the database. */
export interface Change {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Something that does not fit together. */
export interface Mismatch extends Problem {
  /** Nothing is lost by it: it is said, and counts as no problem. */
  readonly isNote: boolean;
  /** What makes the rest fit together again. */
  readonly changes: readonly Change[];
  /** What the changes do. */
  readonly remedy: "dropped" | "replaced" | "none";
}

/** What a repair could not keep as it was. */
export interface Loss extends Problem {
  /** It could not be read, was dropped as it fits to nothing, or was replaced by something that does. */
  readonly remedy: "lost" | "dropped" | "replaced";
}

/** Problems up to a number, and how many there were beyond it. */
export class ProblemList<T extends Problem = Problem> {
  readonly #max: number;
  readonly problems: T[] = [];
  omitted = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(problem: T): void {
    if (this.problems.length < this.#max) this.problems.push(problem);
    else this.omitted++;
  }

  get count(): number {
    return this.problems.length + this.omitted;
  }
}
