// Our own bugs are assertions: they say that the program is wrong, not its user or its guest.

export class AssertionError extends Error {}

export function assert(condition: boolean, promise: string): asserts condition {
  if (!condition) throw new AssertionError(`Vivarium's own promise is broken: ${promise}`);
}
