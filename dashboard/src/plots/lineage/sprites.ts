// Marks of individuals drawn once and then copied: thousands of outlines take ten times as long.
import { markOf, shapePath } from "../marks.ts";
import type { Colours } from "../colours.svelte.ts";

export interface Sprites {
  readonly sheet: HTMLCanvasElement;
  /** The side of one, in pixels of the canvas and of the sheet. */
  readonly side: number;
  readonly sheetSide: number;
  readonly radius: number;
  /** How many marks there are; a population beyond uses one of them again. */
  readonly columns: number;
}

const columnsMax = 65;

/** The first line of the sheet has filled marks, the second hollow ones; the first column is for those without a population. */
export function spritesOf(
  colours: Colours,
  {
    radius,
    ratio,
    populations,
  }: { readonly radius: number; readonly ratio: number; readonly populations: number },
): Sprites {
  const side = Math.ceil(radius * 2.6) + 2;
  const sheetSide = Math.ceil(side * ratio);
  const columns = Math.min(columnsMax, populations + 1);
  const sheet = document.createElement("canvas");
  sheet.width = sheetSide * columns;
  sheet.height = sheetSide * 2;
  const context = sheet.getContext("2d");
  if (context === null) return { sheet, side, sheetSide, radius, columns };
  for (let column = 0; column < columns; column++)
    for (const line of [0, 1]) {
      const { colour, shape } = markOf(column - 1, populations);
      const scale = sheetSide / side;
      context.setTransform(scale, 0, 0, scale, (column + 0.5) * sheetSide, (line + 0.5) * sheetSide);
      const outline = new Path2D(shapePath(shape, radius));
      context.lineWidth = line === 0 ? 0.8 : 1.4;
      context.fillStyle = line === 0 ? (colours.plots[colour] ?? colours.text) : colours.surface;
      context.strokeStyle = line === 0 ? colours.surface : (colours.plots[colour] ?? colours.text);
      // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- it fills a shape and no array
      context.fill(outline);
      context.stroke(outline);
    }
  return { sheet, side, sheetSide, radius, columns };
}

export function columnOf({ columns }: Sprites, population: number): number {
  return population < 0 ? 0 : 1 + (population % Math.max(1, columns - 1));
}
