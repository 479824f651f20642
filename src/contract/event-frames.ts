// The frames of `GET /v1/events` beside events themselves. An event has the data `AnyEvent`, and an id by which the stream can go
// on behind it.

/**
 * Some events are missing here, as the last one that the caller has is too long ago, or of before the server's start:
 * `{ "missed": 12 }`, or null where nobody knows how many.
 */
export const missedFrame = "missed";

/**
 * All that was there already has been told; what follows happens after the stream was asked for. Told first where there is
 * nothing to go on behind.
 */
export const liveFrame = "live";

export interface MissedFrame {
  readonly missed: number | null;
}
