// Shows an untrusted value in an error message: short, on one line, without running code of the value.
import { printable } from "./printable.ts";

const shownLengthMax = 80;

/** A short text for any value. */
export function show(value: unknown): string {
  switch (typeof value) {
    case "string":
      return printable(
        JSON.stringify(value.length > shownLengthMax ? `${value.slice(0, shownLengthMax)}…` : value),
      );
    case "bigint":
      return `${String(value).slice(0, shownLengthMax)}n`;
    case "symbol":
      return "a symbol";
    case "function":
      return "a function";
    case "object":
      return value === null ? "null" : showObject(value);
    default:
      return String(value);
  }
}

function showObject(value: object): string {
  try {
    return Array.isArray(value) ? `an array of ${value.length}` : "an object";
  } catch {
    // A proxy that was revoked.
    return "an object";
  }
}
