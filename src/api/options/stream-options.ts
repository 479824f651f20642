// The options of a stream.
import { fields, integer, unread, type Shape } from "../../model/schema.ts";
import type { StreamOptions } from "../types/sandbox.ts";
import { boundsTable, type RunFields } from "./run-options.ts";
import { signal } from "./options.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const countMax = Number.MAX_SAFE_INTEGER;

const streamFields = fields({
  ...boundsTable,
  signal,
  args: unread,
  deadlineMs: integer({ min: 1, max: 24 * hourMs, default: 10 * minuteMs }),
  idleMs: integer({ min: 1, max: 24 * hourMs, default: minuteMs }),
  partsMax: integer({ min: 1, max: countMax, default: 100_000 }),
  bytesMax: integer({ min: 1, max: countMax, default: 64 * 2 ** 20 }),
} satisfies Shape<StreamOptions>);

/** The bounds of a stream as a whole. */
export interface StreamBounds {
  readonly deadlineMs: number;
  readonly idleMs: number;
  readonly partsMax: number;
  readonly bytesMax: number;
}

/** The options of a stream, checked: those of its runs, and its own, completed. */
export function readStream(options: unknown): StreamBounds &
  Pick<RunFields, "args"> & {
    readonly run: RunFields;
    readonly signal: AbortSignal | undefined;
  } {
  const { timeoutMs, cpuMs, fuel, ...rest } = streamFields.read(options, "options");
  return { ...rest, run: { timeoutMs, cpuMs, fuel } };
}
