// Headers, as the Fetch standard has them.

const nameForm = /^[!#$%&'*+.^_`|~\w-]+$/;
const valueForm = /^[\t\x20-\x7e\x80-\xff]*$/;

type Pair = readonly [name: string, value: string];

export class Headers {
  readonly #values = new Map<string, string[]>();

  constructor(init?: unknown) {
    if (init === undefined || init === null) return;
    if (typeof init !== "object")
      throw new TypeError("Cannot make headers as they must be an object or a list");
    const pairs = Symbol.iterator in init ? [...(init as Iterable<unknown>)] : Object.entries(init);
    for (const pair of pairs) {
      const [name, value, ...more] = pair as readonly unknown[]; // Iterated, or it throws.
      if ((pair as readonly unknown[]).length !== 2 || more.length > 0)
        throw new TypeError("Cannot make headers as each must be a name and a value");
      this.append(name, value);
    }
  }

  append(name: unknown, value: unknown): void {
    const key = keyOf(name);
    const values = this.#values.get(key) ?? [];
    values.push(valueOf(value));
    this.#values.set(key, values);
  }
  delete(name: unknown): void {
    this.#values.delete(keyOf(name));
  }
  get(name: unknown): string | null {
    return this.#values.get(keyOf(name))?.join(", ") ?? null;
  }
  getSetCookie(): string[] {
    return [...(this.#values.get("set-cookie") ?? [])];
  }
  has(name: unknown): boolean {
    return this.#values.has(keyOf(name));
  }
  set(name: unknown, value: unknown): void {
    this.#values.set(keyOf(name), [valueOf(value)]);
  }
  forEach(visit: (value: string, name: string, headers: Headers) => void, self?: unknown): void {
    if (typeof visit !== "function") throw new TypeError("Cannot visit headers as a function must be given");
    for (const [name, value] of this) Reflect.apply(visit, self, [value, name, this]);
  }
  *entries(): Generator<Pair> {
    for (const [name, values] of [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (name === "set-cookie") for (const value of values) yield [name, value];
      else yield [name, values.join(", ")];
    }
  }
  *keys(): Generator<string> {
    for (const [name] of this.entries()) yield name;
  }
  *values(): Generator<string> {
    for (const [, value] of this.entries()) yield value;
  }
  [Symbol.iterator](): Generator<Pair> {
    return this.entries();
  }
}

function keyOf(name: unknown): string {
  const text = `${name as string}`;
  if (nameForm.test(text)) return text.toLowerCase();
  throw new TypeError(`Cannot use header ${text.slice(0, 100)} as its name must be one`);
}

function valueOf(value: unknown): string {
  const text = `${value as string}`.replaceAll(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
  if (valueForm.test(text)) return text;
  throw new TypeError("Cannot use a header as its value must be letters up to U+00FF on one line");
}
