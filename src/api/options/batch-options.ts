// The options of batches, read and checked, and the items that their callers pass or make.
import { InvalidOptionsError } from "../../model/errors.ts";
import { limitTable } from "../../model/limits.ts";
import {
  at,
  custom,
  either,
  fields,
  integer,
  isRecord,
  refuseOption,
  required,
  type Read,
} from "../../model/schema.ts";
import { reloadTable } from "../handles/local-versions.ts";
import type { SandboxSpec } from "../types/spec.ts";
import type { ReloadModules } from "../types/sandbox.ts";
import { evaluationTable } from "./fitness-options.ts";
import { reasonOf } from "../../model/runs/arguments.ts";
import { runTable, toWireArgs } from "./run-options.ts";
import { signal } from "./options.ts";

const hourMs = 3_600_000;

// How many items are worked on at a time differs by what is done to them.
const batchTable = (concurrency: number) => ({
  concurrency: integer({ min: 1, max: 100_000, default: concurrency }),
  signal,
  deadlineMs: integer({ min: 1, max: 24 * hourMs, default: hourMs }),
});

export const changeOptions = fields(batchTable(64), "batch.create()");

/** How a batch is bounded. */
export type BatchBounds = Read<typeof changeOptions>;

export const reloadOptions = fields({ ...reloadTable, ...batchTable(64) });

const countMax = 100_000;
const bestOptions = fields({
  best: required(integer({ min: 0, max: countMax })),
  direction: either(["maximise", "minimise"], "maximise"),
});

/** Which of the sandboxes that a batch makes live on: those that a function chooses, or the best so many. */
export type KeepRule = ((result: unknown) => unknown) | Read<typeof bestOptions>;

const isFunction = (value: unknown): value is (result: unknown) => unknown => typeof value === "function";

const keepChosen = at(
  "keep",
  custom((value, path): KeepRule | undefined => {
    if (value === undefined || isFunction(value)) return value;
    throw refuseOption({ verb: "use", path, rule: "a function", got: value });
  }),
);
const keepAny = at(
  "keep",
  custom((value, path): KeepRule | undefined => {
    if (value === undefined || isFunction(value)) return value;
    if (isRecord(value)) return bestOptions.read(value, path);
    const rule = `a function, or a number of 0–${countMax}`;
    if (typeof value !== "number") throw refuseOption({ verb: "use", path, rule, got: value });
    return bestOptions.read({ best: value }, path);
  }),
);

const runFields = {
  ...runTable,
  keep: keepChosen,
  // A mistake that all items share is reported once, for the batch.
  args: custom((value) => {
    if (typeof value !== "function") toWireArgs(value, limitTable.argsBytes.max);
    return value;
  }),
};
const evaluateFields = { ...evaluationTable, keep: keepAny };

export const runOptions = fields({ ...batchTable(1_024), ...runFields }, "batch.call()");
export const evaluateOptions = fields({ ...batchTable(256), ...evaluateFields }, "batch.evaluate()");

// Sandboxes that are made for a batch take memory only while they are at work.
const specConcurrency = 64;
/** The same for batches that make sandboxes. */
export const specRunOptions = fields({ ...batchTable(specConcurrency), ...runFields });
export const specEvaluateOptions = fields({ ...batchTable(specConcurrency), ...evaluateFields });

/** The modules of one item. */
export function modulesFor(
  modules: ReloadModules | ((id: string, index: number) => ReloadModules),
  id: string,
  index: number,
): ReloadModules {
  if (typeof modules !== "function") return modules;
  try {
    return modules(id, index);
  } catch (error) {
    const message = `Cannot make the modules of item ${index} as their function must not throw: ${reasonOf(error)}`;
    throw new InvalidOptionsError(message, "modules");
  }
}

/** The spec of one item, which ends with its batch. What is no spec stays as it is: its item is refused. */
export function splitSpec(
  given: (SandboxSpec & { readonly id?: string }) | undefined,
  ended: AbortSignal,
): { readonly id: unknown; readonly spec: unknown } {
  if (typeof given !== "object" || given === null) return { id: undefined, spec: given };
  const { id, ...spec } = given;
  return { id, spec: { ...spec, signal: joined(spec.signal, ended) } };
}

/** A signal for one item, which ends with its batch. */
export function joined(given: unknown, ended: AbortSignal): AbortSignal {
  const own = signal.read(given, "signal");
  return own === undefined ? ended : AbortSignal.any([own, ended]);
}
