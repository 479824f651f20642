// What the console writes for a list of values: joined by spaces, the first one a format where it is a text with marks.
import { slice } from "../../model/wire/intrinsics.ts";
import { isOfGuest, lineMax, shown, shownAt } from "./inspect.ts";

const marks = /%[sdifjoOc%]/g;

/** The values as one text; longer ones are cut a little beyond what a line may have. */
export function formatted(parts: readonly unknown[]): string {
  const [first, ...rest] = parts;
  let line = "";
  let used = 0;
  if (typeof first === "string") {
    const format = slice(first, 0, lineMax + 1);
    let from = 0;
    // Without values a text is written as it is.
    for (const { 0: mark, index } of rest.length > 0 ? format.matchAll(marks) : []) {
      if (line.length > lineMax) return line;
      if (mark !== "%%" && used >= rest.length) continue;
      line += slice(format, from, index) + (mark === "%%" ? "%" : converted(mark, rest[used++]));
      from = index + mark.length;
    }
    line += slice(format, from);
  } else if (parts.length > 0) line = shown(first);
  for (; used < rest.length && line.length <= lineMax; used++) line += ` ${shown(rest[used])}`;
  return line;
}

function converted(mark: string, value: unknown): string {
  try {
    switch (mark) {
      case "%s":
        return textOf(value);
      case "%d":
        return typeof value === "bigint"
          ? `${value}n`
          : typeof value === "object"
            ? "NaN"
            : shownAt(Number(value));
      case "%i":
        return typeof value === "bigint"
          ? `${value}n`
          : typeof value === "object"
            ? "NaN"
            : shownAt(Number.parseInt(value as string));
      case "%f":
        return typeof value === "symbol" ? "NaN" : shownAt(Number.parseFloat(value as string));
      case "%j":
        return slice(jsonOf(value), 0, lineMax + 1);
      case "%c":
        return "";
      default:
        return shownAt(value);
    }
  } catch {
    return mark === "%s" || mark === "%j" ? "[unprintable]" : "NaN";
  }
}

// An object is shown by its own words where the guest has given it some.
function textOf(value: unknown): string {
  if (typeof value === "string" || typeof value === "symbol") return slice(String(value), 0, lineMax + 1);
  if (typeof value !== "object" || value === null) return shownAt(value);
  const { toString } = value;
  const hasOwnWords =
    isOfGuest(value) && typeof toString === "function" && toString !== Object.prototype.toString;
  return hasOwnWords ? slice(String(value), 0, lineMax + 1) : shownAt(value, 1);
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "undefined";
  } catch {
    return "[Circular]";
  }
}
