// One recorded deterministic run, which can be replayed anywhere and compared bit for bit.
import type { GuestFailure } from "../runs/outcome.ts";

export const recordingFormat = "vivarium.recording/1";

/** How a recorded run ended. A value is stored as its encoded text. */
export type RecordedEnd =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly error: GuestFailure };

/** Everything about a run that JSON can express: its code, its inputs and its result. */
export interface RecordingBody {
  readonly format: typeof recordingFormat;
  /** Sources by module name: the revision that ran. */
  readonly modules: Readonly<Record<string, string>>;
  readonly revision: number;
  /** The module whose supervisor is the root of its processes, where it has them. */
  readonly supervisor: string | null;
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

/** A body with a checksum that shows whether it was changed since it was recorded. */
export interface Recording extends RecordingBody {
  readonly checksum: string;
}
