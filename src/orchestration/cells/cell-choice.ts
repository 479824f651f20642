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

/** A cell that has an owner. */
export interface OwnedLoad extends CellLoad {
  readonly owner: string;
}

/** A sandbox that shares cells only with those of its owner. */
export interface OwnedWish {
  readonly owner: string;
  /** The most cells that may have an owner. */
  readonly ownedMax: number;
  readonly sandboxesMax: number;
  /** How many more are being started for other owners. */
  readonly starting: number;
  /** Whether there is a spare cell, in which no sandbox has been. */
  readonly hasSpare: boolean;
}

/** What to do: use a cell, claim the spare one, start one, end an empty one to make room, or wait. */
export type OwnedPlan =
  | { readonly do: "use"; readonly index: number }
  | { readonly do: "claim" }
  | { readonly do: "start" }
  | { readonly do: "end"; readonly index: number }
  | { readonly do: "wait" };

/** Which cell such a sandbox gets. No cell ever changes its owner. */
export function planOwned(cells: readonly OwnedLoad[], wish: OwnedWish): OwnedPlan {
  const mine = cells.flatMap((cell, index) => (cell.owner === wish.owner ? [{ cell, index }] : []));
  const loads = mine.map(({ cell }) => cell);
  const place = choosePlace(loads, wish.sandboxesMax);
  if (place !== undefined) return { do: "use", index: mine[place]?.index ?? 0 };
  if (cells.length + wish.starting < wish.ownedMax) return { do: wish.hasSpare ? "claim" : "start" };
  const idle = cells.findIndex(({ owner, sandboxes }) => sandboxes === 0 && owner !== wish.owner);
  return idle < 0 ? { do: "wait" } : { do: "end", index: idle };
}
