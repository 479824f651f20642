// What a run has used.

/**
 * Measured on every outcome. Bytes and milliseconds; heap figures are the latest samples of the isolate. Where the cell was
 * killed with the run inside, the times are those that the host measured until then.
 */
export interface Usage {
  /** From entry into the isolate to its end. */
  readonly wallMs: number;
  /** Of the isolate; where that was lost with the run inside, of its cell meanwhile, at most `wallMs`. */
  readonly cpuMs: number;
  /** Waiting before the entry. */
  readonly queuedMs: number;
  readonly heapBytes: number;
  readonly heapPeakBytes: number;
  readonly externalBytes: number;
  /** Running processes, their greatest number at a time, and the greatest length of any mailbox. */
  readonly processes: number;
  readonly processesMax: number;
  readonly queueMax: number;
  /** Console output of this run. */
  readonly outputBytes: number;
  /** Loop turns and function entries, in a sandbox that counts them; null in others. */
  readonly fuel: number | null;
}

/** The usage of something that never entered an isolate. */
export function unusedAfter(queuedMs: number): Usage {
  return {
    wallMs: 0,
    cpuMs: 0,
    queuedMs,
    heapBytes: 0,
    heapPeakBytes: 0,
    externalBytes: 0,
    processes: 0,
    processesMax: 0,
    queueMax: 0,
    outputBytes: 0,
    fuel: null,
  };
}
