// One name of each individual, where many have the same: each name is kept once, for as long as somebody has it.
import { Column } from "./column.ts";

export class NameColumn {
  readonly #cells = new Column("int");
  /** By number; the first is that of those without a name. */
  #names: (string | null)[] = [null];
  #numbers = new Map<string, number>();
  /** By number: how many have it. */
  #uses: number[] = [0];
  #free: number[] = [];

  get(row: number): string | null {
    return this.#names[this.#cells.get(row)] ?? null;
  }

  /** Returns whether it had another one. */
  set(row: number, name: string | null): boolean {
    const before = this.#cells.get(row);
    if (name === this.get(row)) return false;
    this.#release(before);
    this.#cells.set(row, name === null ? 0 : this.#numberOf(name));
    return true;
  }

  /** Keeps only these rows, in this order. */
  keep(rows: Int32Array): void {
    const names = this.#names;
    this.#cells.keep(rows);
    this.#names = [null];
    this.#numbers = new Map();
    this.#uses = [0];
    this.#free = [];
    for (let row = 0; row < rows.length; row++) {
      const name = names[this.#cells.get(row)] ?? null;
      this.#cells.set(row, name === null ? 0 : this.#numberOf(name));
    }
  }

  /** Without the texts. */
  get bytes(): number {
    return this.#cells.bytes;
  }

  #numberOf(name: string): number {
    const number = this.#numbers.get(name) ?? this.#free.pop() ?? this.#names.length;
    this.#names[number] = name;
    this.#numbers.set(name, number);
    this.#uses[number] = (this.#uses[number] ?? 0) + 1;
    return number;
  }

  #release(number: number): void {
    const name = this.#names[number] ?? null;
    const uses = (this.#uses[number] ?? 0) - 1;
    if (name === null) return;
    this.#uses[number] = uses;
    if (uses > 0) return;
    this.#numbers.delete(name);
    this.#names[number] = null;
    this.#free.push(number);
  }
}
