// Pure: which cell takes a sandbox.

export interface CellLoad {
  readonly residents: number;
  readonly inFlight: number;
  /** Its main lane has been held by one run for too long. */
  readonly isBlocked: boolean;
}

const inFlightWeight = 4;

/** The index of the cell that is loaded least; undefined where all are full. A blocked cell is taken only when all are. */
export function choosePlace(loads: readonly CellLoad[], residentsMax: number): number | undefined {
  let best: number | undefined;
  let bestScore = Infinity;
  for (const [index, load] of loads.entries()) {
    if (load.residents >= residentsMax) continue;
    const score = load.residents + load.inFlight * inFlightWeight + (load.isBlocked ? residentsMax * 2 : 0);
    if (score < bestScore) {
      best = index;
      bestScore = score;
    }
  }
  return best;
}
