// Finds the point that is nearest to a place among thousands: only the cells of a grid around it are looked at.
export class PointGrid {
  readonly #cell: number;
  readonly #columns: number;
  readonly #rows: number;
  readonly #starts: Int32Array;
  readonly #points: Int32Array;
  readonly #x: Float32Array;
  readonly #y: Float32Array;

  constructor(
    { x, y }: { readonly x: Float32Array; readonly y: Float32Array },
    { width, height }: { readonly width: number; readonly height: number },
    cell = 16,
  ) {
    this.#cell = cell;
    this.#columns = Math.max(1, Math.ceil(width / cell));
    this.#rows = Math.max(1, Math.ceil(height / cell));
    this.#x = x;
    this.#y = y;
    const counts = new Int32Array(this.#columns * this.#rows + 1);
    for (let point = 0; point < x.length; point++) counts[this.#cellOf(point) + 1]!++;
    for (let at = 1; at < counts.length; at++) counts[at]! += counts[at - 1]!;
    this.#starts = counts.slice();
    this.#points = new Int32Array(x.length);
    for (let point = 0; point < x.length; point++) {
      const at = this.#cellOf(point);
      this.#points[counts[at]!++] = point;
    }
  }

  /** The nearest point that is at most so far away; -1 where there is none. Of equals the one that is drawn last. */
  nearest(x: number, y: number, reach: number): number {
    let found = -1;
    let least = reach * reach;
    const [left, right] = [this.#column(x - reach), this.#column(x + reach)];
    const [top, bottom] = [this.#row(y - reach), this.#row(y + reach)];
    for (let row = top; row <= bottom; row++) {
      const first = this.#starts[row * this.#columns + left]!;
      const end = this.#starts[row * this.#columns + right + 1]!;
      for (let at = first; at < end; at++) {
        const point = this.#points[at]!;
        const distance = (this.#x[point]! - x) ** 2 + (this.#y[point]! - y) ** 2;
        if (distance < least || (distance === least && point > found)) [found, least] = [point, distance];
      }
    }
    return found;
  }

  #cellOf(point: number): number {
    return this.#row(this.#y[point]!) * this.#columns + this.#column(this.#x[point]!);
  }

  #column(x: number): number {
    return Math.min(this.#columns - 1, Math.max(0, Math.floor(x / this.#cell)));
  }

  #row(y: number): number {
    return Math.min(this.#rows - 1, Math.max(0, Math.floor(y / this.#cell)));
  }
}
