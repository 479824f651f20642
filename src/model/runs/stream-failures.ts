// How a stream can fail besides as its runs do.
import { GuestFailedError } from "../errors.ts";
import type { GuestFailure } from "./outcome.ts";
import { askedMax, streamsMax } from "./stream-bounds.ts";

/** The error that a stream rejects with. */
export const failureOf = (failure: GuestFailure): GuestFailedError =>
  new GuestFailedError(failure, "go on with the stream");

/** Whether the generator is gone with its isolate, or was never reached. */
export function isGone({ kind }: GuestFailure): boolean {
  return kind === "cell-lost" || kind === "not-running" || kind === "memory" || kind === "not-found";
}

/** One step of an iteration, as the guest runtime answers it. */
interface Step {
  readonly done: boolean;
  readonly value: unknown;
}

export function isStep(value: unknown): value is Step {
  return (
    typeof value === "object" &&
    value !== null &&
    "value" in value &&
    "done" in value &&
    typeof value.done === "boolean"
  );
}

export const unreadable: GuestFailure = {
  kind: "unserializable",
  message: "Cannot read the part as it must be one of a stream: the sandbox gave something else",
};
export const tooMany: GuestFailure = {
  kind: "cancelled",
  reason: "queue",
  message: `Cannot open the stream as at most ${streamsMax} may be open in one sandbox: there are as many`,
};
export const tooManyAsked: GuestFailure = {
  kind: "cancelled",
  reason: "queue",
  message: `Cannot give the next part as at most ${askedMax} calls of next() of one stream may wait: there are as many`,
};
export const closed: GuestFailure = {
  kind: "cancelled",
  reason: "closed",
  message: "Cannot give the next part as the runtime was closed",
};
export const idle = (idleMs: number): GuestFailure => ({
  kind: "cancelled",
  reason: "idle",
  message: `Cannot give the next part as one must be asked for within idleMs, ${idleMs}: nobody did`,
});
export const late = (deadlineMs: number): GuestFailure => ({
  kind: "cancelled",
  reason: "deadline",
  message: `Cannot give the next part as the stream must end within deadlineMs, ${deadlineMs}: it did not`,
});
export const exceeded = (name: string, max: number): GuestFailure => ({
  kind: "output-limit",
  message: `Cannot give the next part as the stream must stay within ${name}, ${max}: it has more`,
});
