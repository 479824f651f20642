// One deterministic run, written down so that it can be run again anywhere and compared bit for bit.
import type { GuestFailure } from "./outcome.ts";

export const recordingFormat = "vivarium.recording/1";

/** How a recorded run ended. A value is kept as the text it crossed as. */
export type RecordedEnd =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly error: GuestFailure };

export interface Recording {
  readonly format: typeof recordingFormat;
  /** Sources by module name: the revision that ran. */
  readonly modules: Readonly<Record<string, string>>;
  readonly revision: number;
  readonly target: string;
  /** The arguments, encoded. */
  readonly args: string;
  readonly deterministic: { readonly seed: number; readonly now: number };
  readonly timeoutMs: number;
  readonly fuel: number | null;
  readonly end: RecordedEnd;
  readonly fuelUsed: number | null;
  /** What was written to the console. */
  readonly output: readonly string[];
}
