// Where the keyboard goes from the individual that is picked, who is related to it, and which edge is at a place.
import type { Camera } from "./camera.ts";
import type { Layout } from "./layout.ts";
import type { Scene } from "./scene.ts";

export const directions = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
} as const;
export type Direction = keyof typeof directions;

/** The nearest one to a side, as far as it is seen; -1 where there is none. What is off to the side counts three times. */
export function nearestInDirection(
  { layout, camera, shown }: { readonly layout: Layout; readonly camera: Camera; readonly shown: Uint8Array },
  from: number,
  direction: Direction,
): number {
  const [toX, toY] = directions[direction];
  const [startX = 0, startY = 0] = [layout.x[from], layout.y[from]];
  let found = -1;
  let least = Infinity;
  for (let row = 0; row < layout.x.length; row++) {
    if (row === from || shown[row] !== 1) continue;
    const x = ((layout.x[row] ?? 0) - startX) * camera.scaleX;
    const y = ((layout.y[row] ?? 0) - startY) * camera.scaleY;
    const along = x * toX + y * toY;
    const across = Math.abs(x * toY) + Math.abs(y * toX);
    if (along <= 0 || across > along * 3) continue;
    const cost = along + across * 3;
    if (cost >= least) continue;
    least = cost;
    found = row;
  }
  return found;
}

export function firstParent({ edgeStart, edgeParent }: Scene, row: number): number {
  const edge = edgeStart[row] ?? 0;
  return edge < (edgeStart[row + 1] ?? 0) ? (edgeParent[edge] ?? -1) : -1;
}

/** Of equals, and where none has a score, the first. */
export function bestChild(scene: Scene, row: number): number {
  let found = -1;
  for (let place = scene.childStart[row] ?? 0; place < (scene.childStart[row + 1] ?? 0); place++) {
    const child = scene.children[place] ?? -1;
    if (found < 0 || isBetter(scene, child, found)) found = child;
  }
  return found;
}

export const kin = { none: 0, self: 1, ancestor: 2, descendant: 3 } as const;

/** Who is related to the picked one: for each row one of `kin`; with the numbers of both. */
export function kinOf(
  scene: Scene,
  picked: number,
): { readonly kin: Uint8Array; readonly ancestors: number; readonly descendants: number } {
  const found = new Uint8Array(scene.size);
  const reach = (mark: number, start: Int32Array, others: Int32Array): number => {
    const queue = [picked];
    for (const row of queue)
      for (let place = start[row] ?? 0; place < (start[row + 1] ?? 0); place++) {
        const other = others[place] ?? 0;
        if (other === picked || found[other] !== kin.none) continue;
        found[other] = mark;
        queue.push(other);
      }
    return queue.length - 1;
  };
  found[picked] = kin.self;
  const ancestors = reach(kin.ancestor, scene.edgeStart, scene.edgeParent);
  const descendants = reach(kin.descendant, scene.childStart, scene.children);
  return { kin: found, ancestors, descendants };
}

/** The edge nearest to a pixel; -1 where none is that near. `counts` says which can be found. */
export function nearestEdge(
  { scene, layout, camera }: { readonly scene: Scene; readonly layout: Layout; readonly camera: Camera },
  { x, y, within }: { readonly x: number; readonly y: number; readonly within: number },
  counts: (edge: number) => boolean,
): number {
  let found = -1;
  let least = within;
  for (let edge = 0; edge < scene.edgeChild.length; edge++) {
    const [child = 0, parent = 0] = [scene.edgeChild[edge], scene.edgeParent[edge]];
    const fromX = (layout.x[parent] ?? 0) * camera.scaleX + camera.left - x;
    const fromY = camera.top - (layout.y[parent] ?? 0) * camera.scaleY - y;
    const alongX = ((layout.x[child] ?? 0) - (layout.x[parent] ?? 0)) * camera.scaleX;
    const alongY = ((layout.y[parent] ?? 0) - (layout.y[child] ?? 0)) * camera.scaleY;
    const length = alongX * alongX + alongY * alongY;
    const share = length === 0 ? 0 : Math.min(1, Math.max(0, -(fromX * alongX + fromY * alongY) / length));
    const distance = Math.hypot(fromX + share * alongX, fromY + share * alongY);
    if (distance > least || !counts(edge)) continue;
    least = distance;
    found = edge;
  }
  return found;
}

function isBetter({ score, direction }: Scene, row: number, than: number): boolean {
  const [one = Number.NaN, other = Number.NaN] = [score[row], score[than]];
  if (Number.isNaN(one)) return false;
  return Number.isNaN(other) || (direction === "maximise" ? one > other : one < other);
}
