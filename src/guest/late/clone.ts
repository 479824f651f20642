// structuredClone as the web has it: copies of data, also of cycles and of what is shared, buffers that are given away, and a
// DataCloneError for all that is not data. A proxy is copied as what it shows, as nothing tells it from an object.
import type { Exceptions } from "./exceptions.ts";
import type { Made, Needs } from "./needs.ts";

/** Errors keep their class where it is one of these. */
const errorClasses: readonly ErrorConstructor[] = [
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
];
/** What is of the language and no data, though nothing but its tag tells. */
const isOfLanguage = /^\[object (?:Intl\.|Temporal\.|FinalizationRegistry|Module|Generator)/;

/** Node 24 has all but one. */
declare const Float16Array: unknown;
const viewClasses: Readonly<Record<string, unknown>> = {
  DataView,
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float16Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
};

type ViewClass = new (buffer: ArrayBuffer, offset: number, length: number | undefined) => ArrayBufferView;

export function make(needs: Needs): Made {
  return {
    structuredClone(...given: readonly unknown[]): unknown {
      if (given.length === 0) throw new TypeError("Cannot clone as a value must be given: got none");
      const copies = new Copies(needs);
      const transferred = copies.readTransfer(given[1]);
      const copy = copies.of(given[0]);
      // Only now: where something cannot be copied, nothing was given away.
      for (const buffer of transferred) buffer.transfer();
      return copy;
    },
  };
}

class Copies {
  readonly #needs: Needs;
  readonly #made = new Map<object, object>();

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  readTransfer(options: unknown): readonly ArrayBuffer[] {
    if (options === undefined || options === null) return [];
    if (typeof options !== "object") throw new TypeError("Cannot clone as the options must be an object");
    const { transfer = [] } = options as { readonly transfer?: Iterable<unknown> }; // Iterated, or it throws.
    const buffers: ArrayBuffer[] = [];
    for (const buffer of transfer) {
      if (!(buffer instanceof ArrayBuffer)) throw this.#refused("what is transferred must be an ArrayBuffer");
      if (buffer.detached) throw this.#refused("what is transferred must not have been given away before");
      if (buffers.includes(buffer)) throw this.#refused("nothing must be transferred twice");
      buffers.push(buffer);
    }
    return buffers;
  }

  of(value: unknown): unknown {
    if (typeof value === "function")
      throw this.#refused(`a function${value.name && ` ${value.name}`} is not data`);
    if (typeof value === "symbol") throw this.#refused("a symbol is not data");
    if (typeof value !== "object" || value === null) return value;
    return (this.#needs.language.mapGet(this.#made, value) as object | undefined) ?? this.#copy(value);
  }

  #copy(value: object): object {
    const { kindOf, refusedName, unboxed } = this.#needs.kinds;
    if (Array.isArray(value)) return this.#filled(value, emptyOf(value.length));
    switch (kindOf(value)) {
      case "map":
        return this.#map(value as Map<unknown, unknown>); // By its kind, as all that follow.
      case "set":
        return this.#set(value as Set<unknown>);
      case "date":
        return this.#keep(value, new Date(Number(value)));
      case "regexp":
        return this.#regexp(value as RegExp);
      case "error":
        return this.#error(value as Error);
      case "buffer":
        return this.#keep(value, copyOfBuffer(value as ArrayBuffer));
      case "typed":
      case "view":
        return this.#view(value as ArrayBufferView);
      case "boxed":
        return this.#keep(value, Object(unboxed(value)) as object);
      case "refused":
        throw this.#refused(`${refusedName(value)} is not data`);
      // A copy within the sandbox is that of a class as elsewhere, even where it comes to an empty object.
      case "plain":
      case "empty":
        return this.#plain(value);
    }
  }

  #keep<T extends object>(value: object, copy: T): T {
    this.#needs.language.mapSet(this.#made, value, copy);
    return copy;
  }

  #plain(value: object): object {
    const tag = Object.prototype.toString.call(value);
    if (this.#needs.isOfRuntime(value) || isOfLanguage.test(tag)) throw this.#refused(`${tag} is not data`);
    return this.#filled(value, {});
  }

  #filled(value: object, copy: object): object {
    this.#keep(value, copy);
    for (const name of Object.keys(value)) {
      // One that a getter has removed meanwhile is none.
      if (!Object.hasOwn(value, name)) continue;
      const item = this.of((value as Record<string, unknown>)[name]);
      const own = { __proto__: null, value: item, writable: true, enumerable: true, configurable: true };
      this.#needs.language.defineProperty(copy, name, own as PropertyDescriptor);
    }
    return copy;
  }

  #map(value: Map<unknown, unknown>): object {
    const copy = this.#keep(value, new Map<unknown, unknown>());
    // As it is now: a getter may change it meanwhile.
    for (const [key, item] of [...value]) this.#needs.language.mapSet(copy, this.of(key), this.of(item));
    return copy;
  }

  #set(value: Set<unknown>): object {
    const copy = this.#keep(value, new Set<unknown>());
    for (const item of [...value]) this.#needs.language.setAdd(copy, this.of(item));
    return copy;
  }

  #regexp(value: RegExp): object {
    return this.#keep(value, new RegExp(value.source, value.flags));
  }

  #error(value: Error): object {
    const { DOMException } = this.#needs.made("exceptions") as Exceptions;
    const { name, stack } = value;
    const own = Object.getOwnPropertyDescriptor(value, "message");
    const message = own !== undefined && "value" in own ? [`${own.value as string}`] : [];
    const Class = errorClasses.find((known) => known.name === name) ?? Error;
    const copy =
      value instanceof DOMException ? new DOMException(value.message, name) : new Class(...message);
    this.#keep(value, copy);
    if (typeof stack === "string") hide(copy, "stack", stack);
    if (Object.hasOwn(value, "cause")) hide(copy, "cause", this.of(value.cause));
    return copy;
  }

  #view(value: ArrayBufferView): object {
    const buffer = this.of(value.buffer) as ArrayBuffer; // The copy of one is one.
    const tag = (value as { readonly [Symbol.toStringTag]?: string })[Symbol.toStringTag] ?? "DataView";
    const Class = viewClasses[tag] as ViewClass; // There is no other.
    const { length = value.byteLength } = value as { readonly length?: number };
    return this.#keep(value, new Class(buffer, value.byteOffset, length));
  }

  #refused(why: string): Error {
    const { DOMException } = this.#needs.made("exceptions") as Exceptions;
    return new DOMException(`Cannot clone as ${why}`, "DataCloneError");
  }
}

function emptyOf(length: number): unknown[] {
  const list: unknown[] = [];
  list.length = length;
  return list;
}

function copyOfBuffer(buffer: ArrayBuffer): ArrayBuffer {
  if (!buffer.resizable) return buffer.slice(0);
  const copy = new ArrayBuffer(buffer.byteLength, { maxByteLength: buffer.maxByteLength });
  new Uint8Array(copy).set(new Uint8Array(buffer));
  return copy;
}

function hide(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true });
}
