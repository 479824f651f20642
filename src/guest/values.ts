// Values on their way out of the isolate and into it: plain data at once, all else by a script that is compiled when it is first
// needed (tables.ts).
import { parse } from "../model/wire/intrinsics.ts";
import { encodeBy, type Stacks } from "../model/wire/plain.ts";
import { evaluateScript } from "./late-scripts.ts";
import type { GuestTables } from "./tables.ts";

let made: GuestTables | undefined;

function tables(): GuestTables {
  return (made ??= (evaluateScript("tables") as () => GuestTables)());
}

/** The text of a value; throws a `Refusal` when it is not data or longer than `bytesMax` bytes of UTF-8. */
export function encode(value: unknown, bytesMax: number, stacks: Stacks): string {
  return encodeBy(tables, value, { bytesMax, stacks });
}

/** The value of an encoded text, which the host or `encode` has made. */
export function decode(text: string): unknown {
  return text[0] === "V" ? tables().decode(text) : parse(text);
}
