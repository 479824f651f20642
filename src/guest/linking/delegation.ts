// The inner generator of one whose body the compiler has moved into another: `yield*` takes its methods from it by name, and
// must not find those that a guest put in their place.
import {
  apply,
  asyncGeneratorMethods,
  generatorMethods,
  getPrototypeOf,
  setPrototypeOf,
} from "../../model/wire/intrinsics.ts";

type AnyGenerator = Generator | AsyncGenerator;

export type Delegate = (inner: () => AnyGenerator, self: unknown, given: ArrayLike<unknown>) => AnyGenerator;

// oxlint-disable-next-line func-style, require-yield -- only its prototype is needed
const asyncPrototype = getPrototypeOf(async function* () {}) as object;

/** Begins a generator with the `this` and the arguments of the one around it. */
export const delegate: Delegate = (inner, self, given) => {
  const prototype = getPrototypeOf(inner) === asyncPrototype ? asyncGeneratorMethods : generatorMethods;
  return setPrototypeOf(apply(inner, self, given), prototype) as AnyGenerator;
};
