// An error or warning of the compiler or the gate about one position in a source.

/** A message with its position in the guest's own source. Lines and columns count from 1. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly module: string;
  readonly line: number;
  readonly column: number;
  /** A few source lines around the position with a mark under it. */
  readonly frame: string;
}
