// The bounds of streams that no option changes.

/** How many streams may be open in one sandbox. */
export const streamsMax = 64;

/** How long the `return()` of a generator may take when its stream is ended early. */
export const streamEndMs = 1_000;

/** How many calls of one stream's `next()` may be unsettled. A `return()` has one place more. */
export const askedMax = 1_000;
