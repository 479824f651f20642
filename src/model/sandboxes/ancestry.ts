// Where a variant comes from.

/** What a caller says of a variant's origin. */
export interface AncestrySpec {
  /** The sandboxes that it comes from, living or gone, at most 64. Default: none. */
  readonly parentIds?: readonly string[];
  /** Counted as the caller counts. Default: one more than the highest of its parents that are known; 0 without parents. */
  readonly generation?: number;
  /** What was changed, in the caller's own words: any data. Default: null. */
  readonly mutation?: unknown;
}

export interface Ancestry {
  readonly parentIds: readonly string[];
  readonly generation: number;
  readonly mutation: unknown;
  /** The length of the longest path to a known seed. */
  readonly depth: number;
}

/** How long a mutation record may be, as JSON. */
export const mutationBytesMax = 65_536;

export const parentsMax = 64;

export const seedAncestry: Ancestry = { parentIds: [], generation: 0, mutation: null, depth: 0 };
