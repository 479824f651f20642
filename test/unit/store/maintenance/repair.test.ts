// A data folder that is whole is found to be, and a repair leaves everything there that it does not have to drop.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { suite, test } from "node:test";
import { checkFolder } from "../../../../src/store/folder/maintenance/check.ts";
import { repairFolder } from "../../../../src/store/folder/maintenance/repair.ts";
import { withFolder } from "../../../support/data-folders.ts";
import {
  FilledFolder,
  hashOf,
  repaired,
  rowsIn,
  someRows,
  someRowsOf,
} from "../../../support/filled-folders.ts";

suite("a data folder that is whole", () => {
  test("has no problems, and its tables are counted", () => {
    using folder = new FilledFolder(someRows);
    const { problems, notes, schemaVersion, size } = checkFolder(folder.path);
    assert.deepEqual([problems, notes, schemaVersion], [[], [], 1]);
    assert.deepEqual(rowsIn(folder), someRowsOf);
    assert.equal(size.databaseBytes, readFileSync(folder.database).length);
  });

  test("is not changed by a repair", () => {
    using folder = new FilledFolder({ sandboxes: 3 });
    const before = readFileSync(folder.database);
    assert.equal(repairFolder(folder.path).repaired, false);
    assert.ok(before.equals(readFileSync(folder.database)));
  });

  test("says how much of it nothing refers to, which is no problem", () => {
    using folder = new FilledFolder({ sandboxes: 3 });
    folder.sql(`INSERT INTO blobs (hash, text) VALUES (x'${hashOf("spare").toString("hex")}', 'spare')`);
    const { problems, notes } = checkFolder(folder.path);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      notes.map(({ kind, message }) => [kind, message]),
      [["unreferenced-blob", "1 texts of 5 bytes are referred to by nothing: compaction drops them."]],
    );
  });

  test("is read beside a writer, as of one moment", async () => {
    using folder = new FilledFolder({ sandboxes: 3 });
    await withFolder(folder.path, async (data) => {
      await data.documents.write("a", new Map([["k", 1]]));
      const { problems, tables } = checkFolder(folder.path);
      assert.deepEqual([problems, tables.documents?.rows], [[], 1]);
    });
  });
});

suite("a repair", () => {
  test("keeps the damaged database and its log, with all that was in them", () => {
    using folder = new FilledFolder({ sandboxes: 20 });
    folder.sql("DELETE FROM versions WHERE sandbox = 8");
    const { damagedFiles } = repairFolder(folder.path);
    assert.ok(damagedFiles.length > 0 && damagedFiles.every((file) => existsSync(file)));
    assert.ok(damagedFiles[0]?.startsWith(`${folder.database}.damaged-`));
    const names = readdirSync(folder.path).sort();
    assert.deepEqual(
      names.filter((name) => !name.startsWith("vivarium.db")),
      ["lock.db"],
    );
  });

  test("takes over what is only in the log", async () => {
    using folder = new FilledFolder({ sandboxes: 20 });
    using copy = new FilledFolder({ sandboxes: 0 });
    await withFolder(folder.path, async (data) => {
      await data.documents.write("late", new Map([["k", 1]]));
      // As a process leaves it that was killed.
      for (const end of ["", "-wal"])
        writeFileSync(`${copy.database}${end}`, readFileSync(`${folder.database}${end}`));
    });
    const [page] = copy.pages("sandboxes", "leaf");
    copy.overwrite(page as number);
    const { damagedFiles, kept } = repaired(copy);
    assert.equal(kept.documents, 1);
    assert.ok(damagedFiles.some((file) => file.endsWith("-wal")));
  });

  test("gives no number a second time", () => {
    using folder = new FilledFolder({ sandboxes: 5 });
    folder.sql(
      "DELETE FROM versions WHERE sandbox = 5; DELETE FROM sandboxes WHERE number = 5; DELETE FROM versions WHERE sandbox = 1",
    );
    repaired(folder);
    assert.equal(
      folder.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'sandboxes'").seq,
      5,
    );
  });

  test("is refused while a runtime has the folder open", async () => {
    using folder = new FilledFolder({ sandboxes: 1 });
    await withFolder(folder.path, () => {
      assert.throws(() => repairFolder(folder.path), { code: "STORE_LOCKED" });
    });
  });
});
