// Carries out the requests that read a data folder: in pages, so that no thread is busy with one for long.
import type { DatabaseSync } from "node:sqlite";
import { documentsPage } from "../memory.ts";
import type {
  DocumentRows,
  ReadRequest,
  SandboxPage,
  SandboxRow,
  TombstonePage,
  VersionRow,
} from "./requests.ts";
import { primaryCode, sqliteCodes } from "./sqlite-error.ts";
import { hashOf } from "./write-tables.ts";
import { prepareAll, type Statements } from "./statements.ts";

const rowsPerPage = 500;
/** A page ends when its texts have this many characters. */
const charactersPerPage = 4 * 2 ** 20;

export class TableReader {
  readonly #statements: Statements<keyof typeof statementTexts>;
  readonly #tombstonesMax: number;

  constructor(database: DatabaseSync, tombstonesMax: number) {
    this.#statements = prepareAll(database, statementTexts);
    this.#tombstonesMax = tombstonesMax;
    // One that is damaged may be too large for a number: reading it as one would fail for all rows.
    const { sandboxes, versions, tombstones, firstTombstone } = this.#statements;
    for (const statement of [sandboxes, versions, tombstones, firstTombstone]) statement.setReadBigInts(true);
  }

  carryOut(request: ReadRequest): SandboxPage | TombstonePage | DocumentRows | string | undefined {
    if (request.kind === "sandboxes") return this.#sandboxes(request.after);
    if (request.kind === "tombstones") return this.#tombstones(request.after);
    if (request.kind === "rows") return this.#documents(request.collection, request.after);
    return request.kind === "artifact" ? this.#artifact(request.key) : undefined;
  }

  #sandboxes(after: number): SandboxPage {
    const rows: SandboxRow[] = [];
    const sources = new Sources((hash) => this.#blob(hash));
    let characters = 0;
    for (const row of this.#statements.sandboxes.iterate(after, rowsPerPage + 1)) {
      if (rows.length === rowsPerPage || characters + sources.characters > charactersPerPage)
        return { rows, sources: sources.texts, hasMore: true };
      const columns = withNumbers(row);
      // The primary key.
      const number = row["number"] as bigint;
      const versions = this.#statements.versions
        .all(number)
        .map((each): VersionRow => ({ columns: withNumbers(each), source: sources.place(each["source"]) }));
      for (const value of Object.values(columns)) if (typeof value === "string") characters += value.length;
      rows.push({ number: Number(number), columns, versions });
    }
    return { rows, sources: sources.texts, hasMore: false };
  }

  #tombstones(after: number): TombstonePage {
    const rows: TombstonePage["rows"][number][] = [];
    let characters = 0;
    const first = this.#statements.firstTombstone.get(this.#tombstonesMax)?.["number"] ?? 0;
    const from = Math.max(after, Number(first));
    for (const { number, id, info, logs } of this.#statements.tombstones.iterate(from, rowsPerPage + 1)) {
      if (rows.length === rowsPerPage || characters > charactersPerPage) return { rows, hasMore: true };
      rows.push([Number(number), id, info, logs]);
      characters += String(info).length + String(logs).length;
    }
    return { rows, hasMore: false };
  }

  #documents(collection: string, after: string): DocumentRows {
    return this.#statements.documents
      .all(collection, after, documentsPage)
      .map(({ key, value }) => [String(key), String(value)] as const);
  }

  #artifact(key: string): string | undefined {
    const hash = this.#statements.artifact.get(key)?.["hash"];
    const text = hash === undefined ? undefined : this.#blob(hash);
    return text === undefined || "problem" in text ? undefined : text.text;
  }

  #blob(hash: unknown): Blob {
    if (!(hash instanceof Uint8Array)) return { problem: "its hash is no blob" };
    try {
      const text = this.#statements.blob.get(hash)?.["text"];
      if (typeof text !== "string") return { problem: "it is missing" };
      if (Buffer.compare(hashOf(text), hash) === 0) return { text };
      return { problem: `its SHA-256 must be ${hexOf(hash)}: it is ${hexOf(hashOf(text))}` };
    } catch (error) {
      if (primaryCode(error) !== sqliteCodes.corrupt) throw error;
      return { problem: (error as Error).message };
    }
  }
}

/** Integers as numbers, but for those that are too large to be one. */
function withNumbers(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const columns: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row))
    columns[name] = typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return columns;
}

type Blob = { readonly text: string } | { readonly problem: string };

const hexOf = (hash: Uint8Array): string => Buffer.from(hash).toString("hex");

/** The sources of one page, each read, checked and sent once. */
class Sources {
  readonly #read: (hash: unknown) => Blob;
  readonly #places = new Map<string, number | string>();
  readonly texts: string[] = [];
  characters = 0;

  constructor(read: (hash: unknown) => Blob) {
    this.#read = read;
  }

  /** The place of a source, or what is wrong with it. */
  place(hash: unknown): number | string {
    const key = hash instanceof Uint8Array ? hexOf(hash) : "";
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const blob = this.#read(hash);
    const place = "problem" in blob ? blob.problem : this.texts.push(blob.text) - 1;
    if ("text" in blob) this.characters += blob.text.length;
    this.#places.set(key, place);
    return place;
  }
}

const statementTexts = {
  sandboxes: `SELECT sandboxes.*, states.capture FROM sandboxes LEFT JOIN states ON states.sandbox = sandboxes.number
    WHERE number > ? ORDER BY number LIMIT ?`,
  versions: `SELECT module, version, source, checksum, parent, mutation, created_at FROM versions
    WHERE sandbox = ? ORDER BY module, version`,
  blob: "SELECT text FROM blobs WHERE hash = ?",
  artifact: "SELECT hash FROM artifacts WHERE key = ?",
  firstTombstone: "SELECT number FROM tombstones ORDER BY number DESC LIMIT 1 OFFSET ?",
  tombstones: "SELECT number, id, info, logs FROM tombstones WHERE number > ? ORDER BY number LIMIT ?",
  documents: "SELECT key, value FROM documents WHERE collection = ? AND key > ? ORDER BY key LIMIT ?",
};
