// What the callers of batches give, read and checked.
import { InvalidOptionsError } from "../../model/errors.ts";
import { readInteger, readList, readSignal, type Fields } from "./options.ts";
import { reasonOf } from "./run-options.ts";
import type { SandboxSpec } from "../types/runtime.ts";
import type { ReloadModules } from "../types/sandbox.ts";

const hourMs = 3_600_000;

/** How many items are worked on at a time. */
export function concurrencyOf(fields: Fields, usual: number): number {
  const at = { path: "options", name: "concurrency" };
  return readInteger(fields, at, { min: 1, max: 100_000, default: usual });
}

/** When the whole batch is over. */
export function deadlineOf(fields: Fields): number {
  const at = { path: "options", name: "deadlineMs" };
  return readInteger(fields, at, { min: 1, max: 24 * hourMs, default: hourMs });
}

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

/** The ids of a batch; whether there is such a sandbox is told item by item. */
export function readIds(ids: unknown): readonly string[] {
  return readList(ids, "ids") as readonly string[];
}

/** An item of batch.create. What is no spec stays as it is, for its item to be told so. */
export function splitSpec(
  given: (SandboxSpec & { readonly id?: string }) | undefined,
  signal: AbortSignal,
): { readonly id: unknown; readonly spec: SandboxSpec } {
  if (typeof given !== "object" || given === null) return { id: undefined, spec: given as never };
  const { id, ...spec } = given;
  const own = readSignal(spec.signal, "signal");
  return { id, spec: { ...spec, signal: own === undefined ? signal : AbortSignal.any([own, signal]) } };
}
