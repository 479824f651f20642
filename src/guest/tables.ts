// Values that JSON alone does not express, as a separate script: its text is compiled when the first such value crosses, so that
// other isolates spend neither time nor memory on it.
import { decode } from "../model/wire/decode.ts";
import { kindOf } from "../model/wire/kinds.ts";
import type { Tables } from "../model/wire/plain.ts";
import { encodeTable } from "../model/wire/table.ts";

export interface GuestTables extends Tables {
  /** The value of an encoded text. */
  decode(text: string): unknown;
}

export function makeTables(): GuestTables {
  return { encodeTable, decode, isPlain: (value) => kindOf(value) === "plain" };
}
