// An individual as a page tells it, of which a test says only what matters.
import type { IndividualEntry } from "../../../src/contract/evolution-bodies.ts";

export const entry = (id: string, more: Partial<IndividualEntry> = {}): IndividualEntry => ({
  ...{
    id,
    parentIds: [],
    generation: 0,
    depth: 0,
    state: "living",
    score: null,
    result: "none",
    components: {},
  },
  ...{ evaluatedAt: null, evaluationMs: null, population: null, ...more },
});
