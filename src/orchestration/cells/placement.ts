// Pure: which cell takes a sandbox.

export interface CellLoad {
  readonly sandboxes: number;
  readonly inFlight: number;
  /** Its main lane has been held by one run for too long. */
  readonly isBlocked: boolean;
}

const inFlightWeight = 4;

/** The index of the cell that is loaded least; undefined where all are full. A blocked cell is taken only when all are. */
export function choosePlace(loads: readonly CellLoad[], sandboxesMax: number): number | undefined {
  let best: number | undefined;
  let bestScore = Infinity;
  for (const [index, load] of loads.entries()) {
    if (load.sandboxes >= sandboxesMax) continue;
    const score = load.sandboxes + load.inFlight * inFlightWeight + (load.isBlocked ? sandboxesMax * 2 : 0);
    if (score < bestScore) {
      best = index;
      bestScore = score;
    }
  }
  return best;
}

/** A cell that belongs to someone. */
export interface OwnedLoad extends CellLoad {
  readonly owner: string;
}

/** Who wants a place in a cell that is shared with no other owner. */
export interface OwnedWish {
  readonly owner: string;
  /** The most cells that may belong to someone. */
  readonly ownedMax: number;
  readonly sandboxesMax: number;
  /** How many more are being started for others. */
  readonly starting: number;
  /** Whether a cell stands ready that nobody has been in. */
  readonly hasSpare: boolean;
}

/** What to do: go into a cell, take the spare one, have one started, end an empty one to make room, or wait. */
export type OwnedPlan =
  | { readonly do: "use"; readonly index: number }
  | { readonly do: "claim" }
  | { readonly do: "start" }
  | { readonly do: "end"; readonly index: number }
  | { readonly do: "wait" };

/** Where a sandbox goes that may share a cell only with those of its owner. No cell ever changes its owner. */
export function planOwned(cells: readonly OwnedLoad[], wish: OwnedWish): OwnedPlan {
  const mine = cells.flatMap((cell, index) => (cell.owner === wish.owner ? [{ cell, index }] : []));
  const loads = mine.map(({ cell }) => cell);
  const place = choosePlace(loads, wish.sandboxesMax);
  if (place !== undefined) return { do: "use", index: mine[place]?.index ?? 0 };
  if (cells.length + wish.starting < wish.ownedMax) return { do: wish.hasSpare ? "claim" : "start" };
  const idle = cells.findIndex(({ owner, sandboxes }) => sandboxes === 0 && owner !== wish.owner);
  return idle < 0 ? { do: "wait" } : { do: "end", index: idle };
}
