// Flattens whatever a guest throws into three short texts, inside the bounded entry and without trusting it.
import { thrownMax } from "../model/runs/thrown-bounds.ts";
import { slice, toText } from "../model/wire/intrinsics.ts";

export interface Flat {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** Reads name, message and stack of anything; what cannot be read is empty. */
export function flatten(error: unknown): Flat {
  if ((typeof error !== "object" || error === null) && typeof error !== "function") {
    return { name: typeof error, message: textOf(error, thrownMax.message), stack: "" };
  }
  return {
    name: partOf(error, "name", thrownMax.name),
    message: partOf(error, "message", thrownMax.message),
    stack: partOf(error, "stack", thrownMax.stack),
  };
}

function partOf(error: object, key: string, max: number): string {
  try {
    const part = (error as Record<string, unknown>)[key];
    return part === undefined ? "" : textOf(part, max);
  } catch {
    return "";
  }
}

function textOf(value: unknown, max: number): string {
  try {
    return slice(typeof value === "string" ? value : toText(value), 0, max);
  } catch {
    return "";
  }
}

/** As `instanceof`, for what may be a proxy that throws even when its prototype is read. */
export function isOurs<T>(error: unknown, kind: abstract new (...args: never[]) => T): error is T {
  try {
    return error instanceof kind;
  } catch {
    return false;
  }
}
