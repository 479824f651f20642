// Schemas of the options that only the API has.
import { at, leaf, required, type Leaf } from "../../model/schema.ts";

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

/** A list of anything. */
export const anyList: Leaf<readonly unknown[]> = required(
  leaf<readonly unknown[]>({ kind: "list", verb: "use", rule: "a list", accepts: Array.isArray }),
);
