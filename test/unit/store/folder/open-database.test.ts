// A database gets the tables of this version, keeps its rows, and is refused where this version cannot know it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { openReading } from "../../../../src/store/folder/maintenance/open-reading.ts";
import { openDatabase } from "../../../../src/store/folder/open-database.ts";
import { migrations } from "../../../../src/store/folder/schema.ts";
import { dataFolder, stored, withFolder } from "../../../support/data-folders.ts";
import { Folder } from "../../../support/folders.ts";

const secondStep = `ALTER TABLE sandboxes ADD COLUMN rank INTEGER NOT NULL DEFAULT 5; CREATE TABLE extra (a TEXT)`;
const two = [...migrations, secondStep];
const open = (folder: Folder, steps = migrations): DatabaseSync =>
  openDatabase({ path: folder.path, durability: "process", migrations: steps });
const versionOf = (database: DatabaseSync): unknown =>
  database.prepare("PRAGMA user_version").get()?.["user_version"];

suite("the tables of a data folder", () => {
  test("of version 1 become those of version 2, with their rows", async () => {
    using folder = new Folder();
    await withFolder(folder.path, (data) => data.save(stored("a")));
    using database = open(folder, two);
    assert.equal(versionOf(database), 2);
    assert.deepEqual({ ...database.prepare("SELECT id, rank FROM sandboxes").get() }, { id: "a", rank: 5 });
  });

  test("are made by all steps in an empty folder", () => {
    using folder = new Folder();
    using database = open(folder, two);
    assert.equal(versionOf(database), 2);
    assert.equal(database.prepare("SELECT count(*) AS n FROM extra").get()?.["n"], 0);
  });

  test("are as before where a step fails", async () => {
    using folder = new Folder();
    await withFolder(folder.path, (data) => data.save(stored("a")));
    assert.throws(() => open(folder, [...two, "CREATE TABLE extra (b)"]), /already exists/);
    using database = open(folder);
    assert.equal(versionOf(database), 1);
    assert.throws(() => database.prepare("SELECT rank FROM sandboxes"), /no such column/);
    await withFolder(folder.path, (_, sandboxes) => assert.deepEqual(sandboxes, [stored("a")]));
  });

  test("of a newer version are refused, and not changed", async () => {
    using folder = new Folder();
    await withFolder(folder.path, (data) => data.save(stored("a")));
    {
      using database = new DatabaseSync(folder.at("vivarium.db"));
      database.exec("PRAGMA user_version = 7");
    }
    const before = readFileSync(folder.at("vivarium.db"));
    const message = `Cannot open the data folder "${folder.path}" as its tables must be of version 1 or older: they are of version 7; use a newer Vivarium`;
    await assert.rejects(
      withFolder(folder.path, () => {}),
      { code: "STORE_FAILED", message },
    );
    assert.ok(before.equals(readFileSync(folder.at("vivarium.db"))));
  });

  test("of another program are refused, and not changed", async () => {
    using folder = new Folder();
    {
      using database = new DatabaseSync(folder.at("vivarium.db"));
      database.exec("CREATE TABLE theirs (a)");
    }
    await assert.rejects(
      withFolder(folder.path, () => {}),
      { code: "STORE_FAILED", message: /is no data folder, but another program's database/ },
    );
    using database = new DatabaseSync(folder.at("vivarium.db"));
    assert.equal(database.prepare("SELECT count(*) AS n FROM sqlite_master").get()?.["n"], 1);
  });
});

test("a path that cannot be a folder is refused, with the reason", async () => {
  using folder = new Folder({ file: "x" });
  for (const path of [folder.at("file"), folder.at("file/below"), "/proc/none", "/proc/none/below"])
    await assert.rejects(
      withFolder(path, () => {}),
      {
        code: "STORE_FAILED",
        message:
          /^Cannot open the data folder ".*" as it must be a folder, or a path for a new one, that this process may read and write: E/,
      },
    );
});

suite("a connection that only reads", () => {
  const ids = (folder: Folder): unknown[] => {
    using database = openReading(folder.path);
    return database
      .prepare("SELECT id FROM sandboxes ORDER BY number")
      .all()
      .map(({ id }) => id);
  };

  test("sees what is committed beside a running writer, and cannot write", async () => {
    using folder = new Folder();
    const data = dataFolder(folder.path);
    await data.open();
    await data.save(stored("a"));
    assert.deepEqual(ids(folder), ["a"]);
    using database = openReading(folder.path);
    assert.throws(() => database.exec("DELETE FROM sandboxes"), /readonly/);
    await data.save(stored("b"));
    assert.deepEqual(ids(folder), ["a", "b"]);
    await data.close();
  });

  test("sees everything where no writer runs", async () => {
    using folder = new Folder();
    await withFolder(folder.path, (data) => data.save(stored("a")));
    assert.deepEqual(ids(folder), ["a"]);
  });

  test("creates no folder and no database", () => {
    using folder = new Folder();
    assert.throws(() => openReading(folder.path), /Cannot read data folder/);
    assert.throws(() => openReading(folder.at("none")), /Cannot read data folder/);
    assert.deepEqual(readdirSync(folder.path), []);
  });
});
