// The writer of a data folder without its thread, and requests as a data folder would send them.
import { KnownVersions } from "../../src/store/folder/known-versions.ts";
import type {
  DocumentRows,
  SandboxPage,
  TombstonePage,
  WriteRequest,
} from "../../src/store/folder/requests.ts";
import {
  recordColumns,
  restoredOf,
  sandboxColumns,
  tombstoneOf,
} from "../../src/store/folder/sandbox-rows.ts";
import { Writer } from "../../src/store/folder/writer.ts";
import type { StoredSandbox } from "../../src/store/store.ts";

export function writerOf(path: string): Writer {
  const owner = { name: "test", pid: process.pid, host: "here", startedAt: 0 };
  return new Writer({ path, durability: "process", tombstonesMax: 100, owner });
}

/** With all sources. */
export function saving(sandbox: StoredSandbox): Extract<WriteRequest, { kind: "save" }> {
  const { id, record, state } = sandbox;
  const { versions } = new KnownVersions().save(sandbox);
  const texts = { record: recordColumns(record), state: state ? JSON.stringify(state) : null };
  return { kind: "save", id, columns: sandboxColumns(sandbox), ...texts, versions };
}

/** Everything that is in the folder. */
export function contentsOf(writer: Writer): unknown {
  const { values, failures } = writer.run([
    { kind: "sandboxes", after: 0 },
    { kind: "tombstones", after: 0 },
    { kind: "rows", collection: "c", after: "" },
  ]);
  if (failures.length > 0) return failures;
  const [sandboxes, tombstones, documents] = values.map(([, value]) => value);
  const { rows, sources } = sandboxes as SandboxPage;
  return {
    sandboxes: rows.map((row) => restoredOf(row, sources)),
    tombstones: (tombstones as TombstonePage).rows.map(tombstoneOf),
    documents: documents as DocumentRows,
  };
}
