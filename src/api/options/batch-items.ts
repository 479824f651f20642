// What a batch is about, item by item: sandboxes that there are, by their ids, and those that are to be made.
import type { Schema } from "../../model/schema.ts";
import type { BatchTarget } from "../types/batch.ts";
import type { Sandbox } from "../types/sandbox.ts";
import { anyList } from "./options.ts";

/** Whether an item is a spec. All else is taken for an id, of which there is a sandbox or none. */
export function isSpec(target: unknown): target is Exclude<BatchTarget, string> {
  return typeof target === "object" && target !== null && !Array.isArray(target);
}

/** The items of a batch, and its options by one of two tables: that of batches that make sandboxes, or the usual one. */
export function readTargets<O>(
  targets: unknown,
  options: unknown,
  tables: { readonly usual: Schema<O>; readonly making: Schema<O> },
): { readonly items: readonly BatchTarget[]; readonly given: O } {
  const isMaking = Array.isArray(targets) && targets.some(isSpec);
  const given = (isMaking ? tables.making : tables.usual).read(options, "options");
  return { items: anyList.read(targets, "ids") as readonly BatchTarget[], given };
}

/** The ids of items; one that is to be made may have none yet. */
export function idsOf(items: readonly BatchTarget[]): readonly string[] {
  return Array.from(items, (item) => (isSpec(item) ? (item.id ?? "") : item));
}

/** Whether there is such a sandbox is reported item by item. */
export function readIds(ids: unknown): readonly string[] {
  return anyList.read(ids, "ids") as readonly string[];
}

/** Whether the value of an item is the sandbox that was created. */
export function isSandbox(value: unknown): value is Sandbox {
  return typeof value === "object" && value !== null && "id" in value;
}
