// Where a variant comes from.

/** What a caller says of a variant's origin. */
export interface AncestrySpec {
  /** The sandboxes that it comes from, living or gone, at most 64. Default: none. */
  readonly parentIds?: readonly string[];
  /** Counted as the caller counts. Default: one more than the highest of its parents that are known, to a tenant those of its own; 0 without parents. */
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

/** The generation of a child of these: after the highest of those that are known to its tenant. */
export function generationAfter(
  parentIds: readonly string[],
  tenant: string | null,
  generationOf: (parentId: string, tenant: string | null) => number | undefined,
): number {
  return parentIds.reduce((highest, id) => Math.max(highest, (generationOf(id, tenant) ?? -1) + 1), 0);
}

/** What is known of parents to the sandboxes of a tenant. */
export interface KnownParents {
  readonly depthOf: (parentId: string, tenant: string | null) => number;
  readonly generationOf: (parentId: string, tenant: string | null) => number | undefined;
}

/** Where a sandbox of this tenant comes from, complete. */
export function ancestryAmong(
  { depthOf, generationOf }: KnownParents,
  tenant: string | null,
  given: Pick<Ancestry, "parentIds" | "mutation"> & { readonly generation: number | undefined },
): Ancestry {
  const { parentIds, mutation, generation = generationAfter(parentIds, tenant, generationOf) } = given;
  const depth = parentIds.reduce((deepest, id) => Math.max(deepest, depthOf(id, tenant) + 1), 0);
  return Object.freeze({ parentIds, generation, mutation, depth });
}
