// A lineage in a few words, for tests of what is drawn of it.
import { Individuals } from "../../../dashboard/src/model/individuals.ts";

export interface Line {
  readonly id: string;
  readonly parents?: readonly string[];
  readonly generation?: number;
  /** Null for one without a score. */
  readonly score?: number | null;
  readonly result?: string;
  readonly population?: string;
}

export function individualsOf(
  lines: readonly Line[],
  direction: "maximise" | "minimise" = "maximise",
): Individuals {
  const individuals = new Individuals();
  individuals.direction = direction;
  for (const { id, parents = [], generation = 0, score, result, population = null } of lines) {
    const row = individuals.born({ id, parentIds: parents, generation, at: 0 });
    if (score === undefined && result === undefined) continue;
    individuals.evaluated(row, {
      score: score ?? null,
      result: result ?? "ok",
      components: {},
      at: 1,
      durationMs: 1,
      population,
    });
  }
  return individuals;
}
