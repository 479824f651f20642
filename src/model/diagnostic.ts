// What a compiler or gate has to say about one place in a source.

/** A finding with its place in the guest's own source. Lines and columns count from 1. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly module: string;
  readonly line: number;
  readonly column: number;
  /** A few source lines around the place with a mark under it. */
  readonly frame: string;
}
