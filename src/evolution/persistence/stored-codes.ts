// The rows of codes in a store, and of the texts that they share.
import { isRecord } from "../../model/schema.ts";
import type { ChangedRows, RowWriter } from "../../std/row-writer.ts";
import type { CodeRow, Codes, CodesListener } from "../table/codes.ts";

export const textsCollection = "tracker.texts";
export const codesCollection = "tracker.codes";

export class StoredCodes implements CodesListener {
  readonly #codes: Codes;
  readonly #texts: ChangedRows;
  readonly #rows: ChangedRows;

  constructor(codes: Codes, writer: RowWriter) {
    this.#codes = codes;
    // First: a code without its texts would have lost them.
    this.#texts = writer.add({ collection: textsCollection, valueOf: (number) => codes.text(number) });
    this.#rows = writer.add({ collection: codesCollection, valueOf: (number) => codes.describe(number) });
  }

  codeChanged(number: number): void {
    if (this.#codes.has(number)) this.#rows.changed(number);
    else this.#rows.removed(number);
  }

  textChanged(number: number): void {
    if (this.#codes.text(number) === undefined) this.#texts.removed(number);
    else this.#texts.changed(number);
  }

  loadText(number: number, value: unknown): void {
    this.#texts.known(number);
    if (typeof value === "string") this.#codes.restoreText(number, value);
  }

  load(number: number, value: unknown): void {
    this.#rows.known(number);
    const row = decodeCode(value);
    if (row !== undefined) this.#codes.restore(number, row);
  }

  /** All rows were loaded. */
  loaded(): void {
    this.#codes.dropUnused();
  }
}

function decodeCode(value: unknown): CodeRow | undefined {
  if (!isRecord(value) || typeof value["checksum"] !== "string") return undefined;
  const { checksum, sources } = value;
  const isListed = Array.isArray(sources) && sources.every(isSource);
  return { checksum, sources: isListed ? sources : null };
}

function isSource(value: unknown): value is readonly [module: string, text: number] {
  return Array.isArray(value) && typeof value[0] === "string" && typeof value[1] === "number";
}
