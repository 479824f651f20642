// How each individual's latest evaluation ended, as one byte: there are few different results.
import { Column } from "./column.ts";
import type { FitnessResult } from "./individual-row.ts";

export class ResultColumn {
  readonly cells: Column = new Column("byte");
  readonly #results: FitnessResult[] = ["none", "ok"];

  get(row: number): FitnessResult {
    return this.#results[this.cells.get(row)] ?? "none";
  }

  set(row: number, result: FitnessResult): void {
    const known = this.#results.indexOf(result);
    this.cells.set(row, known >= 0 ? known : this.#results.push(result) - 1);
  }
}
