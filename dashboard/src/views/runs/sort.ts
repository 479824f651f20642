// The order of runs: those that said something last come first.
import type { RunEntry } from "../../../../src/contract/evolution-bodies.ts";

/** Those that do not say when come last, by their names. */
export function sortedRuns(runs: readonly RunEntry[]): readonly RunEntry[] {
  return runs.toSorted((one, other) => {
    const [at, otherAt] = [one.updatedAt ?? -Infinity, other.updatedAt ?? -Infinity];
    if (at !== otherAt) return at > otherAt ? -1 : 1;
    return one.name < other.name ? -1 : 1;
  });
}
