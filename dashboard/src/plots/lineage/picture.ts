// What of a scene is drawn, and how each edge is.
import type { Layout } from "./layout.ts";
import { kin } from "./moves.ts";
import type { Scene } from "./scene.ts";

export type EdgesShown = "all" | "selected" | "migrations";

export interface Picture {
  readonly scene: Scene;
  readonly layout: Layout;
  /** 1 for each row that is shown. */
  readonly shown: Uint8Array;
  readonly edges: EdgesShown;
  /** The row that is picked; -1 for none. */
  readonly picked: number;
  /** The parent on the other end of the edge that is picked; -1 for none. */
  readonly from: number;
  /** One of `kin` for each row; null where nobody is picked. */
  readonly kin: Uint8Array | null;
}

/** How an edge is drawn; -1: not at all. */
export const edgeStyles = { plain: 0, migration: 1, faded: 2, ancestor: 3, descendant: 4 } as const;

export function edgeStyle(picture: Picture, edge: number): number {
  const { scene, shown, edges, kin: kinship } = picture;
  const [child = 0, parent = 0] = [scene.edgeChild[edge], scene.edgeParent[edge]];
  if (shown[child] !== 1 || shown[parent] !== 1) return -1;
  const isMigration = scene.migration[edge] === 1;
  if (kinship !== null) {
    const [below = 0, above = 0] = [kinship[child], kinship[parent]];
    if (above === kin.ancestor && (below === kin.self || below === kin.ancestor)) return edgeStyles.ancestor;
    if (below === kin.descendant && (above === kin.self || above === kin.descendant))
      return edgeStyles.descendant;
    if (edges === "selected") return -1;
    return edges === "migrations" && !isMigration ? -1 : edgeStyles.faded;
  }
  if (edges === "selected" || (edges === "migrations" && !isMigration)) return -1;
  return isMigration ? edgeStyles.migration : edgeStyles.plain;
}
