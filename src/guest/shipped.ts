// Functions that are sent as source: compiled once per source, and the same function in every run.
import { generatorNext, make, mapGet, uncurry } from "../model/wire/intrinsics.ts";
import type { Cell } from "./linking/cells.ts";
import { makeRecord, type Factory } from "./linking/records.ts";

export type Callee = (...args: unknown[]) => unknown;

/** A module whose default export is the function. */
export type ShippedFactory = Factory;

const shipped = new WeakMap<ShippedFactory, Callee>();
const weakGet = uncurry(shipped.get) as (map: unknown, key: ShippedFactory) => Callee | undefined;
const weakSet = uncurry(shipped.set) as (map: unknown, key: ShippedFactory, value: Callee) => unknown;

/** The function of a source; made once. */
export function shippedBy(factory: ShippedFactory): Callee {
  const known = weakGet(shipped, factory);
  if (known !== undefined) return known;
  const callee = evaluateAlone(factory);
  weakSet(shipped, factory, callee);
  return callee;
}

// It is an expression: it imports nothing, and awaits nothing outside of the function.
function evaluateAlone(factory: ShippedFactory): Callee {
  const record = makeRecord("run", factory, {
    // oxlint-disable-next-line require-await -- it must reject, not throw
    dynamicImport: async () => {
      throw new make.ReferenceError("a function given to run() cannot import");
    },
  });
  const { body } = record;
  const running = body();
  generatorNext(running);
  generatorNext(running);
  return (mapGet(record.own, "default") as Cell).value as Callee;
}
