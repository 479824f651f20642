// Limits, made of the table of limits: in requests with their bounds, in answers whole.
import { z } from "@hono/zod-openapi";
import { limitNames, limitTable, type LimitName, type LimitRow } from "../../model/limits.ts";
import { integer, opaque } from "./forms.ts";
import type { Limits as AllLimits } from "../../model/limits.ts";
import type { Plain } from "./plain.ts";

type IsOptional<N extends LimitName> = (typeof limitTable)[N]["default"] extends null ? true : false;
type Given<N extends LimitName> = IsOptional<N> extends true ? z.ZodNullable<z.ZodInt> : z.ZodInt;

function given(name: LimitName): z.ZodType {
  const row: LimitRow = limitTable[name];
  const off = row.default === null;
  const rule = { error: `${row.min}–${row.max}${off ? " or null" : ""}` };
  const bounded = z.int(rule).min(row.min, rule).max(row.max, rule);
  const usual = row.default === null ? "off" : String(row.default);
  const about = `${row.about}; default, unless the runtime or the profile has another: ${usual}`;
  return (off ? bounded.nullable() : bounded).openapi({ description: about });
}

/** One limit, as a request may set it. */
function limitShape<const N extends LimitName>(names: readonly N[]): { [K in N]: z.ZodOptional<Given<K>> } {
  const entries = names.map((name) => [name, given(name).optional()] as const);
  // Each was made of its row, which says whether it may be null.
  return Object.fromEntries(entries) as unknown as { [K in N]: z.ZodOptional<Given<K>> };
}

/** Limits that a request sets. */
export const LimitsGiven = z
  .strictObject(limitShape(limitNames))
  .openapi("LimitsGiven", { description: "limits by name, where null means off; what is left out stays" });

/** Those of a compilation. */
export const CompileLimits = z.strictObject(limitShape(["compileMs", "sourceBytes"]));

/** Those of an item of a batch: the runtime checks them with the item, whose result says what is wrong. */
export const ItemLimits = opaque<Plain<Partial<AllLimits>>>(
  "limits as LimitsGiven has them, checked item by item",
);

function answeredShape(): { [K in LimitName]: Given<K> } {
  const entries = limitNames.map((name) => {
    const row: LimitRow = limitTable[name];
    const schema = row.default === null ? z.number().nullable() : z.number();
    return [name, schema.openapi({ description: row.about })] as const;
  });
  // As above.
  return Object.fromEntries(entries) as unknown as { [K in LimitName]: Given<K> };
}

/** All limits of a sandbox. */
export const Limits = z
  .object(answeredShape())
  .openapi("Limits", { description: "all limits of a sandbox; null means off" });

const runRow = (name: "timeoutMs" | "cpuMs" | "fuel") => integer(limitTable[name].min, limitTable[name].max);

/** What bounds one run, whatever its sandbox allows. */
export const runBounds = {
  timeoutMs: runRow("timeoutMs").optional().openapi({ description: "wall time; default: the sandbox's" }),
  cpuMs: runRow("cpuMs").optional().openapi({ description: "processor time; default: the sandbox's" }),
  fuel: runRow("fuel").optional().openapi({
    description:
      "loop turns and function entries, of a sandbox that was created with fuel; default: the sandbox's",
  }),
};
