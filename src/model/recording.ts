// One deterministic run, written down so that it can be run again anywhere and compared bit for bit.
import type { GuestFailure } from "./outcome.ts";

export const recordingFormat = "vivarium.recording/1";

/** How a recorded run ended. A value is kept as the text it crossed as. */
export type RecordedEnd =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly error: GuestFailure };

/** All there is to a run: its code, its inputs and how it went. JSON can say it. */
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

/** A body with the checksum that shows whether anyone changed it on its way. */
export interface Recording extends RecordingBody {
  readonly checksum: string;
}
