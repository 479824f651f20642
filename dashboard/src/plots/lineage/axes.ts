// Figures and lines of the axes: generations below, scores and the lanes of those without one at the left.
import { margins, type Camera, type Size } from "./camera.ts";
import { heightOf, scoreAt, type Layout } from "./layout.ts";
import type { Colours } from "../colours.svelte.ts";
import { ticksOf } from "../scale.ts";
import { numberText, oneLine } from "../../text.ts";

export function drawAxes(
  {
    context,
    camera,
    size,
    colours,
  }: {
    readonly context: CanvasRenderingContext2D;
    readonly camera: Camera;
    readonly size: Size;
    readonly colours: Colours;
  },
  layout: Layout,
  part: "lines" | "figures",
): void {
  const right = size.width - margins.right;
  const bottom = size.height - margins.bottom;
  context.font = `12px ${getComputedStyle(context.canvas).fontFamily}`;
  context.strokeStyle = colours.line;
  context.fillStyle = colours.quiet;
  context.lineWidth = 1;
  const generations = ticksOf(
    [(margins.left - camera.left) / camera.scaleX, (right - camera.left) / camera.scaleX],
    Math.max(2, Math.floor((right - margins.left) / 60)),
    true,
  ).filter((generation) => generation >= 0 && generation <= layout.bounds.right);
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const generation of generations) {
    const x = Math.round(generation * camera.scaleX + camera.left) + 0.5;
    if (part === "lines") line(context, [x, margins.top], [x, bottom]);
    else context.fillText(String(generation), x, bottom + 8);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const { text, height } of heights(layout, camera, size)) {
    const y = Math.round(camera.top - height * camera.scaleY) + 0.5;
    if (y < margins.top || y > bottom) continue;
    if (part === "lines") line(context, [margins.left, y], [right, y]);
    else context.fillText(text, margins.left - 8, y, margins.left - 12);
  }
}

function heights(
  layout: Layout,
  camera: Camera,
  size: Size,
): readonly { readonly text: string; readonly height: number }[] {
  const found = layout.lanes.map(({ kind, y }) => ({ text: oneLine(kind, 16), height: y }));
  const { range } = layout;
  if (range === null) return found;
  const seen = (pixel: number): number => Math.min(1, Math.max(0, (camera.top - pixel) / camera.scaleY));
  const below = scoreAt(seen(size.height - margins.bottom), range);
  const above = scoreAt(seen(margins.top), range);
  const ends = [Math.min(below, above), Math.max(below, above)] as const;
  const scores = ticksOf(ends, Math.max(2, Math.floor(size.height / 70)));
  return [...found, ...scores.map((score) => ({ text: numberText(score), height: heightOf(score, range) }))];
}

function line(
  context: CanvasRenderingContext2D,
  from: readonly [number, number],
  to: readonly [number, number],
): void {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}
