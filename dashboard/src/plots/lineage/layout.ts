// Where each individual stands: generations to the right, better scores up, and those without a score in lanes below, one for
// each kind. Units of x are generations; of y 0 is the worst and 1 the best end of the range of scores.
import { scoreRange } from "../score-range.ts";
import type { Scene } from "./scene.ts";

export interface Range {
  /** The score at y = 0, the worse end. */
  readonly worst: number;
  /** The score at y = 1, the better end. */
  readonly best: number;
}

export const marks = { inside: 0, above: 1, below: 2, lane: 3 } as const;

export interface Layout {
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** How it stands there: one of `marks`. */
  readonly mark: Uint8Array;
  /** Null where nobody has a score. */
  readonly range: Range | null;
  /** How many are drawn at the edge, as their scores are far from all others. */
  readonly outside: number;
  readonly lanes: readonly { readonly kind: string; readonly y: number; readonly count: number }[];
  readonly bounds: {
    readonly left: number;
    readonly right: number;
    readonly bottom: number;
    readonly top: number;
  };
}

const laneTop = -0.13;
const laneStep = 0.055;
const lanesMax = 10;
const edge = 0.035;

/** The range of scores that is worth a look, or all of them. */
function rangeOf({ score, generation, direction, size }: Scene, isWhole: boolean): Range | null {
  const known = score.filter((value) => Number.isFinite(value)).sort();
  let [firstGeneration, firstBest] = [Infinity, Number.NaN];
  for (let row = 0; row < size; row++) {
    const [value = Number.NaN, its = 0] = [score[row], generation[row]];
    if (!Number.isFinite(value) || its > firstGeneration) continue;
    const isBetter = direction === "maximise" ? !(value <= firstBest) : !(value >= firstBest);
    if (its < firstGeneration || isBetter) [firstGeneration, firstBest] = [its, value];
  }
  const range = scoreRange(known, { choice: isWhole ? "all" : "near", direction, firstBest, room: 0 });
  if (range === null) return null;
  const { from, to } = range;
  return direction === "maximise" ? { worst: from, best: to } : { worst: to, best: from };
}

/** NaN where there is no score. */
export function heightOf(score: number, range: Range): number {
  return (score - range.worst) / (range.best - range.worst);
}

export function scoreAt(height: number, range: Range): number {
  return range.worst + height * (range.best - range.worst);
}

export function layoutOf(scene: Scene, isWhole = false): Layout {
  const { size } = scene;
  const x = new Float32Array(size);
  const y = new Float32Array(size);
  const mark = new Uint8Array(size);
  const range = rangeOf(scene, isWhole);
  const { lanes, laneOf } = lanesOf(scene);
  // The same row is always at the same side of its generation, however many come.
  const spread = Math.min(0.36, scene.crowd * 0.02);
  let outside = 0;
  for (let row = 0; row < size; row++) {
    x[row] = (scene.generation[row] ?? 0) + (((row * 0.618_033_988_7) % 1) - 0.5) * 2 * spread;
    const score = scene.score[row] ?? Number.NaN;
    const height = range === null || Number.isNaN(score) ? Number.NaN : heightOf(score, range);
    if (Number.isNaN(height)) {
      y[row] = laneTop - laneStep * (laneOf[scene.kind[row] ?? 0] ?? 0);
      mark[row] = marks.lane;
    } else if (height > 1 + 1e-9 || height < -1e-9) {
      y[row] = height > 1 ? 1 + edge : -edge;
      mark[row] = height > 1 ? marks.above : marks.below;
      outside++;
    } else y[row] = height;
  }
  const bottom = lanes.length === 0 ? -0.06 : (lanes.at(-1)?.y ?? 0) - 0.05;
  const bounds = { left: -0.6, right: scene.generationMax + 0.6, bottom, top: 1.07 };
  return { x, y, mark, range, outside, lanes, bounds };
}

// The most frequent kinds have a lane each; all others share the last one.
function lanesOf(scene: Scene): { readonly lanes: Layout["lanes"]; readonly laneOf: Uint8Array } {
  const counts = new Int32Array(scene.kinds.length);
  for (let row = 0; row < scene.size; row++)
    if (Number.isNaN(scene.score[row])) {
      const kind = scene.kind[row] ?? 0;
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
  const used = scene.kinds
    .map((kind, place) => ({ kind, place, count: counts[place] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count);
  const laneOf = new Uint8Array(scene.kinds.length);
  const lanes: { kind: string; y: number; count: number }[] = [];
  for (const [index, { kind, place, count }] of used.entries()) {
    const lane = Math.min(index, lanesMax - 1);
    laneOf[place] = lane;
    const shared = lanes[lane];
    if (shared === undefined) lanes.push({ kind, y: laneTop - laneStep * lane, count });
    else lanes[lane] = { kind: "other kinds", y: shared.y, count: shared.count + count };
  }
  return { lanes, laneOf };
}
