// What every method has that waits: for a cell, the compiler, the store or the disk.

/** How long a caller waits, and what ends that sooner. What happens then to what was begun is said beside each method. */
export interface CancelOptions {
  /** Ends it when it is aborted: it rejects with `CANCELLED`, whose cause is the signal's reason. */
  readonly signal?: AbortSignal;
  /** How long all of it may take, 1–86,400,000; then it rejects with `CANCELLED`, which names this bound. Default: as long as it takes. */
  readonly deadlineMs?: number;
}
