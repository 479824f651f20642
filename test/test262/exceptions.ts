// The tests that pass in a bare isolate and fail in a sandbox on purpose, each with its reason.

export interface Exception {
  /** A glob over the test's path. */
  readonly tests: string;
  readonly reason: string;
}

export const exceptions: readonly Exception[] = [];
