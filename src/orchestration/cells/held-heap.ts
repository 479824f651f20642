// Pure: what the watchdog is told that the heaps in a cell hold.
import type { SandboxInCell } from "./sandbox-in-cell.ts";

/** The heap of an isolate of which no sample is known yet, at least. */
export const freshHeapBytes: number = 768 * 2 ** 10;

/** By the latest samples. No sandbox may hold more than its limit, whatever its cell says. */
export function heldHeapBytes(sandboxes: Iterable<SandboxInCell>): number {
  let bytes = 0;
  for (const { usage, limits } of sandboxes) {
    const heldBytes = Math.min(limits.memoryBytes, usage.heapBytes + usage.externalBytes);
    bytes += Math.max(freshHeapBytes, heldBytes);
  }
  return bytes;
}
