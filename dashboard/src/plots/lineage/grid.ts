// Finds who stands near a place: individuals in the cells of a grid, so that a pointer's move looks at a few and not at all.
import type { Camera } from "./camera.ts";
import type { Layout } from "./layout.ts";

export interface Grid {
  readonly columns: number;
  readonly lines: number;
  /** The rows of a cell: from `start[cell]` up to `start[cell + 1]` of `rows`. */
  readonly start: Int32Array;
  readonly rows: Int32Array;
}

export function gridOf({ x, y, bounds }: Layout): Grid {
  const side = Math.min(256, Math.max(1, Math.ceil(Math.sqrt(x.length / 2))));
  const [columns, lines] = [side, side];
  const start = new Int32Array(columns * lines + 1);
  const cells = new Int32Array(x.length);
  const grid = { columns, lines };
  for (let row = 0; row < x.length; row++) {
    const cell = columnOf(grid, bounds, x[row] ?? 0) + columns * lineOf(grid, bounds, y[row] ?? 0);
    cells[row] = cell;
    start[cell + 1] = (start[cell + 1] ?? 0) + 1;
  }
  for (let cell = 0; cell < columns * lines; cell++)
    start[cell + 1] = (start[cell + 1] ?? 0) + (start[cell] ?? 0);
  const next = start.slice();
  const rows = new Int32Array(x.length);
  for (let row = 0; row < x.length; row++) {
    const cell = cells[row] ?? 0;
    const place = next[cell] ?? 0;
    rows[place] = row;
    next[cell] = place + 1;
  }
  return { columns, lines, start, rows };
}

export interface Near {
  /** In pixels. */
  readonly x: number;
  readonly y: number;
  readonly within: number;
  /** 1 for those that can be found. */
  readonly shown: Uint8Array;
}

/** Who is nearest to a pixel; -1 where nobody is that near. */
export function nearest(
  { layout, grid, camera }: { readonly layout: Layout; readonly grid: Grid; readonly camera: Camera },
  { x, y, within, shown }: Near,
): number {
  const { bounds } = layout;
  const [atX, atY] = [(x - camera.left) / camera.scaleX, (camera.top - y) / camera.scaleY];
  const [farX, farY] = [within / camera.scaleX, within / camera.scaleY];
  const right = columnOf(grid, bounds, atX + farX);
  const top = lineOf(grid, bounds, atY + farY);
  let found = -1;
  let least = within * within;
  for (let line = lineOf(grid, bounds, atY - farY); line <= top; line++)
    for (let column = columnOf(grid, bounds, atX - farX); column <= right; column++) {
      const cell = column + grid.columns * line;
      for (let place = grid.start[cell] ?? 0; place < (grid.start[cell + 1] ?? 0); place++) {
        const row = grid.rows[place] ?? 0;
        if (shown[row] !== 1) continue;
        const overX = ((layout.x[row] ?? 0) - atX) * camera.scaleX;
        const overY = ((layout.y[row] ?? 0) - atY) * camera.scaleY;
        const distance = overX * overX + overY * overY;
        if (distance > least) continue;
        least = distance;
        found = row;
      }
    }
  return found;
}

const clamped = (value: number, max: number): number => Math.min(max - 1, Math.max(0, Math.floor(value)));

function columnOf({ columns }: Pick<Grid, "columns">, { left, right }: Layout["bounds"], x: number): number {
  return clamped(((x - left) / (right - left)) * columns, columns);
}

function lineOf({ lines }: Pick<Grid, "lines">, { bottom, top }: Layout["bounds"], y: number): number {
  return clamped(((y - bottom) / (top - bottom)) * lines, lines);
}
