// Draws the plot of fitness over generations on a canvas. Points are stamps that are made once per series, and one that would cover
// another of its series wholly is left out: ten thousand of them cost a few milliseconds.
import type { Colours } from "./colours.svelte.ts";
import { pointPlaces, seriesMax, type FitnessLayout } from "./fitness-layout.ts";
import type { GenerationStatistics } from "./fitness-statistics.ts";
import { markOf, shapePath } from "./marks.ts";
import { pictureOf, putStamp, stampOf, type Stamp } from "./stamps.ts";

const radius = 2.8;
const spriteSize = 12;
const manyPoints = 4_000;
const font = "12px system-ui, sans-serif";

export function drawFitness(canvas: HTMLCanvasElement, layout: FitnessLayout, colours: Colours): void {
  const ratio = devicePixelRatio || 1;
  const { width, height } = layout;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = font;
  drawAxes(context, layout, colours);
  context.save();
  context.beginPath();
  context.rect(layout.left, layout.top, layout.right - layout.left, layout.bottom - layout.top);
  context.clip();
  drawBand(context, layout, { low: "q10", high: "q90", fill: colours.quiet, alpha: 0.16 });
  drawBand(context, layout, { low: "q25", high: "q75", fill: colours.quiet, alpha: 0.24 });
  context.restore();
  drawPoints(context, layout, { colours, ratio });
  context.save();
  context.beginPath();
  context.rect(layout.left, layout.top - 2, layout.right - layout.left, layout.bottom - layout.top + 4);
  context.clip();
  // Thousands of points hide the band: its edges are seen above them.
  for (const of of ["q10", "q90"] as const)
    drawLine(context, layout, { of, colour: colours.quiet, width: 1, dash: [2, 2] });
  // A line of the surface's colour beneath lets each line be seen among points.
  drawLine(context, layout, { of: "median", colour: colours.surface, width: 4.5, dash: [] });
  drawLine(context, layout, { of: "median", colour: colours.text, width: 2, dash: [6, 4] });
  drawLine(context, layout, { of: "bestSoFar", colour: colours.text, width: 2.5, dash: [] });
  context.restore();
}

function drawAxes(context: CanvasRenderingContext2D, layout: FitnessLayout, colours: Colours): void {
  const { left, right, top, bottom, height, lanes } = layout;
  context.lineWidth = 1;
  context.strokeStyle = colours.line;
  context.fillStyle = colours.quiet;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const { at, text } of layout.yTicks) {
    line(context, [left, Math.round(at) + 0.5, right, Math.round(at) + 0.5]);
    context.fillText(text, left - 8, at, left - 10);
  }
  const floor = height - 24;
  context.textAlign = "center";
  for (const { at, text } of layout.xTicks) {
    line(context, [at, floor, at, floor + 5]);
    context.fillText(text, at, floor + 14);
  }
  line(context, [left, floor + 0.5, right, floor + 0.5]);
  if (lanes.length === 0) return;
  line(context, [left, Math.round(bottom) + 3.5, right, Math.round(bottom) + 3.5]);
  context.textAlign = "right";
  for (const { kind, y } of lanes) {
    line(context, [left, Math.round(y + 7.5) + 0.5, right, Math.round(y + 7.5) + 0.5]);
    context.fillText(kind, left - 8, y, left - 10);
  }
  line(context, [left + 0.5, top, left + 0.5, floor]);
}

type Quantile = keyof Omit<GenerationStatistics, "generation" | "scored" | "failed">;

function drawBand(
  context: CanvasRenderingContext2D,
  layout: FitnessLayout,
  {
    low,
    high,
    fill,
    alpha,
  }: { readonly low: Quantile; readonly high: Quantile; readonly fill: string; readonly alpha: number },
): void {
  const { x, y } = layout;
  context.globalAlpha = alpha;
  context.fillStyle = fill;
  context.beginPath();
  const known = withEnds(layout, high);
  for (const [index, each] of known.entries())
    if (index === 0) context.moveTo(x.at(each.generation), y.at(each[high]));
    else context.lineTo(x.at(each.generation), y.at(each[high]));
  for (const each of known.toReversed()) context.lineTo(x.at(each.generation), y.at(each[low]));
  context.fill();
  context.globalAlpha = 1;
}

function drawLine(
  context: CanvasRenderingContext2D,
  layout: FitnessLayout,
  {
    of,
    colour,
    width,
    dash,
  }: { readonly of: Quantile; readonly colour: string; readonly width: number; readonly dash: number[] },
): void {
  const { x, y } = layout;
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.lineJoin = "round";
  context.setLineDash(dash);
  context.beginPath();
  let before = Number.NaN;
  for (const each of withEnds(layout, of)) {
    const [px, py] = [x.at(each.generation), y.at(each[of])];
    if (Number.isNaN(before)) context.moveTo(px, py);
    else {
      // The best stays what it is until a better one comes.
      if (of === "bestSoFar") context.lineTo(px, before);
      context.lineTo(px, py);
    }
    before = py;
  }
  context.stroke();
  context.setLineDash([]);
}

/** The generations of which a figure is known, up to the edges, so that a single one is seen too. */
function withEnds(layout: FitnessLayout, of: Quantile): readonly GenerationStatistics[] {
  const known = layout.statistics.generations.filter((each) => !Number.isNaN(each[of]));
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [
    { ...first, generation: first.generation - 0.5 },
    ...known,
    { ...last, generation: last.generation + 0.5 },
  ];
}

function drawPoints(
  context: CanvasRenderingContext2D,
  { px, py, series, places, width, height }: FitnessLayout,
  { colours, ratio }: { readonly colours: Colours; readonly ratio: number },
): void {
  const stamps = stampsOf(colours, ratio);
  const image = new ImageData(
    Math.max(1, Math.round(width * ratio)),
    Math.max(1, Math.round(height * ratio)),
  );
  const picture = pictureOf(image.width, image.height, image.data);
  const columns = Math.ceil(width) + 1;
  // A pixel is enough to hide another one; where there are very many, so are two.
  const coarse = px.length > manyPoints ? 1 : 0;
  const covered = new Uint8Array(columns * (Math.ceil(height) + 1));
  for (let point = 0; point < px.length; point++) {
    const [x, y, own] = [px[point] ?? 0, py[point] ?? 0, series[point] ?? 0];
    const at = (y >> coarse) * columns + (x >> coarse);
    if (((covered[at] ?? 0) & (1 << own)) !== 0) continue;
    covered[at]! |= 1 << own;
    const stamp = stamps[own * 4 + (places[point] ?? 0)];
    if (stamp !== undefined) putStamp(picture, stamp, { x: x * ratio, y: y * ratio });
  }
  // An image replaces what is below it; a canvas is drawn over it.
  layer ??= document.createElement("canvas");
  [layer.width, layer.height] = [image.width, image.height];
  layer.getContext("2d")?.putImageData(image, 0, 0);
  context.drawImage(layer, 0, 0, width, height);
}

let layer: HTMLCanvasElement | undefined;
let known:
  | { readonly colours: Colours; readonly ratio: number; readonly stamps: readonly Stamp[] }
  | undefined;

/** By series, four each, in the order of `pointPlaces`. */
function stampsOf(colours: Colours, ratio: number): readonly Stamp[] {
  if (known?.colours === colours && known.ratio === ratio) return known.stamps;
  const arrows = { up: "M0,-4L4,3L-4,3Z", down: "M0,4L4,-3L-4,-3Z" };
  const stamps = Array.from({ length: seriesMax + 1 }, (_, series) => {
    const mark = markOf(series === seriesMax ? -1 : series);
    const colour = colours.plots[mark.colour] ?? colours.text;
    const shape = shapePath(mark.shape, radius);
    return [shape, arrows.up, arrows.down, shape].map((path, place) =>
      spriteOf(path, { colour, edge: colours.surface, ratio, isHollow: place === pointPlaces.failed }),
    );
  }).flat();
  known = { colours, ratio, stamps };
  return stamps;
}

interface Sprite {
  readonly colour: string;
  readonly edge: string;
  readonly ratio: number;
  readonly isHollow: boolean;
}

function spriteOf(path: string, { colour, edge, ratio, isHollow }: Sprite): Stamp {
  const canvas = document.createElement("canvas");
  const width = (canvas.width = canvas.height = Math.ceil(spriteSize * ratio));
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) return stampOf(pictureOf(0, 0, new Uint8ClampedArray()));
  context.translate(width >> 1, width >> 1);
  context.scale(ratio, ratio);
  const shape = new Path2D(path);
  if (isHollow) {
    context.strokeStyle = colour;
    context.lineWidth = 1.3;
    context.stroke(shape);
  } else {
    context.fillStyle = colour;
    // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- it fills a shape and no array
    context.fill(shape);
    context.globalAlpha = 0.6;
    context.strokeStyle = edge;
    context.lineWidth = 0.6;
    context.stroke(shape);
  }
  return stampOf(pictureOf(width, width, context.getImageData(0, 0, width, width).data));
}

function line(
  context: CanvasRenderingContext2D,
  [x1, y1, x2, y2]: readonly [number, number, number, number],
): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}
