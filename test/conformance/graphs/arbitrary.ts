// Random module graphs for fast-check.
import * as fc from "fast-check";
import { defaultForms, names, type Graph, type Item, type ModuleSpec, type Pick } from "./graph.ts";

const numberMax = 30;
const anyNumber = fc.nat(numberMax);
const anyName = fc.constantFrom(...names);
// One name in forty is drawn without asking whether the other module has it.
const pick: fc.Arbitrary<Pick> = fc.record({
  from: anyNumber,
  pick: anyNumber,
  isWild: fc.nat(39).map((draw) => draw === 39),
});

const withFrom = (
  ...kinds: readonly ("importDefault" | "importAll" | "importDefaultAndAll" | "importOnly" | "star")[]
) => fc.record({ kind: fc.constantFrom(...kinds), from: anyNumber });

const item: fc.Arbitrary<Item> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constantFrom("let", "const", "var", "function", "generator", "class"),
      name: anyName,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("default"), form: fc.constantFrom(...defaultForms) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("alias"), name: anyName, as: anyName }) },
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constantFrom("import", "passOn", "reexport"), what: pick, as: anyName }),
  },
  { weight: 6, arbitrary: withFrom("importDefault", "importAll", "importDefaultAndAll", "importOnly") },
  { weight: 4, arbitrary: withFrom("star") },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("starAs", "passOnAll"), from: anyNumber, as: anyName }),
  },
  { weight: 6, arbitrary: fc.constant({ kind: "read" }) },
  { weight: 1, arbitrary: fc.constant({ kind: "assign" }) },
);

const waiting: fc.Arbitrary<Item> = fc.record({
  kind: fc.constant("await"),
  ticks: fc.integer({ min: 1, max: 3 }),
});
const bumping: fc.Arbitrary<Item> = fc.record({ kind: fc.constant("bump"), from: anyNumber });
const throwing: fc.Arbitrary<Item> = fc.constant({ kind: "throw" });

export interface GraphOptions {
  /** Whether top levels change variables of other modules. */
  readonly bumps: boolean;
}

/** One module; few wait, fewer throw. */
function anyModule({ bumps }: GraphOptions): fc.Arbitrary<ModuleSpec> {
  const items = fc.array(
    fc.oneof(
      { weight: 40, arbitrary: item },
      { weight: 3, arbitrary: waiting },
      ...(bumps ? [{ weight: 3, arbitrary: bumping }] : []),
    ),
    { maxLength: 9, size: "max" },
  );
  const last = fc.oneof(
    { weight: 30, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: throwing },
  );
  return fc.record({ items, last, writing: anyNumber }).map(({ items: first, last: end, writing }) => ({
    items: end === undefined ? first : [...first, end],
    writing,
    version: 1,
  }));
}

export function anyGraph(options: GraphOptions): fc.Arbitrary<Graph> {
  return fc.array(anyModule(options), { minLength: 2, maxLength: 6, size: "max" });
}

/** Modules that are replaced together, by any numbers. */
export interface Step {
  /** Modules whose variables are changed before. */
  readonly bumped: readonly number[];
  readonly replaced: readonly (readonly [number, ModuleSpec])[];
}

export const anyStep: fc.Arbitrary<Step> = fc.record({
  bumped: fc.array(anyNumber, { maxLength: 3 }),
  replaced: fc.array(fc.tuple(anyNumber, anyModule({ bumps: false })), { minLength: 1, maxLength: 3 }),
});
