// Carries out the requests that change a data folder, inside the transaction of the caller.
import { hash as digest } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { VivariumError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import type { RecordColumns, WriteRequest } from "./requests.ts";
import { prepareAll, type Statements } from "./statements.ts";

type Save = Extract<WriteRequest, { kind: "save" }>;
type Remove = Extract<WriteRequest, { kind: "remove" }>;

/** After so many new tombstones the oldest are deleted that are beyond the bound. */
const tombstonesPerTrim = 100;

export class TableWriter {
  readonly #statements: Statements<keyof typeof statementTexts>;
  readonly #tombstonesMax: number;
  /** How many were left since the last trim; what is too many from before is gone with the first. */
  #tombstones = tombstonesPerTrim;

  constructor(database: DatabaseSync, tombstonesMax: number) {
    this.#statements = prepareAll(database, statementTexts);
    this.#tombstonesMax = tombstonesMax;
    // One that is damaged may be too large for a number, and can be removed all the same.
    for (const statement of [this.#statements.find, this.#statements.versionsOf])
      statement.setReadBigInts(true);
  }

  /** Carries out one request; gives the hashes of the sources that lost a version by it. */
  carryOut(request: WriteRequest): readonly Uint8Array[] {
    if (request.kind === "save") return this.#save(request);
    if (request.kind === "remove") return this.#remove(request);
    const { state, record, document, removeDocument } = this.#statements;
    if (request.kind === "state") state.run(request.capture, request.id);
    else if (request.kind === "record") record.run(...recordValues(request.record), request.id);
    else if (request.kind === "documents")
      for (const [key, text] of request.rows)
        if (text === null) removeDocument.run(request.collection, key);
        else document.run(request.collection, key, text);
    else {
      // The page is written even though nothing is left of it.
      document.run("vivarium.probe", "probe", "0");
      removeDocument.run("vivarium.probe", "probe");
    }
    return [];
  }

  artifact(key: string, text: string): void {
    const hash = hashOf(text);
    this.#statements.blob.run(hash, text);
    this.#statements.artifact.run(key, sourceOfKey(key), hash);
  }

  /** Deletes the oldest tombstones that are beyond the bound. */
  trimTombstones(): void {
    this.#statements.trimTombstones.run(this.#tombstonesMax);
    this.#tombstones = 0;
  }

  #save({ id, columns, record, state, versions }: Save): readonly Uint8Array[] {
    const { find, insert, update, removeTombstone, stateOf, removeState } = this.#statements;
    const { createdAt, format, limits, labels, ancestry, settings, revisions } = columns;
    const values = [createdAt, format, limits, labels, ancestry, settings, revisions] as const;
    let number = find.get(id)?.["number"] as bigint | undefined;
    const isNew = number === undefined;
    if (number === undefined) {
      removeTombstone.run(id);
      number = BigInt(insert.run(id, ...recordValues(record), ...values).lastInsertRowid);
    } else update.run(...recordValues(record), ...values, number);
    if (state !== null) stateOf.run(number, state);
    else if (!isNew) removeState.run(number);
    return this.#saveVersions({ id, number, isNew }, versions);
  }

  #saveVersions(
    { id, number, isNew }: { readonly id: string; readonly number: bigint; readonly isNew: boolean },
    versions: Save["versions"],
  ): readonly Uint8Array[] {
    const { versionsOf, blob, version, removeVersion } = this.#statements;
    const gone = new Map<string, StoredVersion>();
    // The statement has these columns.
    const rows = isNew ? [] : (versionsOf.all(number) as unknown as readonly StoredVersion[]);
    for (const row of rows) gone.set(`${row.version} ${row.module}`, row);
    const lost: Uint8Array[] = [];
    for (const { module, version: count, checksum, added } of versions) {
      const key = `${count} ${module}`;
      const stored = gone.get(key);
      gone.delete(key);
      if (added === null) {
        if (stored?.checksum === checksum) continue;
        const what = `version ${count} of module ${show(module)} of sandbox ${show(id)}`;
        throw new VivariumError(
          "INTERNAL",
          `Cannot store ${what} as its source must have been sent: it was not`,
        );
      }
      if (stored !== undefined) lost.push(stored.source);
      const hash = hashOf(added.source);
      blob.run(hash, added.source);
      version.run(number, module, count, hash, checksum, added.parent, added.mutation, added.createdAt);
    }
    for (const row of gone.values()) {
      removeVersion.run(number, row.module, row.version);
      lost.push(row.source);
    }
    return lost;
  }

  #remove({ id, tombstone }: Remove): readonly Uint8Array[] {
    const { find, versionsOf, removeVersions, removeState, remove } = this.#statements;
    const { removeTombstone, tombstone: leave } = this.#statements;
    const number = find.get(id)?.["number"] as bigint | undefined;
    const lost = number === undefined ? [] : versionsOf.all(number).map(({ source }) => source as Uint8Array);
    if (number !== undefined) {
      removeVersions.run(number);
      removeState.run(number);
      remove.run(number);
    }
    removeTombstone.run(id);
    if (tombstone !== null) {
      leave.run(id, tombstone.info, tombstone.logs);
      if (++this.#tombstones >= tombstonesPerTrim) this.trimTombstones();
    }
    return lost;
  }
}

interface StoredVersion {
  readonly module: string;
  readonly version: bigint;
  readonly checksum: string;
  readonly source: Uint8Array;
}

/** SHA-256: the key of a blob. */
export function hashOf(text: string): Uint8Array {
  return digest("sha256", text, "buffer");
}

/** The key of an artifact begins with the checksum of its source, as hexadecimal digits; a mark separates what follows. */
function sourceOfKey(key: string): string {
  return key.split(/[.+@]/, 1)[0] ?? key;
}

function recordValues(
  record: RecordColumns,
): [string, string | null, number, number, string | null, string | null] {
  const { status, reason, blameless, restarts, lastError, fitness } = record;
  return [status, reason, blameless, restarts, lastError, fitness];
}

const recordNames = ["status", "reason", "blameless", "restarts", "last_error", "fitness"];
const columnNames = ["created_at", "format", "limits", "labels", "ancestry", "settings", "revisions"];
const setting = (names: readonly string[]): string => names.map((name) => `${name} = ?`).join();

const allNames = ["id", ...recordNames, ...columnNames];
const statementTexts = {
  find: "SELECT number FROM sandboxes WHERE id = ?",
  insert: `INSERT INTO sandboxes (${allNames.join()}) VALUES (${allNames.map(() => "?").join()})`,
  update: `UPDATE sandboxes SET ${setting([...recordNames, ...columnNames])} WHERE number = ?`,
  record: `UPDATE sandboxes SET ${setting(recordNames)} WHERE id = ?`,
  remove: "DELETE FROM sandboxes WHERE number = ?",
  state: "INSERT OR REPLACE INTO states (capture, sandbox) SELECT ?, number FROM sandboxes WHERE id = ?",
  stateOf: "INSERT OR REPLACE INTO states (sandbox, capture) VALUES (?, ?)",
  removeState: "DELETE FROM states WHERE sandbox = ?",
  versionsOf: "SELECT module, version, checksum, source FROM versions WHERE sandbox = ?",
  version: "INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  removeVersion: "DELETE FROM versions WHERE sandbox = ? AND module = ? AND version = ?",
  removeVersions: "DELETE FROM versions WHERE sandbox = ?",
  // One that is damaged is written again.
  blob: `INSERT INTO blobs (hash, text) VALUES (?, ?)
    ON CONFLICT (hash) DO UPDATE SET text = excluded.text WHERE text <> excluded.text`,
  artifact: "INSERT OR REPLACE INTO artifacts (key, source, hash) VALUES (?, ?, ?)",
  tombstone: "INSERT INTO tombstones (id, info, logs) VALUES (?, ?, ?)",
  removeTombstone: "DELETE FROM tombstones WHERE id = ?",
  trimTombstones:
    "DELETE FROM tombstones WHERE number <= (SELECT number FROM tombstones ORDER BY number DESC LIMIT 1 OFFSET ?)",
  document: "INSERT OR REPLACE INTO documents (collection, key, value) VALUES (?, ?, ?)",
  removeDocument: "DELETE FROM documents WHERE collection = ? AND key = ?",
};
