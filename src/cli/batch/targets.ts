// What the lines of `vivarium batch` name: sandboxes by their ids, or specs of sandboxes that are made for it.
import type { BatchSpec, BatchTarget } from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";

/** What every sandbox has besides what its own spec says. */
export type Common = Pick<BatchSpec, "modules" | "limits">;

/** One line: the id as a JSON text, or a spec as an object. What is in a spec is checked by the runtime. */
export function targetOf(line: string, number: number, common: Common): BatchTarget {
  const value = parsed(line, number);
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw mistake(number, value);
  const spec = value as BatchSpec;
  return {
    ...spec,
    modules: { ...common.modules, ...spec.modules },
    limits: { ...common.limits, ...spec.limits },
  };
}

function parsed(line: string, number: number): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw mistake(number, line);
  }
}

function mistake(number: number, got: unknown): InvalidOptionsError {
  const rule = 'it must be the id of a sandbox as JSON ("a"), or a spec ({"modules": …})';
  return new InvalidOptionsError(`Cannot use line ${number} as ${rule}: got ${show(got)}`, "input");
}
