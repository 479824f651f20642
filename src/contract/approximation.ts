// What JSON can say of a value that it cannot say whole: for callers that do not read the codec's text.

const circular = "[circular]";
const tooLarge = "[too large]";
/** How many parts a copy has at most. */
const partsMax = 100_000;

/**
 * A copy that JSON expresses. A Map is a list of pairs, a Set and bytes are lists, what has no form of its own is a text. What
 * is shared is written again wherever it stands, so that few parts may become very many: a copy that is much longer than the
 * value's own text, which has `length`, is not finished.
 */
export function approximate(value: unknown, length = Infinity): unknown {
  return new Copier(length).copy(value);
}

class Copier {
  readonly #above = new Set<object>();
  #parts = partsMax;
  #letters: number;

  constructor(length: number) {
    this.#letters = 2 * length;
  }

  copy(value: unknown): unknown {
    if (--this.#parts < 0) return tooLarge;
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "bigint") return this.#text(value.toString());
    if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
    if (value === undefined) return null;
    if (typeof value !== "object" || value === null) return value;
    if (this.#above.has(value)) return circular;
    this.#above.add(value);
    const copied = this.#object(value);
    this.#above.delete(value);
    return copied;
  }

  #object(value: object): unknown {
    if (Array.isArray(value) || value instanceof Set) return this.#each(value);
    if (value instanceof Map) return this.#each(value);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (value instanceof RegExp) return this.#text(String(value));
    // oxlint-disable-next-line unicorn/no-instanceof-builtins -- of this realm, as the codec made it
    if (value instanceof Error) return { name: this.#text(value.name), message: this.#text(value.message) };
    if (value instanceof ArrayBuffer) return this.#each(new Uint8Array(value));
    if (ArrayBuffer.isView(value)) return this.#each(itemsOf(value));
    const primitive: unknown = value.valueOf();
    if (typeof primitive !== "object") return this.copy(primitive);
    const copied: [name: string, part: unknown][] = [];
    for (const [name, part] of Object.entries(value)) {
      if (this.#parts <= 0) break;
      copied.push([this.#text(name), this.copy(part)]);
    }
    return Object.fromEntries(copied);
  }

  #each(items: Iterable<unknown>): unknown[] {
    const copied: unknown[] = [];
    for (const item of items) {
      copied.push(this.copy(item));
      if (this.#parts < 0) break;
    }
    return copied;
  }

  #text(text: string): string {
    this.#letters -= text.length;
    return this.#letters < 0 ? tooLarge : text;
  }
}

function itemsOf(view: ArrayBufferView): Iterable<unknown> {
  // Every other view is a typed array, which is iterable.
  if (!(view instanceof DataView)) return view as ArrayBufferView & Iterable<unknown>;
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}
