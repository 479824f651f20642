// Writes everything that a data folder has as lines of JSON, also while a runtime writes to it: for other programs, and for
// sandboxes that are imported elsewhere.
import type { DatabaseSync } from "node:sqlite";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { printable } from "../../../model/printable.ts";
import type { Individual } from "../../../model/sandboxes/individual.ts";
import { show } from "../../../model/show.ts";
import { checksumOfData } from "../../../std/checksum.ts";
import type { StoredSandbox, Tombstone } from "../../store.ts";
import { TableReader } from "../read-tables.ts";
import type { SandboxPage, TombstonePage } from "../requests.ts";
import { restoredOf, tombstoneOf } from "../sandbox-rows.ts";
import { schemaVersion } from "../schema.ts";
import { damageError, openUndamaged } from "./open-reading.ts";

export const exportFormat = "vivarium.export/1";

/** One line. `damage` says what could not be read as it was written. */
export type ExportLine =
  | { readonly kind: "folder"; readonly format: typeof exportFormat; readonly schemaVersion: number }
  | {
      readonly kind: "sandbox";
      /** As `sandbox.export()` gives it, but without a signature; `import()` takes it. */
      readonly individual: Individual;
      readonly record: StoredSandbox["record"];
      readonly capabilities: StoredSandbox["capabilities"];
      readonly damage?: string;
    }
  | ({ readonly kind: "tombstone" } & Tombstone)
  | { readonly kind: "document"; readonly collection: string; readonly key: string; readonly value: unknown }
  | { readonly kind: "damage"; readonly damage: string };

export interface ExportReport {
  readonly lines: number;
  /** How many of them are about damage. */
  readonly damaged: number;
}

/**
 * Compiled modules are left out: they are a cache. Rejects with `STORE_FAILED` where a page of the database is damaged:
 * repair it first.
 */
export async function exportFolder(path: string, to: Writable): Promise<ExportReport> {
  let [lines, damaged] = [0, 0];
  const texts = function* (): Generator<string> {
    for (const line of exportLines(path)) {
      lines++;
      if ("damage" in line) damaged++;
      // The same JSON, but for characters that a terminal would obey.
      yield `${printable(JSON.stringify(line))}\n`;
    }
  };
  await pipeline(Readable.from(texts()), to, { end: to !== process.stdout });
  return { lines, damaged };
}

function* exportLines(path: string): Generator<ExportLine> {
  using database = openUndamaged(path);
  try {
    // One moment, whatever is written meanwhile.
    database.exec("BEGIN");
    yield { kind: "folder", format: exportFormat, schemaVersion };
    const reader = new TableReader(database, Number.MAX_SAFE_INTEGER);
    yield* sandboxLines(reader);
    yield* tombstoneLines(reader);
    yield* documentLines(database);
  } catch (error) {
    throw damageError("export", path, error);
  }
}

function* sandboxLines(reader: TableReader): Generator<ExportLine> {
  let page: SandboxPage | undefined;
  do {
    const after: number = page?.rows.at(-1)?.number ?? 0;
    page = reader.carryOut({ kind: "sandboxes", after }) as SandboxPage;
    for (const row of page.rows) {
      const { sandbox, damage } = restoredOf(row, page.sources);
      if (sandbox !== undefined) yield sandboxLine(sandbox, damage);
      else yield { kind: "damage", damage: damage ?? "" };
    }
  } while (page.hasMore);
}

function sandboxLine(sandbox: StoredSandbox, damage: string | undefined): ExportLine {
  const { record, capabilities, ...body } = sandbox;
  const individual = { ...body, checksum: checksumOfData(body) };
  return { kind: "sandbox", individual, record, capabilities, ...(damage === undefined ? {} : { damage }) };
}

function* tombstoneLines(reader: TableReader): Generator<ExportLine> {
  let page: TombstonePage | undefined;
  do {
    const after: number = page?.rows.at(-1)?.[0] ?? 0;
    page = reader.carryOut({ kind: "tombstones", after }) as TombstonePage;
    for (const row of page.rows) {
      const tombstone = tombstoneOf(row);
      yield typeof tombstone === "string"
        ? { kind: "damage", damage: tombstone }
        : { kind: "tombstone", ...tombstone };
    }
  } while (page.hasMore);
}

function* documentLines(database: DatabaseSync): Generator<ExportLine> {
  const rows = database.prepare("SELECT collection, key, value FROM documents ORDER BY collection, key");
  for (const row of rows.iterate()) {
    const [collection, key] = [String(row["collection"]), String(row["key"])];
    try {
      yield { kind: "document", collection, key, value: JSON.parse(String(row["value"])) as unknown };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const what = `document ${show(key)} of ${show(collection)}`;
      yield { kind: "damage", damage: `Cannot read ${what} as it must be JSON: ${error.message}` };
    }
  }
}
