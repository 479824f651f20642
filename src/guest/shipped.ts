// Functions that are sent as source: compiled once per source, and the same function in every run.
import { uncurry } from "../model/wire/intrinsics.ts";
import { fuelCounter, spend } from "./fuel.ts";

export type Callee = (...args: unknown[]) => unknown;

/** What a function's source is compiled to: given the fuel counter, it returns the function. */
export type ShippedFactory = (counter: Int32Array, spendMore: () => void) => Callee;

const shipped = new WeakMap<ShippedFactory, Callee>();
const weakGet = uncurry(shipped.get) as (map: unknown, key: ShippedFactory) => Callee | undefined;
const weakSet = uncurry(shipped.set) as (map: unknown, key: ShippedFactory, value: Callee) => unknown;

/** The function of a source; made once. */
export function shippedBy(factory: ShippedFactory): Callee {
  const known = weakGet(shipped, factory);
  if (known !== undefined) return known;
  const callee = factory(fuelCounter, spend);
  weakSet(shipped, factory, callee);
  return callee;
}
