// Values of guests on the wire: JSON where that says everything, so that any language can read and write them; what it does
// not say stands beside it in the codec's own text.
import { decode } from "../model/wire/decode.ts";
import { encode, type Stacks } from "../model/wire/encode.ts";
import { approximate } from "./approximation.ts";

/** A value. `encoded` is there where `value` is only what JSON can say of it; of the two it is what counts. */
export interface WireValue {
  readonly value: unknown;
  /** A Map, NaN, undefined, a cycle and the like: text that `model/wire` reads. */
  readonly encoded?: string;
}

/**
 * Throws a `Refusal` for what is no data, or is longer than `bytesMax` once encoded. The stacks and properties of errors travel
 * where they are a guest's own.
 */
export function toWireValue(value: unknown, bytesMax = Infinity, stacks: Stacks = "dropped"): WireValue {
  const text = encode(value, bytesMax, stacks);
  return text.startsWith("V") ? { value: approximate(value, text.length), encoded: text } : { value };
}

/** Throws a `MalformedError` where `encoded` is no text of the codec. */
export function fromWireValue({ value, encoded }: WireValue): unknown {
  return encoded === undefined ? value : decode(encoded);
}
