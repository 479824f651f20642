// How long the texts about a failure may be, on both sides of the wall: the guest's runtime cuts them, and nobody believes
// that it did.

/** Of what a guest threw. */
export const thrownMax = { name: 100, message: 2_000, stack: 8_000 } as const;

/** Of the path to the part of a result that may not cross. */
export const pathMax = 200;
