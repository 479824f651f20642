// Assertions report bugs of Vivarium itself, not mistakes of its user or failures of a guest.

class AssertionError extends Error {}

export function assert(condition: boolean, promise: string): asserts condition {
  if (!condition) throw new AssertionError(`Vivarium's own promise is broken: ${promise}`);
}
