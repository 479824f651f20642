// Finds versions, compiled modules and texts that do not fit together.
import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { show } from "../../../model/show.ts";
import type { Mismatch } from "./problem.ts";

interface VersionRow {
  readonly sandbox: number;
  readonly module: string;
  readonly version: number;
  readonly source: Uint8Array;
  readonly checksum: string;
  readonly id: string | null;
  readonly isMissing: number;
}

export function* findSourceMismatches(database: DatabaseSync): Generator<Mismatch> {
  const damaged = new Set<string>();
  for (const row of database.prepare("SELECT hash, text FROM blobs").iterate()) {
    const { hash, text } = row as { readonly hash: Uint8Array; readonly text: unknown };
    const isWhole = typeof text === "string" && hashOf(text) === toHex(hash);
    if (!isWhole) damaged.add(toHex(hash));
  }
  yield* findLostSources(database, damaged);
  yield* findLostArtifacts(database, damaged);
  for (const hex of damaged)
    yield {
      kind: "unreadable",
      table: "blobs",
      sandboxId: null,
      message: `Text ${hex.slice(0, 12)} is not what was stored: its hash is another one.`,
      isNote: true,
      changes: [{ sql: "DELETE FROM blobs WHERE hash = ?", values: [Buffer.from(hex, "hex")] }],
      remedy: "dropped",
    };
}

/** Texts that no version and no artifact has. */
export function* findUnreferencedBlobs(database: DatabaseSync): Generator<Mismatch> {
  const row = database
    .prepare(
      `SELECT count(*) AS rows, coalesce(sum(octet_length(text)), 0) AS bytes FROM blobs WHERE ${unreferenced}`,
    )
    .get();
  const { rows, bytes } = row as { readonly rows: number; readonly bytes: number };
  if (rows === 0) return;
  yield {
    kind: "unreferenced-blob",
    table: "blobs",
    sandboxId: null,
    message: `${rows} texts of ${bytes} bytes are referred to by nothing: compaction drops them.`,
    isNote: true,
    changes: [],
    remedy: "none",
  };
}

/** The condition of a row of `blobs` that nothing needs. */
export const unreferenced =
  "hash NOT IN (SELECT source FROM versions) AND hash NOT IN (SELECT hash FROM artifacts)";

function* findLostSources(database: DatabaseSync, damaged: ReadonlySet<string>): Generator<Mismatch> {
  const rows = database.prepare(`
    SELECT v.sandbox, v.module, v.version, v.source, v.checksum, s.id, b.hash IS NULL AS isMissing
    FROM versions v LEFT JOIN sandboxes s ON s.number = v.sandbox LEFT JOIN blobs b ON b.hash = v.source`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns are those of the query
  for (const row of rows.iterate() as Iterable<unknown> as Iterable<VersionRow>) {
    const { sandbox, module, version, id } = row;
    const why = whyLost(row, damaged);
    if (id !== null && why === undefined) continue;
    const what = `Version ${version} of module ${show(module)}`;
    yield {
      kind: id === null ? "no-sandbox" : "lost-source",
      table: "versions",
      sandboxId: id,
      message:
        id === null
          ? `${what} belongs to sandbox number ${sandbox}, which is not there.`
          : `${what} of sandbox ${show(id)} has lost its source: ${why}.`,
      isNote: false,
      changes: [
        {
          sql: "DELETE FROM versions WHERE sandbox = ? AND module = ? AND version = ?",
          values: [sandbox, module, version],
        },
      ],
      remedy: "dropped",
    };
  }
}

function whyLost(
  { source, checksum, isMissing }: VersionRow,
  damaged: ReadonlySet<string>,
): string | undefined {
  const hex = toHex(source);
  if (isMissing === 1) return `text ${hex.slice(0, 12)} is missing`;
  if (damaged.has(hex)) return `text ${hex.slice(0, 12)} is not what was stored`;
  return hex === checksum ? undefined : `text ${hex.slice(0, 12)} is not the one of its checksum`;
}

function* findLostArtifacts(database: DatabaseSync, damaged: ReadonlySet<string>): Generator<Mismatch> {
  const rows = database.prepare(`
    SELECT a.key, a.hash, b.hash IS NULL AS isMissing FROM artifacts a LEFT JOIN blobs b ON b.hash = a.hash`);
  for (const row of rows.iterate()) {
    const { key, hash, isMissing } = row as { key: string; hash: Uint8Array; isMissing: number };
    if (isMissing === 0 && !damaged.has(toHex(hash))) continue;
    yield {
      kind: "lost-artifact",
      table: "artifacts",
      sandboxId: null,
      message: `Compiled module ${show(key)} is ${isMissing === 1 ? "missing" : "damaged"}: it is compiled again when it is needed.`,
      isNote: true,
      changes: [{ sql: "DELETE FROM artifacts WHERE key = ?", values: [key] }],
      remedy: "dropped",
    };
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
