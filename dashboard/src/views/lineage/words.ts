// What is said of an individual in one line.
import type { Scene } from "../../plots/lineage/scene.ts";
import { countText, numberText, oneLine } from "../../text.ts";

export function inWords(scene: Scene, row: number): string {
  const population = scene.populations[scene.population[row] ?? -1];
  return [
    oneLine(scene.ids[row] ?? "", 60),
    `generation ${countText(scene.generation[row])}`,
    `score ${numberText(scene.score[row])}`,
    oneLine(scene.kinds[scene.kind[row] ?? 0] ?? "", 40),
    ...(population === undefined ? [] : [oneLine(population, 40)]),
  ].join(", ");
}

export function kinInWords(kin: { readonly ancestors: number; readonly descendants: number }): string {
  const { ancestors, descendants } = kin;
  const of = (count: number, name: string): string => `${countText(count)} ${name}${count === 1 ? "" : "s"}`;
  return `${of(ancestors, "ancestor")}, ${of(descendants, "descendant")}`;
}

/** How the best came about. */
export function pathInWords({ path, ids, best }: Scene): string {
  if (best < 0) return "Nobody has a score yet, so there is no path from a seed to the best.";
  const steps = path.length - 1;
  const [seed, last] = [oneLine(ids[path[0] ?? best] ?? "", 40), oneLine(ids[best] ?? "", 40)];
  if (steps === 0) return `The best, ${last}, is a seed itself.`;
  return `From the seed ${seed} to the best, ${last}: ${countText(steps)} ${steps === 1 ? "step" : "steps"}.`;
}
