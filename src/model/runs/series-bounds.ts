// How much of a series of cases travels together. The guest runtime keeps to it, and the host checks it.

/** An answer that is longer is the last of its series, and travels as that of a run. */
export const caseLengthMax = 4_096;

/** When the answers before the latest are longer together, the series ends. */
export const beforeLengthMax = 32_768;

/** How long they can be in all: the last of them is added to what is not too long, and quoting makes it twice as long at most. */
export const beforeLengthMost: number = beforeLengthMax + 2 * (caseLengthMax + 64);
