// Schemas of the options that only the API has.
import { InvalidOptionsError } from "../../model/errors.ts";
import { at, custom, leaf, required, type Leaf, type Schema } from "../../model/schema.ts";
import { show } from "../../model/show.ts";

/** Ends the operation that it is passed to. */
export const signal: Leaf<AbortSignal | undefined> = at(
  "signal",
  leaf({
    kind: "signal",
    verb: "use",
    rule: "an AbortSignal",
    accepts: (value) => value instanceof AbortSignal,
  }),
);

/** An object that has these methods. */
export function methods<T>(path: string, names: readonly (keyof T & string)[]): Schema<T | undefined> {
  return custom((value) => {
    if (value === undefined) return undefined;
    const isGood =
      typeof value === "object" &&
      value !== null &&
      names.every((name) => typeof (value as Given)[name] === "function");
    if (isGood) return value as T;
    const rule = `it must have the methods ${names.join(", ")}`;
    throw new InvalidOptionsError(`Cannot use ${path} as ${rule}: got ${show(value)}`, path);
  });
}

type Given = Readonly<Record<string, unknown>>;

const anyList: Leaf<readonly unknown[]> = required(
  leaf<readonly unknown[]>({ kind: "list", verb: "use", rule: "a list", accepts: Array.isArray }),
);

/** A list of anything. */
export function readList(value: unknown, path: string): readonly unknown[] {
  return anyList.read(value, path);
}
