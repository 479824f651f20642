// Two components of all individuals against each other, with the first Pareto front as a line.
import type { Size } from "./camera.ts";
import type { Colours } from "../colours.svelte.ts";
import { ticksOf } from "../scale.ts";
import { numberText } from "../../text.ts";

export interface Scatter {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly shown: Uint8Array;
  readonly front: readonly number[];
  readonly picked: number;
}

export interface Frame {
  readonly left: number;
  readonly bottom: number;
  readonly fromX: number;
  readonly fromY: number;
  readonly perX: number;
  readonly perY: number;
}

const room = { left: 70, right: 16, top: 14, bottom: 34 } as const;

/** A value is at the pixel `left + (x - fromX) * perX`, `bottom - (y - fromY) * perY`. */
export function frameOf({ x, y }: Pick<Scatter, "x" | "y">, { width, height }: Size): Frame {
  const spanX = spanOf(x);
  const spanY = spanOf(y);
  return {
    left: room.left,
    bottom: height - room.bottom,
    fromX: spanX.from,
    fromY: spanY.from,
    perX: Math.max(1, width - room.left - room.right) / spanX.length,
    perY: Math.max(1, height - room.top - room.bottom) / spanY.length,
  };
}

/** The row nearest to a pixel, those of the front first; -1 where none is that near. */
export function nearestPoint(
  { x, y, shown, front }: Scatter,
  frame: Frame,
  at: { readonly x: number; readonly y: number; readonly within: number },
): number {
  let found = -1;
  let least = at.within;
  const look = (row: number): void => {
    const distance = Math.hypot(
      frame.left + ((x[row] ?? 0) - frame.fromX) * frame.perX - at.x,
      frame.bottom - ((y[row] ?? 0) - frame.fromY) * frame.perY - at.y,
    );
    if (!(distance < least)) return;
    least = distance;
    found = row;
  };
  for (const row of front) look(row);
  if (found >= 0) return found;
  for (let row = 0; row < x.length; row++) if (shown[row] === 1) look(row);
  return found;
}

export function drawScatter(
  context: CanvasRenderingContext2D,
  scatter: Scatter,
  { colours, size, frame }: { readonly colours: Colours; readonly size: Size; readonly frame: Frame },
): void {
  const { x, y, shown, front, picked } = scatter;
  const left = (row: number): number => frame.left + ((x[row] ?? 0) - frame.fromX) * frame.perX;
  const top = (row: number): number => frame.bottom - ((y[row] ?? 0) - frame.fromY) * frame.perY;
  context.clearRect(0, 0, size.width, size.height);
  drawFigures(context, { colours, size, frame });
  context.fillStyle = colours.quiet;
  context.globalAlpha = 0.45;
  for (let row = 0; row < x.length; row++)
    if (shown[row] === 1 && !Number.isNaN(x[row])) context.fillRect(left(row) - 1.5, top(row) - 1.5, 3, 3);
  context.globalAlpha = 1;
  context.strokeStyle = colours.plots[1] ?? colours.text;
  context.lineWidth = 2;
  context.beginPath();
  for (const row of front) context.lineTo(left(row), top(row));
  context.stroke();
  context.fillStyle = colours.surface;
  for (const row of front) {
    context.beginPath();
    context.rect(left(row) - 4, top(row) - 4, 8, 8);
    context.fill();
    context.stroke();
  }
  if (picked < 0 || Number.isNaN(x[picked])) return;
  context.beginPath();
  context.arc(left(picked), top(picked), 9, 0, 2 * Math.PI);
  context.strokeStyle = colours.text;
  context.stroke();
}

function drawFigures(
  context: CanvasRenderingContext2D,
  { colours, size, frame }: { readonly colours: Colours; readonly size: Size; readonly frame: Frame },
): void {
  const right = size.width - room.right;
  context.font = `12px ${getComputedStyle(context.canvas).fontFamily}`;
  context.fillStyle = colours.quiet;
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.beginPath();
  context.textAlign = "center";
  context.textBaseline = "top";
  const toX = frame.fromX + (right - frame.left) / frame.perX;
  for (const value of ticksOf([frame.fromX, toX], Math.max(2, Math.floor(size.width / 110)))) {
    const at = Math.round(frame.left + (value - frame.fromX) * frame.perX) + 0.5;
    context.moveTo(at, room.top);
    context.lineTo(at, frame.bottom);
    context.fillText(numberText(value), at, frame.bottom + 8);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  const toY = frame.fromY + (frame.bottom - room.top) / frame.perY;
  for (const value of ticksOf([frame.fromY, toY], Math.max(2, Math.floor(size.height / 60)))) {
    const at = Math.round(frame.bottom - (value - frame.fromY) * frame.perY) + 0.5;
    context.moveTo(frame.left, at);
    context.lineTo(right, at);
    context.fillText(numberText(value), frame.left - 8, at, frame.left - 12);
  }
  context.stroke();
}

function spanOf(values: Float64Array): { readonly from: number; readonly length: number } {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values)
    if (!Number.isNaN(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (!(high >= low)) return { from: 0, length: 1 };
  const more = high > low ? (high - low) * 0.04 : Math.max(Math.abs(high) * 0.05, 1e-9);
  return { from: low - more, length: high - low + 2 * more };
}
