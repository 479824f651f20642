// Garbage collection on demand, for a memory limit that the engine does not know: one that was lowered after the isolate was made.

const Buffer = ArrayBuffer;
/** More than any isolate may have. */
const tooManyBytes = 2 ** 40;

/** Collects all garbage: the engine does so before it refuses a buffer. Costs several collections. */
export function collectGarbage(): void {
  try {
    void new Buffer(tooManyBytes);
  } catch {
    // Refused, as it must be.
  }
}
