// How long the texts about a failure may be: the guest's runtime cuts them, and the host checks that it did.

/** Of a thrown error. */
export const thrownMax = { name: 100, message: 2_000, stack: 8_000 } as const;

/** Of the path to the part of a result that cannot be encoded. */
export const pathMax = 200;
