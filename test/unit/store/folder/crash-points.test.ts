// Wherever a crash cuts off what is written to a data folder's files, it opens with everything that was acknowledged before,
// and with all or nothing of what was not.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { StoreRequest } from "../../../../src/store/folder/requests.ts";
import { recordColumns } from "../../../../src/store/folder/sandbox-rows.ts";
import type { Writer } from "../../../../src/store/folder/writer.ts";
import { capture, record, stored, version } from "../../../support/data-folders.ts";
import { Folder } from "../../../support/folders.ts";
import { contentsOf, saving, writerOf } from "../../../support/writer-requests.ts";

const pageBytes = 4_096;
const logHeaderBytes = 32;
const frameBytes = 24 + pageBytes;

interface Files {
  readonly database: Buffer;
  readonly log: Buffer;
}

interface Moment {
  readonly name: string;
  readonly files: Files;
  readonly contents: unknown;
}

// Reading the files drops this process's locks on them, which no other process asks for here.
const read = (path: string): Buffer => {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
};

const filesOf = (path: string): Files => ({
  database: read(join(path, "vivarium.db")),
  log: read(join(path, "vivarium.db-wal")),
});

const long = (text: string): string => `export const text = "${text.repeat(9_000)}";`;
const two = { main: [version(1, `export const id = "b";`), version(2, long("b"))] };

const steps: Readonly<Record<string, readonly StoreRequest[] | "checkpoint">> = {
  "a sandbox is saved": [saving(stored("a"))],
  "two are saved in one group, with states": [
    saving(stored("b", { state: capture("0") })),
    saving(stored("c", { state: capture("0") })),
  ],
  "a long source is added": [saving(stored("b", { modules: two, state: capture("1") }))],
  "states and a record change together": [
    { kind: "state", id: "b", capture: JSON.stringify(capture("2")) },
    { kind: "record", id: "a", record: recordColumns(record({ status: "failed", reason: "why" })) },
  ],
  "the log is checkpointed": "checkpoint",
  "a sandbox is removed, with a tombstone, and the log begins anew": [
    { kind: "remove", id: "a", tombstone: { info: `{"id":"a"}`, logs: "[]" } },
  ],
  "documents are written": [
    {
      kind: "documents",
      collection: "c",
      rows: [
        ["k", `"${"x".repeat(5_000)}"`],
        ["l", "2"],
      ],
    },
  ],
  "the log is checkpointed again": "checkpoint",
  "a version is taken out": [saving(stored("b", { state: capture("3") }))],
};

function carryOut(writer: Writer, path: string, step: readonly StoreRequest[] | "checkpoint"): void {
  if (step !== "checkpoint") return assert.deepEqual(writer.run(step).failures, []);
  using database = new DatabaseSync(join(path, "vivarium.db"));
  const done = database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
  assert.equal(done?.["log"], done?.["checkpointed"]);
}

/** What the folder was after each step. The last one closes it. */
function recorded(path: string): readonly Moment[] {
  const writer = writerOf(path);
  const moments: Moment[] = [{ name: "opened", files: filesOf(path), contents: contentsOf(writer) }];
  for (const [name, step] of Object.entries(steps)) {
    carryOut(writer, path, step);
    moments.push({ name, files: filesOf(path), contents: contentsOf(writer) });
  }
  const contents = moments.at(-1)?.contents;
  writer.close();
  return [...moments, { name: "closed", files: filesOf(path), contents }];
}

/** The files as a crash between two moments may leave them: first the log is written, then pages of the database. */
function* cuts(before: Files, after: Files): Generator<{ readonly where: string; readonly files: Files }> {
  for (const cut of logCuts(before.log, after.log)) {
    const log = Buffer.concat([after.log.subarray(0, cut), before.log.subarray(cut)]);
    yield { where: `byte ${cut} of the log`, files: { database: before.database, log } };
  }
  // While pages are copied from the log it stays as it is.
  const pages = Math.max(before.database.length, after.database.length) / pageBytes;
  if (!before.database.equals(after.database))
    for (let page = 0; page <= pages; page++)
      for (const part of [0, 100]) {
        const cut = page * pageBytes + part;
        const database = Buffer.concat([after.database.subarray(0, cut), before.database.subarray(cut)]);
        yield { where: `byte ${cut} of the database`, files: { database, log: before.log } };
      }
}

function* logCuts(before: Buffer, after: Buffer): Generator<number> {
  if (after.length === 0 || before.equals(after)) return;
  // What is the same in both needs no cut.
  let same = 0;
  while (same < Math.min(before.length, after.length) && before[same] === after[same]) same++;
  const first = Math.max(0, Math.floor((same - logHeaderBytes) / frameBytes));
  if (first === 0) yield* [0, 10, logHeaderBytes];
  for (let at = logHeaderBytes + first * frameBytes; at < after.length; at += frameBytes)
    yield* [at, at + 10, at + 24, at + 2_000, at + frameBytes - 1, at + frameBytes];
}

test("every cut of every write opens, with the state before it or after it", () => {
  using folder = new Folder();
  const moments = recorded(folder.at("data"));
  let count = 0;
  for (const [index, after] of moments.entries()) {
    const before = moments[index - 1];
    if (before === undefined) continue;
    for (const { where, files } of cuts(before.files, after.files)) {
      const path = folder.at(`cut-${++count}`);
      folder.write({ [`cut-${count}/vivarium.db`]: files.database });
      writeFileSync(join(path, "vivarium.db-wal"), files.log);
      const writer = writerOf(path);
      const contents = JSON.stringify(contentsOf(writer));
      // What is not cut at all is there.
      const allowed: readonly Moment[] = files.log.equals(after.files.log) ? [after] : [before, after];
      const isAllowed: boolean = allowed.some((moment) => JSON.stringify(moment.contents) === contents);
      assert.ok(isAllowed, `${after.name}, cut at ${where}: ${contents}`);
      writer.close();
      folder.remove(`cut-${count}`);
    }
  }
  assert.ok(count > 100, `${count} cuts`);
});
