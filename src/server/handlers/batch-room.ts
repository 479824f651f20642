// How many sandboxes a batch has at a time, of those that it makes: what must have room before it begins.
import type { WireFitness, WireKeep, WireScorer, WireSuite } from "../../contract/batch-bodies.ts";
import type { Caller, Gate, Need } from "../gate.ts";

/** How many sandboxes a batch makes at a time, unless it says otherwise. */
const atOnceUsual = 64;

/** What a batch says of the sandboxes that it makes. */
export interface Making {
  readonly concurrency?: number | undefined;
  readonly keep?: WireKeep | undefined;
  /** Scorers live in sandboxes of their own, as long as the batch. */
  readonly scorers?: readonly Need[];
}

export interface BatchRoom {
  readonly needs: readonly Need[];
  readonly atOnce: number;
  /** For the batch itself, so that it makes no more at a time than there is room for. */
  readonly bound: { readonly concurrency?: number };
}

/** The room for these sandboxes, where each is destroyed when its turn is over, but for those that are kept. */
export function roomFor(needs: readonly Need[], { concurrency, keep, scorers = [] }: Making): BatchRoom {
  const atOnce = needs.length === 0 ? 0 : (concurrency ?? atOnceUsual) + keptOf(keep);
  return {
    needs: [...needs, ...scorers],
    // None is no bound, and there is one for what makes nothing.
    atOnce: Math.max(1, Math.min(needs.length, atOnce) + scorers.length),
    bound: needs.length > 0 && concurrency === undefined ? { concurrency: atOnceUsual } : {},
  };
}

// A sandbox that is among the best for a while lives until a better one comes.
function keptOf(keep: WireKeep | undefined): number {
  if (keep === undefined || keep === false) return 0;
  if (keep === true) return Infinity;
  return typeof keep === "number" ? keep : keep.best;
}

/** What the scorers of a fitness need. */
export function scorersOf(gate: Gate, caller: Caller, fitness: WireFitness): readonly Need[] {
  const all: readonly (WireSuite | WireScorer)[] =
    "stages" in fitness ? fitness.stages.map((stage) => stage.fitness) : [fitness];
  return all.flatMap((one) =>
    "scorer" in one ? [{ id: gate.newId(caller), memoryBytes: gate.memoryOf(one.scorer) }] : [],
  );
}
