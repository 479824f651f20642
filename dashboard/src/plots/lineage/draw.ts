// Draws edges and individuals into a bitmap: edges in batches by style, only what is inside of it, and fewer edges while it moves.
import type { Camera, Size } from "./camera.ts";
import { marks } from "./layout.ts";
import { kin } from "./moves.ts";
import { edgeStyle, edgeStyles, type Picture } from "./picture.ts";
import type { Colours } from "../colours.svelte.ts";
import { columnOf, type Sprites } from "./sprites.ts";

export interface Canvas {
  readonly context: CanvasRenderingContext2D;
  readonly camera: Camera;
  readonly size: Size;
  readonly colours: Colours;
  readonly sprites: Sprites;
}

// Of long paths the time grows faster than the length.
const segmentsPerPath = 128;
const room = 12;
/** What fades is only a hint of the others: of many edges some are enough. */
const fadedEdgesMax = 4_000;
/** Dashes of more edges than that cannot be told apart, and take long. */
const dashedMax = 5_000;
const ringsMax = 2_000;

/** All but grid and figures. At most so many edges that are not of the picked one. */
export function drawPicture(canvas: Canvas, picture: Picture, edgesMax: number): void {
  const { context, size } = canvas;
  context.clearRect(0, 0, size.width, size.height);
  context.lineCap = "butt";
  drawEdges(canvas, picture, edgesMax);
  drawIndividuals(canvas, picture);
  drawPath(canvas, picture);
  drawRings(canvas, picture);
  drawPicked(canvas, picture);
  context.globalAlpha = 1;
}

function drawEdges(canvas: Canvas, picture: Picture, edgesMax: number): void {
  const { scene } = picture;
  const { length } = scene.edgeChild;
  const styles = new Int8Array(length);
  const counts = [0, 0, 0, 0, 0];
  for (let edge = 0; edge < length; edge++) {
    const style = isInside(canvas, picture, edge) ? edgeStyle(picture, edge) : -1;
    styles[edge] = style;
    if (style >= 0) counts[style] = (counts[style] ?? 0) + 1;
  }
  const { plain, migration, faded, ancestor, descendant } = edgeStyles;
  const many = (counts[plain] ?? 0) + (counts[migration] ?? 0);
  const { colours, context } = canvas;
  const dense = Math.max(0.07, Math.min(0.6, 900 / Math.max(1, many)));
  const stroke = (
    style: number,
    colour: string,
    how: { alpha: number; width: number; dash: number[] },
  ): void => {
    context.strokeStyle = colour;
    context.globalAlpha = how.alpha;
    context.lineWidth = how.width;
    context.setLineDash(how.dash);
    const max = style === faded ? Math.min(edgesMax, fadedEdgesMax) : edgesMax;
    const isBounded = style === plain || style === migration || style === faded;
    const step = isBounded ? Math.max(1, Math.ceil((counts[style] ?? 0) / max)) : 1;
    strokeAll(canvas, picture, { styles, style, step });
  };
  if ((counts[faded] ?? 0) > 0) stroke(faded, colours.quiet, { alpha: 0.1, width: 1, dash: [] });
  if ((counts[plain] ?? 0) > 0) stroke(plain, colours.quiet, { alpha: dense, width: 1, dash: [] });
  const crossing = counts[migration] ?? 0;
  if (crossing > 0)
    stroke(migration, colours.warn, {
      alpha: Math.max(0.14, Math.min(0.7, 500 / crossing)),
      width: 1,
      dash: crossing <= edgesMax && crossing < dashedMax ? [5, 4] : [],
    });
  if ((counts[descendant] ?? 0) > 0)
    stroke(descendant, colours.warn, {
      alpha: 0.85,
      width: 1.4,
      dash: (counts[descendant] ?? 0) < dashedMax ? [2, 3] : [],
    });
  if ((counts[ancestor] ?? 0) > 0) stroke(ancestor, colours.accent, { alpha: 0.9, width: 1.8, dash: [] });
  context.setLineDash([]);
}

function strokeAll(
  { context, camera }: Canvas,
  { scene, layout }: Picture,
  { styles, style, step }: { readonly styles: Int8Array; readonly style: number; readonly step: number },
): void {
  let segments = 0;
  let left = 0;
  context.beginPath();
  for (let edge = 0; edge < styles.length; edge++) {
    if (styles[edge] !== style || left++ % step !== 0) continue;
    const [child = 0, parent = 0] = [scene.edgeChild[edge], scene.edgeParent[edge]];
    context.moveTo(
      (layout.x[parent] ?? 0) * camera.scaleX + camera.left,
      camera.top - (layout.y[parent] ?? 0) * camera.scaleY,
    );
    context.lineTo(
      (layout.x[child] ?? 0) * camera.scaleX + camera.left,
      camera.top - (layout.y[child] ?? 0) * camera.scaleY,
    );
    if (++segments % segmentsPerPath !== 0) continue;
    context.stroke();
    context.beginPath();
  }
  context.stroke();
}

function isInside({ camera, size }: Canvas, { scene, layout }: Picture, edge: number): boolean {
  const [child = 0, parent = 0] = [scene.edgeChild[edge], scene.edgeParent[edge]];
  const fromX = (layout.x[parent] ?? 0) * camera.scaleX + camera.left;
  const toX = (layout.x[child] ?? 0) * camera.scaleX + camera.left;
  if ((fromX < 0 && toX < 0) || (fromX > size.width && toX > size.width)) return false;
  const fromY = camera.top - (layout.y[parent] ?? 0) * camera.scaleY;
  const toY = camera.top - (layout.y[child] ?? 0) * camera.scaleY;
  return !((fromY < 0 && toY < 0) || (fromY > size.height && toY > size.height));
}

function drawIndividuals(canvas: Canvas, picture: Picture): void {
  const { context, camera, size, sprites } = canvas;
  const { scene, layout, shown, kin: kinship } = picture;
  const { side, sheet, sheetSide } = sprites;
  // Those that fade first, so that no relative is below one of them.
  for (const isRelated of kinship === null ? [true] : [false, true]) {
    context.globalAlpha = isRelated ? 1 : 0.18;
    for (let row = 0; row < scene.size; row++) {
      if (shown[row] !== 1) continue;
      if (kinship !== null && (kinship[row] !== kin.none) !== isRelated) continue;
      const x = (layout.x[row] ?? 0) * camera.scaleX + camera.left;
      const y = camera.top - (layout.y[row] ?? 0) * camera.scaleY;
      if (x < -room || x > size.width + room || y < -room || y > size.height + room) continue;
      const column = columnOf(sprites, scene.population[row] ?? -1) * sheetSide;
      const mark = layout.mark[row];
      const line = mark === marks.lane ? sheetSide : 0;
      context.drawImage(sheet, column, line, sheetSide, sheetSide, x - side / 2, y - side / 2, side, side);
    }
  }
  context.globalAlpha = 1;
  drawOutside(canvas, picture);
}

// An arrow away from the range for those beyond it.
function drawOutside({ context, camera, colours }: Canvas, { scene, layout, shown }: Picture): void {
  if (layout.outside === 0) return;
  context.beginPath();
  for (let row = 0; row < scene.size; row++) {
    const mark = layout.mark[row];
    if (shown[row] !== 1 || (mark !== marks.above && mark !== marks.below)) continue;
    const to = mark === marks.above ? -1 : 1;
    const x = (layout.x[row] ?? 0) * camera.scaleX + camera.left;
    const y = camera.top - (layout.y[row] ?? 0) * camera.scaleY + to * 5;
    context.moveTo(x - 4, y);
    context.lineTo(x, y + to * 5);
    context.lineTo(x + 4, y);
  }
  context.strokeStyle = colours.text;
  context.lineWidth = 1.6;
  context.stroke();
}

// Last but for the picked one, so that it is always seen.
function drawPath({ context, camera, colours }: Canvas, { scene, layout }: Picture): void {
  const { path } = scene;
  const trace = (): void => {
    context.beginPath();
    for (const row of path)
      context.lineTo(
        (layout.x[row] ?? 0) * camera.scaleX + camera.left,
        camera.top - (layout.y[row] ?? 0) * camera.scaleY,
      );
  };
  context.globalAlpha = 1;
  context.lineJoin = "round";
  for (const [colour, width] of [
    [colours.surface, 6.5],
    [colours.good, 3.2],
  ] as const) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    trace();
    context.stroke();
  }
  for (const row of path) {
    const isBest = row === scene.best;
    const x = (layout.x[row] ?? 0) * camera.scaleX + camera.left;
    const y = camera.top - (layout.y[row] ?? 0) * camera.scaleY;
    context.beginPath();
    context.arc(x, y, isBest ? 7.5 : 4.5, 0, 2 * Math.PI);
    context.fillStyle = isBest ? colours.good : colours.surface;
    context.fill();
    context.strokeStyle = isBest ? colours.text : colours.good;
    context.lineWidth = 2;
    context.stroke();
  }
}

// Relatives are told from others by rings, ancestors' round and descendants' square, on the path to the best too.
function drawRings({ context, camera, colours }: Canvas, { layout, shown, kin: kinship }: Picture): void {
  if (kinship === null) return;
  for (const [mark, colour] of [
    [kin.ancestor, colours.accent],
    [kin.descendant, colours.warn],
  ] as const) {
    let rings = 0;
    context.beginPath();
    for (let row = 0; row < kinship.length && rings < ringsMax; row++) {
      if (kinship[row] !== mark || shown[row] !== 1) continue;
      const x = (layout.x[row] ?? 0) * camera.scaleX + camera.left;
      const y = camera.top - (layout.y[row] ?? 0) * camera.scaleY;
      if (mark === kin.ancestor) {
        context.moveTo(x + 6.5, y);
        context.arc(x, y, 6.5, 0, 2 * Math.PI);
      } else context.rect(x - 5.5, y - 5.5, 11, 11);
      rings++;
    }
    context.strokeStyle = colour;
    context.lineWidth = 1.6;
    context.stroke();
  }
}

function drawPicked({ context, camera, colours }: Canvas, { layout, picked, from }: Picture): void {
  if (picked < 0) return;
  const place = (row: number): readonly [number, number] => [
    (layout.x[row] ?? 0) * camera.scaleX + camera.left,
    camera.top - (layout.y[row] ?? 0) * camera.scaleY,
  ];
  if (from >= 0) {
    context.beginPath();
    context.moveTo(...place(from));
    context.lineTo(...place(picked));
    context.strokeStyle = colours.text;
    context.lineWidth = 3;
    context.stroke();
  }
  for (const [colour, width] of [
    [colours.surface, 5],
    [colours.text, 2.4],
  ] as const) {
    context.beginPath();
    context.arc(...place(picked), 10, 0, 2 * Math.PI);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
  }
}
