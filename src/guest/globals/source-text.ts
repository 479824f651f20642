// Function.prototype.toString as the language has it: it shows the source that the guest wrote, without what the compiler put
// into it.
import { editMarks } from "../../model/code/edit-marks.ts";
import { defineProperty, indexOf, slice, uncurry } from "../../model/wire/intrinsics.ts";
import { makeCell } from "../linking/cells.ts";
import { getterOf } from "../linking/namespaces.ts";

const nativeText = uncurry(Function.prototype.toString) as (fn: unknown) => string;
const ownGetterText = nativeText(getterOf({ cell: makeCell("") }));

/** Installs it. Runs once, before any guest code. */
export function installSourceText(): void {
  const { toString } = {
    toString(this: unknown): string {
      if (this === toString) return "function toString() { [native code] }";
      const text = nativeText(this);
      return text === ownGetterText ? "function () { [native code] }" : restore(text);
    },
  };
  const property = { value: toString, writable: true, enumerable: false, configurable: true };
  defineProperty(Function.prototype, "toString", property);
}

/** A text as it was before it was edited. */
export function restore(text: string): string {
  let start = indexOf(text, editMarks.start);
  if (start < 0) return text;
  let restored = "";
  let done = 0;
  while (start >= 0) {
    restored += slice(text, done, start);
    const end = indexOf(text, editMarks.end, start);
    // A function that is an expression ends with the brackets that were put behind it, before the mark.
    if (end < 0) return restored;
    const original = end + editMarks.end.length;
    const close = indexOf(text, editMarks.close, original);
    restored += slice(text, original, close);
    done = close + editMarks.close.length;
    start = indexOf(text, editMarks.start, done);
  }
  return restored + slice(text, done);
}
