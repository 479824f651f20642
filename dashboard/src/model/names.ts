// Words that occur again and again, as small numbers.
export class Names {
  readonly #list: string[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(first: readonly string[] = []) {
    for (const name of first) this.number(name);
  }

  /** Each once, in the order in which they came. */
  get list(): readonly string[] {
    return this.#list;
  }

  has(name: string): boolean {
    return this.#numbers.has(name);
  }

  number(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#list.length);
    return this.#list.push(name) - 1;
  }

  name(number: number): string {
    return this.#list[number] ?? "";
  }
}
