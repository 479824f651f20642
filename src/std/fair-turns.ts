// Pure: who gets the next lane. Whoever used the least processor time lately goes first, work that somebody waits for before
// work that nobody does; waiting counts as credit, so that no one waits for ever.

/** One that wants a lane. */
export interface Claim {
  /** Processor time that it used lately. */
  readonly usedMs: number;
  readonly waitedMs: number;
  /** Nobody waits for what it will do: a timer or a process between runs. */
  readonly isBackground: boolean;
}

export interface LaneLoad {
  /** Lanes for everyone. There is one more, for those that used little and that somebody waits for. */
  readonly lanes: number;
  readonly held: number;
  readonly heldInBackground: number;
}

/** Who used no more than this lately uses little. */
export const lightMs = 100;
/** Work in the background is ranked as if it had used so much more. */
const backgroundMs = 50;
/** What a millisecond of waiting is worth: who used a second waits at most about eight for those that used nothing. */
const creditPerMs = 1 / 8;

/** The claim that gets a lane now; undefined where none may have one. */
export function chooseClaim(claims: readonly Claim[], load: LaneLoad): number | undefined {
  let best: number | undefined;
  let bestRank = Infinity;
  for (const [index, claim] of claims.entries()) {
    const rank = rankOf(claim);
    if (rank < bestRank && mayEnter(claim, load)) {
      best = index;
      bestRank = rank;
    }
  }
  return best;
}

/** The lower, the sooner. */
export function rankOf({ usedMs, waitedMs, isBackground }: Claim): number {
  return usedMs + (isBackground ? backgroundMs : 0) - waitedMs * creditPerMs;
}

/** Whether a claim may have a lane now. Where there are several, one of them is never held by work in the background. */
export function mayEnter(claim: Claim, { lanes, held, heldInBackground }: LaneLoad): boolean {
  const { usedMs, isBackground } = claim;
  if (isBackground) return held < lanes && heldInBackground < Math.max(1, lanes - 1);
  return held < (usedMs <= lightMs ? lanes + 1 : lanes);
}
