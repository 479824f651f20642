// `crypto`: random values, random UUIDs and digests; no keys.
import type { Exceptions } from "./exceptions.ts";
import type { Made, Needs } from "./needs.ts";
import { algorithms, digest } from "./sha.ts";

const bytesMax = 65_536;
/** So many random bytes are asked for at once: a request costs more than a few bytes. */
const poolBytes = 512;
const integerArrays = /^(?:Big)?(?:Uint|Int)(?:8|16|32|64)(?:Clamped)?Array$/;

export function make({ random, made, isVirtual }: Needs): Made {
  const exceptions = (): Exceptions => made("exceptions") as Exceptions;
  let pool = "";
  const take = (length: number): string => {
    // Under a seed nothing is kept, so that each run takes the same bytes.
    if (length > poolBytes / 2 || isVirtual()) return random(length);
    if (pool.length < length) pool = random(poolBytes);
    const taken = pool.slice(0, length);
    pool = pool.slice(length);
    return taken;
  };

  class SubtleCrypto {
    // oxlint-disable-next-line require-await -- it must reject, not throw
    async digest(algorithm: unknown, data: unknown): Promise<ArrayBuffer> {
      const bytes = bytesOf(data);
      const found = algorithms.get(nameOf(algorithm).toUpperCase());
      if (found !== undefined) return digest(found, bytes);
      const rule = "it must be SHA-1, SHA-256, SHA-384 or SHA-512";
      const { DOMException } = exceptions();
      throw new DOMException(`Cannot make a digest by this algorithm as ${rule}`, "NotSupportedError");
    }
  }

  class Crypto {
    readonly #subtle = new SubtleCrypto();

    get subtle(): SubtleCrypto {
      return this.#subtle;
    }

    getRandomValues<T>(into: T): T {
      const name: unknown = ArrayBuffer.isView(into) ? Reflect.get(into, Symbol.toStringTag) : undefined;
      const { DOMException, QuotaExceededError } = exceptions();
      if (typeof name !== "string" || !integerArrays.test(name))
        throw new DOMException("Cannot fill it as it must be a typed array of integers", "TypeMismatchError");
      const bytes = bytesOf(into);
      if (bytes.length > bytesMax)
        throw new QuotaExceededError(`Cannot fill more than ${bytesMax} bytes: got ${bytes.length}`, {
          quota: bytesMax,
          requested: bytes.length,
        });
      const text = take(bytes.length);
      for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
      return into;
    }

    randomUUID(): string {
      const text = take(16);
      let id = "";
      for (let i = 0; i < 16; i++) {
        let byte = text.charCodeAt(i);
        if (i === 6) byte = (byte & 0x0f) | 0x40;
        if (i === 8) byte = (byte & 0x3f) | 0x80;
        id += (i === 4 || i === 6 || i === 8 || i === 10 ? "-" : "") + (byte + 256).toString(16).slice(1);
      }
      return id;
    }
  }

  for (const of of [Crypto, SubtleCrypto])
    Object.defineProperty(of.prototype, Symbol.toStringTag, { value: of.name, configurable: true });
  return { crypto: new Crypto() };
}

function nameOf(algorithm: unknown): string {
  if (typeof algorithm !== "object" || algorithm === null) return `${algorithm as string}`;
  const { name } = algorithm as { readonly name?: unknown };
  if (name === undefined) throw new TypeError("Cannot make a digest as the algorithm must have a name");
  return `${name as string}`;
}

/** The bytes behind a buffer or a view, at their place. */
function bytesOf(data: unknown): Uint8Array {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw new TypeError("Cannot read bytes as they must be an ArrayBuffer, a typed array or a DataView");
}
