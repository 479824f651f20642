// One figure of each individual, in typed memory that grows: a million of them cost megabytes, not objects.

type Cells = Int32Array | Float64Array | Uint8Array;

const cellsFirst = 1_024;

export class Column {
  readonly #make: (length: number) => Cells;
  readonly #empty: number;
  #cells: Cells;

  /** A column of `kind` in which a cell that was never set has the value `empty`. */
  constructor(kind: "int" | "float" | "byte", empty = 0) {
    const make = {
      int: (length: number) => new Int32Array(length),
      float: (length: number) => new Float64Array(length),
      byte: (length: number) => new Uint8Array(length),
    };
    this.#make = make[kind];
    this.#empty = empty;
    this.#cells = this.#grown(cellsFirst);
  }

  get(index: number): number {
    return this.#cells[index] ?? this.#empty;
  }

  set(index: number, value: number): void {
    if (index >= this.#cells.length) {
      const cells = this.#grown(Math.max(index + 1, this.#cells.length * 2));
      cells.set(this.#cells);
      this.#cells = cells;
    }
    this.#cells[index] = value;
  }

  /** Keeps only these cells, in this order. */
  keep(indices: Int32Array): void {
    const cells = this.#grown(Math.max(cellsFirst, indices.length));
    for (const [place, index] of indices.entries()) cells[place] = this.get(index);
    this.#cells = cells;
  }

  get bytes(): number {
    return this.#cells.byteLength;
  }

  #grown(length: number): Cells {
    const cells = this.#make(length);
    if (this.#empty !== 0) cells.fill(this.#empty);
    return cells;
  }
}
