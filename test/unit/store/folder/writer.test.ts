// The writer carries out a group in one transaction, and one that cannot be carried out harms no other.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import type { StoreRequest } from "../../../../src/store/folder/requests.ts";
import type { Writer } from "../../../../src/store/folder/writer.ts";
import { openReading } from "../../../../src/store/folder/maintenance/open-reading.ts";
import { stored, version } from "../../../support/data-folders.ts";
import { Folder } from "../../../support/folders.ts";
import { saving, writerOf } from "../../../support/writer-requests.ts";

const count = (folder: Folder, table: string): number => {
  using database = openReading(folder.path);
  return database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"] as number;
};
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const finish = (writer: Writer): void => {
  while (writer.hasIdleWork) writer.idle();
};
const removal = (id: string): StoreRequest => ({ kind: "remove", id, tombstone: null });

suite("a group of requests", () => {
  test("is one transaction, and what it reads is what was written before in it", () => {
    using folder = new Folder();
    const writer = writerOf(folder.path);
    const answer = writer.run([
      saving(stored("a")),
      { kind: "documents", collection: "c", rows: [["k", "1"]] },
      { kind: "rows", collection: "c", after: "" },
    ]);
    assert.deepEqual(answer, {
      count: 3,
      hasWritten: true,
      transactions: 1,
      failures: [],
      values: [[2, [["k", "1"]]]],
    });
    assert.equal(writer.run([{ kind: "nothing" }]).transactions, 0);
    writer.close();
  });

  test("with one that cannot be carried out is carried out but for that one", () => {
    using folder = new Folder();
    const writer = writerOf(folder.path);
    const whole = saving(stored("b"));
    // Its source was never sent.
    const bad = { ...whole, versions: whole.versions.map((entry) => ({ ...entry, added: null })) };
    const { failures, transactions, hasWritten } = writer.run([
      saving(stored("a")),
      bad,
      saving(stored("c")),
    ]);
    assert.deepEqual([transactions, hasWritten], [2, true]);
    assert.equal(failures.length, 1);
    assert.deepEqual([failures[0]?.index, failures[0]?.code, failures[0]?.isDisk], [1, "INTERNAL", false]);
    assert.match(failures[0]?.message ?? "", /version 1 of module "main" of sandbox "b"/);
    assert.equal(count(folder, "sandboxes"), 2);
    writer.close();
  });

  test("is there after the end of the process, with all before it, also where the log was removed", () => {
    using folder = new Folder();
    using left = new Folder();
    const writer = writerOf(folder.path);
    writer.run([saving(stored("a"))]);
    rmSync(folder.at("vivarium.db-wal"));
    assert.deepEqual(writer.run([saving(stored("b"))]).failures, []);
    writer.run([saving(stored("c"))]);
    // What a process leaves that is killed now.
    for (const name of ["vivarium.db", "vivarium.db-wal"]) cpSync(folder.at(name), left.at(name));
    assert.equal(count(left, "sandboxes"), 3);
    assert.equal(count(folder, "sandboxes"), 3);
    writer.close();
    assert.equal(count(folder, "sandboxes"), 3);
  });

  test("waits for who reads where the log was removed, and is not acknowledged before", () => {
    using folder = new Folder();
    const writer = writerOf(folder.path);
    writer.run([saving(stored("a"))]);
    {
      using other = openReading(folder.path);
      other.exec("BEGIN");
      other.prepare("SELECT 1 FROM sandboxes").get();
      rmSync(folder.at("vivarium.db-wal"));
      const { failures } = writer.run([saving(stored("b"))]);
      assert.match(failures[0]?.message ?? "", /the folder was removed or replaced$/);
      assert.equal(failures[0]?.isDisk, true);
    }
    assert.deepEqual(writer.run([saving(stored("b"))]).failures, []);
    assert.equal(count(folder, "sandboxes"), 2);
    writer.close();
  });

  test("whose folder was removed and cannot be made anew is refused with the reason, however many they are", () => {
    using folder = new Folder();
    const path = folder.at("data");
    const writer = writerOf(path);
    rmSync(path, { recursive: true });
    mkdirSync(`${path}/lock.db`, { recursive: true });
    for (const requests of [[saving(stored("a"))], [saving(stored("b")), saving(stored("c"))]]) {
      const messages = writer.run(requests).failures.map(({ message }) => message);
      assert.equal(messages.length, requests.length);
      for (const message of messages) assert.match(message, /unable to open database file/);
    }
    writer.close();
  });

  test("is refused as a whole while another program writes into the database, and is carried out after that", () => {
    using folder = new Folder();
    const writer = writerOf(folder.path);
    {
      using other = new DatabaseSync(folder.at("vivarium.db"));
      other.exec("BEGIN IMMEDIATE");
      const { failures, values } = writer.run([
        saving(stored("a")),
        saving(stored("b")),
        { kind: "rows", collection: "c", after: "" },
      ]);
      assert.deepEqual(
        failures.map(({ index, isDisk }) => [index, isDisk]),
        [
          [0, true],
          [1, true],
        ],
      );
      assert.match(
        failures[0]?.message ?? "",
        /^Cannot use the data folder ".*" as its database failed: database is locked/,
      );
      assert.deepEqual(values, [[2, []]]);
      other.exec("ROLLBACK");
    }
    assert.deepEqual(writer.run([saving(stored("a"))]).failures, []);
    writer.close();
  });
});

suite("what nothing refers to", () => {
  const artifact = (source: string, rest = ".ts+fuel@compiler"): { key: string; text: string } => ({
    key: `${hash(source)}${rest}`,
    text: `compiled ${source}`,
  });
  const sandbox = (id: string, ...sources: string[]): StoreRequest =>
    saving(stored(id, { modules: { main: sources.map((source, index) => version(index + 1, source)) } }));

  test("is swept after enough versions were removed, and what is shared stays", () => {
    using folder = new Folder();
    const writer = writerOf(folder.path);
    finish(writer);
    const ids = Array.from({ length: 1_500 }, (_, index) => `s${index}`);
    writer.run([sandbox("stays", "shared"), ...ids.map((id) => sandbox(id, "shared", `own ${id}`))]);
    for (const source of ["shared", "own s1", "own s2"]) writer.addArtifact(artifact(source));
    finish(writer);
    assert.deepEqual([count(folder, "blobs"), count(folder, "artifacts")], [1_504, 3]);
    writer.run(ids.map(removal));
    finish(writer);
    assert.deepEqual([count(folder, "blobs"), count(folder, "artifacts")], [2, 1]);
    assert.deepEqual(writer.run([{ kind: "artifact", key: artifact("shared").key }]).values, [
      [0, "compiled shared"],
    ]);
    writer.close();
  });

  for (const rest of ["", ".ts", "+fuel", "@compiler", ".ts@compiler", "+fuel@compiler"])
    test(`is swept with artifacts whose keys end with ${JSON.stringify(rest)} after the checksum`, () => {
      using folder = new Folder();
      const writer = writerOf(folder.path);
      finish(writer);
      writer.run([sandbox("a", "one"), sandbox("b", "two")]);
      for (const source of ["one", "two"]) writer.addArtifact(artifact(source, rest));
      finish(writer);
      writer.run([removal("a")]);
      writer.close();
      assert.deepEqual([count(folder, "blobs"), count(folder, "artifacts")], [2, 1]);
    });

  test("is swept when the folder is closed, however little it is", () => {
    using folder = new Folder();
    const writer = writerOf(folder.path);
    finish(writer);
    writer.run([sandbox("a", "one"), sandbox("b", "two")]);
    writer.addArtifact(artifact("one"));
    finish(writer);
    writer.run([removal("a")]);
    assert.equal(writer.hasIdleWork, false);
    writer.close();
    assert.deepEqual([count(folder, "blobs"), count(folder, "artifacts")], [1, 0]);
  });

  test("is swept after the folder is opened, where its last owner did not get to it", () => {
    using folder = new Folder();
    writerOf(folder.path).close();
    {
      using database = new DatabaseSync(folder.at("vivarium.db"));
      for (let number = 0; number < 500; number++) {
        const text = `t${number}`;
        database.prepare("INSERT INTO blobs VALUES (?, ?)").run(Buffer.from(hash(text), "hex"), text);
        database
          .prepare("INSERT INTO artifacts VALUES (?, ?, ?)")
          .run(`k${number}`, hash(`gone ${number}`), Buffer.from(hash(text), "hex"));
      }
    }
    const writer = writerOf(folder.path);
    writer.run([sandbox("a", "one")]);
    finish(writer);
    assert.deepEqual([count(folder, "blobs"), count(folder, "artifacts")], [1, 0]);
    writer.close();
  });
});

test("the log is checkpointed when nothing waits, also beside one who reads", () => {
  using folder = new Folder();
  const writer = writerOf(folder.path);
  finish(writer);
  const text = JSON.stringify("x".repeat(500_000));
  const fill = (): void => {
    for (let number = 0; number < 10; number++)
      writer.run([{ kind: "documents", collection: "c", rows: [[`k${number}`, text]] }]);
  };
  fill();
  assert.equal(writer.hasIdleWork, true);
  finish(writer);
  const pages = (): unknown => {
    using database = new DatabaseSync(folder.at("vivarium.db"));
    return database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
  };
  using reader = openReading(folder.path);
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM documents").get();
  fill();
  finish(writer);
  fill();
  finish(writer);
  assert.equal(writer.hasIdleWork, false);
  reader.exec("COMMIT");
  const { log, checkpointed } = pages() as { log: number; checkpointed: number };
  assert.equal(log, checkpointed);
  writer.close();
});
