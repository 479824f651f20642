// The individuals as rows of a table: in which order, which of them are near enough to be seen, and which ids are like a text.
import type { Scene } from "../../plots/lineage/scene.ts";

export const sortKeys = ["id", "generation", "score", "result", "population", "parents", "children"] as const;
export type SortKey = (typeof sortKeys)[number];

export interface Order {
  readonly key: SortKey;
  readonly isDown: boolean;
}

export function readOrder(query: Readonly<Record<string, string>>, direction: Scene["direction"]): Order {
  const key = sortKeys.find((name) => name === query["sort"]) ?? "score";
  const usual = key === "score" ? direction === "maximise" : key === "generation" || key === "children";
  const word = query["order"];
  return { key, isDown: word === "down" || (word !== "up" && usual) };
}

const byName = new Intl.Collator("en", { numeric: true });

/** Rows that are shown, in this order. What is unknown is last in both directions. */
export function orderedRows(scene: Scene, shown: Uint8Array, { key, isDown }: Order): readonly number[] {
  const rows: number[] = [];
  for (let row = 0; row < scene.size; row++) if (shown[row] === 1) rows.push(row);
  const sign = isDown ? -1 : 1;
  const text = textOf(scene, key);
  if (text !== null)
    return rows.sort((one, other) => compareTexts(text(one), text(other), sign) || one - other);
  const figure = figureOf(scene, key);
  return rows.sort((one, other) => {
    const [first, second] = [figure(one), figure(other)];
    if (Number.isNaN(first) || Number.isNaN(second))
      return Number(Number.isNaN(first)) - Number(Number.isNaN(second)) || one - other;
    return (first - second) * sign || one - other;
  });
}

export function childrenCount({ childStart }: Scene, row: number): number {
  return (childStart[row + 1] ?? 0) - (childStart[row] ?? 0);
}

export function parentRows({ edgeStart, edgeParent }: Scene, row: number): readonly number[] {
  return [...edgeParent.subarray(edgeStart[row] ?? 0, edgeStart[row + 1] ?? 0)];
}

/** The part of a long list that is seen, with some more at both ends. */
export function windowOf(
  count: number,
  { top, height, rowHeight }: { readonly top: number; readonly height: number; readonly rowHeight: number },
): { readonly from: number; readonly to: number } {
  const more = 8;
  const from = Math.max(0, Math.min(count, Math.floor(top / rowHeight)) - more);
  return { from, to: Math.min(count, Math.ceil((top + height) / rowHeight) + more) };
}

/** Ids that begin with a text, then those that contain it; at most so many. */
export function idsLike({ ids }: Pick<Scene, "ids">, text: string, max = 20): readonly string[] {
  if (text === "") return [];
  const wanted = text.toLowerCase();
  const [first, second] = [new Set<string>(), new Set<string>()];
  for (const id of ids) {
    const place = id.toLowerCase().indexOf(wanted);
    if (place === 0) first.add(id);
    else if (place > 0 && second.size < max) second.add(id);
    if (first.size >= max) break;
  }
  return [...first, ...second].slice(0, max);
}

function textOf(scene: Scene, key: SortKey): ((row: number) => string) | null {
  if (key === "id") return (row) => scene.ids[row] ?? "";
  if (key === "result") return (row) => scene.kinds[scene.kind[row] ?? 0] ?? "";
  if (key === "population") return (row) => scene.populations[scene.population[row] ?? -1] ?? "";
  return null;
}

function figureOf(scene: Scene, key: SortKey): (row: number) => number {
  if (key === "score") return (row) => scene.score[row] ?? Number.NaN;
  if (key === "generation") return (row) => scene.generation[row] ?? 0;
  if (key === "parents") return (row) => (scene.edgeStart[row + 1] ?? 0) - (scene.edgeStart[row] ?? 0);
  return (row) => childrenCount(scene, row);
}

function compareTexts(one: string, other: string, sign: number): number {
  if (one === "" || other === "") return Number(one === "") - Number(other === "");
  return byName.compare(one, other) * sign;
}
