// A list of numbers that grows, as one typed array: thousands of rows cost bytes and not objects.
type Cells = Float64Array | Int32Array | Uint8Array;

const kinds = { float: Float64Array, int: Int32Array, byte: Uint8Array } as const;

export class Column {
  readonly #otherwise: number;
  #cells: Cells;

  constructor(kind: keyof typeof kinds, otherwise = 0) {
    this.#otherwise = otherwise;
    this.#cells = new kinds[kind](256).fill(otherwise);
  }

  get(row: number): number {
    return this.#cells[row] ?? this.#otherwise;
  }

  set(row: number, value: number): void {
    if (row >= this.#cells.length) {
      const Kind = this.#cells.constructor as new (length: number) => Cells;
      const grown = new Kind(Math.max(row + 1, this.#cells.length * 2)).fill(this.#otherwise);
      grown.set(this.#cells);
      this.#cells = grown;
    }
    this.#cells[row] = value;
  }

  clear(): void {
    this.#cells = this.#cells.slice(0, 256).fill(this.#otherwise);
  }
}
