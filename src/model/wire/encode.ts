// Turns a value into the text that crosses a boundary, or refuses it. Inside an isolate src/guest/values.ts does the same, with
// the parts that few values need compiled when they are first needed.
import { kindOf } from "./kinds.ts";
import { encodeBy, type Stacks, type Tables } from "./plain.ts";
import { encodeTable } from "./table.ts";

const tables: Tables = { encodeTable, isPlain: (value) => kindOf(value) === "plain" };

/** The text of a value; throws a `Refusal` when it is not data or longer than `bytesMax` bytes of UTF-8. */
export function encode(value: unknown, bytesMax: number, stacks: Stacks = "dropped"): string {
  return encodeBy(() => tables, value, { bytesMax, stacks });
}
