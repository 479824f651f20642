// Makes values by the schemas of the contract: what a schema allows, at and between its bounds. Where a name says what is
// meant (an id, a source, a target), it is mostly something that exists, so that requests come further than their check.
import type { z } from "@hono/zod-openapi";
import type { Dice } from "../dice.ts";
import {
  encodedTexts,
  exportNames,
  functions,
  functionsOf,
  guestValue,
  ownIds,
  processNames,
  scripts,
  secretOf,
  someId,
  sourceOf,
  tenantOf,
  type Who,
} from "./words.ts";

/** What is known when a request is made. */
export interface Known {
  readonly who: Who;
  /** What earlier answers gave this caller, by the name of the field that takes it. */
  readonly given: Readonly<Record<string, readonly unknown[]>>;
  /** Idempotency keys of this round. */
  readonly keys: readonly string[];
}

type Def = z.core.$ZodTypes["_zod"]["def"];

const defOf = (schema: z.core.SomeType): Def => (schema as z.core.$ZodTypes)._zod.def;

const isName = (at: string, ...names: readonly string[]): boolean => names.includes(at);

/** Values of fields by their names; undefined where a name says nothing. */
function named(at: string, known: Known, dice: Dice): { readonly value: unknown } | undefined {
  const { who, given } = known;
  const stored = given[at];
  if (stored !== undefined && stored.length > 0 && dice.chance(0.9)) return { value: dice.pick(stored) };
  // Nothing is bounded by more than the fuzzer has patience for.
  if (isName(at, "timeoutMs", "timeoutMsMax", "loadMs", "stepMs", "cpuMs", "itemDeadlineMs"))
    return { value: dice.pick([1, 5, 50, 200]) };
  if (at === "compileMs") return { value: dice.pick([1, 50, 1_000]) };
  if (at === "deadlineMs") return { value: dice.pick([1, 20, 500, 2_000]) };
  if (at === "repeats") return { value: 1 + dice.below(3) };
  if (at === "memoryBytes") return { value: 2 ** 20 * dice.pick([8, 16, 32]) };
  if (at === "everyMs") return { value: dice.pick([10, 1_000]) };
  if (!dice.chance(0.9)) return undefined;
  if (at === "id") return { value: dice.pick(ownIds(who)) };
  if (isName(at, "parentIds", "ids", "sandboxId")) return { value: someId(dice, who) };
  if (at === "tenant") return { value: tenantOf(who) === "" ? "green" : tenantOf(who) };
  if (isName(at, "target", "call")) return { value: `main.${dice.pick(exportNames)}` };
  if (isName(at, "module", "supervisor")) return { value: dice.pick(["main", "main", "other"]) };
  if (at === "name") return { value: dice.pick(processNames) };
  if (at === "function") return { value: dice.pick(functions) };
  if (at === "source") return { value: dice.pick(scripts) };
  if (isName(at, "modules", "modulesOfEach")) return { value: sourceOf(dice, who) };
  if (at === "labels" || at === "mutation") return { value: secretOf(who) };
  if (at === "profile") return { value: dice.pick(["high", "medium", "low", "classroom", "none"]) };
  if (at === "capabilities") return { value: dice.pick(["echo", "none"]) };
  if (isName(at, "version", "from", "to", "revision")) return { value: 1 + dice.below(3) };
  if (isName(at, "limit", "best", "count", "partsMax", "concurrency")) return { value: 1 + dice.below(4) };
  if (/[eE]ncoded$/.test(at)) return { value: dice.pick(encodedTexts) };
  return undefined;
}

/** A value by a schema; `at` is the name of its field. Undefined is none. */
export function valueBy(schema: z.core.SomeType, at: string, how: { dice: Dice; known: Known }): unknown {
  const { dice, known } = how;
  const def = defOf(schema);
  switch (def.type) {
    case "optional":
    case "default":
      return dice.chance(often(at)) ? valueBy(def.innerType, at, how) : undefined;
    case "nullable":
      return dice.chance(0.2) ? null : valueBy(def.innerType, at, how);
    case "pipe":
      return valueBy(def.out, at, how);
    case "lazy":
      return valueBy(def.getter(), at, how);
    case "object":
      return objectBy(def.shape, how);
    case "union":
      return valueBy(dice.pick(def.options), at, how);
    case "tuple":
      return def.items.map((item) => valueBy(item, at, how));
    case "array":
      return listBy(def, at, how);
    case "record": {
      // With a module of every name that others speak of, most calls find one.
      const names = at.startsWith("modules") ? ["main", "other", "lib/third"] : ["echo", "one", "two"];
      const chosen = names.filter((name) => (name === "main" ? dice.chance(0.95) : dice.chance(0.3)));
      return Object.fromEntries(
        chosen.map((name) => [
          name,
          name === "main" && dice.chance(0.6) ? functionsOf(known.who) : valueBy(def.valueType, at, how),
        ]),
      );
    }
    default:
      return leafBy(def, at, how);
  }
}

function leafBy(def: Def, at: string, { dice, known }: { dice: Dice; known: Known }): unknown {
  const own = named(at, known, dice);
  switch (def.type) {
    case "literal":
      return dice.pick(def.values);
    case "enum":
      return dice.pick(Object.values(def.entries));
    case "boolean":
      return dice.chance(0.5);
    case "null":
      return null;
    case "number":
      if (own !== undefined) return own.value;
      return numberBy(def, dice);
    case "string":
      if (own !== undefined && typeof own.value === "string") return own.value;
      return textBy(def, dice);
    case "custom":
      return own !== undefined && typeof own.value === "object" ? own.value : {};
    default:
      return own?.value ?? guestValue(dice);
  }
}

// What most requests need is there in most of them.
function often(at: string): number {
  if (isName(at, "modules", "id")) return 0.9;
  if (isName(at, "args", "timeoutMs", "limits")) return 0.5;
  return isName(at, "deadlineMs", "profile", "capabilities", "exclusive", "fuel", "supervisor", "checkpoint")
    ? 0.05
    : 0.15;
}

function objectBy(shape: z.core.$ZodShape, how: { dice: Dice; known: Known }): Record<string, unknown> {
  const { dice, known } = how;
  // The one event that comes from outside.
  if ("event" in shape && dice.chance(0.8)) {
    const event = { sandboxId: someId(dice, known.who), delta: 1, score: 2, reason: "reviewed" };
    return { name: "fitness.adjusted", event };
  }
  const made: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(shape)) {
    // There may be one way alone to say the same.
    const other = name.replace(/Encoded$|OfEach$/, "");
    if (other !== name && (other in made || `${other}Encoded` in made)) continue;
    const value = valueBy(schema, name, how);
    if (value !== undefined) made[name] = value;
  }
  return made;
}

type ListDef = Extract<Def, { type: "array" }>;

function listBy(def: ListDef, at: string, how: { dice: Dice; known: Known }): unknown[] {
  const { min } = boundsOf(def);
  const made = how.dice.many(2, () => valueBy(def.element, at, how));
  while (made.length < min) made.push(valueBy(def.element, at, how));
  return made.filter((value) => value !== undefined);
}

function numberBy(def: Def, dice: Dice): number {
  const { min, max, isWhole } = boundsOf(def);
  const low = Math.max(min, -1e9);
  const high = Math.min(max, 1e9);
  const between = low + dice.below(Math.min(high - low, 1_000) + 1);
  const any = dice.pick([min, max, between, between, Math.min(low + 1, high)]);
  if (!Number.isFinite(any)) return 0;
  return isWhole ? any : dice.pick([any, any / 3]);
}

function textBy(def: Def, dice: Dice): string {
  const { min, max, pattern } = boundsOf(def);
  if (pattern !== undefined) return dice.pick(["a", "b", "x.y", "A-1", "z".repeat(128)]);
  return dice.pick(["text", "a", "x".repeat(Math.min(max, 300)), min > 0 ? "é" : "", "😀"]);
}

interface Bounds {
  min: number;
  max: number;
  isWhole: boolean;
  pattern: RegExp | undefined;
}

/** The bounds that a schema's checks set. */
function boundsOf(def: Def): Bounds {
  const found: Bounds = { min: -Infinity, max: Infinity, isWhole: false, pattern: undefined };
  const own = "check" in def ? [def] : [];
  const checks = ("checks" in def ? (def.checks ?? []) : []).map((check) => check._zod.def);
  for (const each of [...own, ...checks] as z.core.$ZodChecks["_zod"]["def"][]) {
    if (each.check === "greater_than") found.min = Number(each.value);
    if (each.check === "less_than") found.max = Number(each.value);
    if (each.check === "min_length") found.min = each.minimum;
    if (each.check === "max_length") found.max = each.maximum;
    if (each.check === "number_format") found.isWhole = true;
    if (each.check === "string_format") found.pattern = (each as { pattern?: RegExp }).pattern;
  }
  return found;
}
