// A data folder that this process cannot read as a whole, or cannot lock, is refused with the reason.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { checkFolder } from "../../../../src/store/folder/maintenance/check.ts";
import { compactFolder } from "../../../../src/store/folder/maintenance/compact.ts";
import { describeFolder } from "../../../../src/store/folder/maintenance/contents.ts";
import { repairFolder } from "../../../../src/store/folder/maintenance/repair.ts";
import { FilledFolder } from "../../../support/filled-folders.ts";
import { Folder } from "../../../support/folders.ts";

suite("a data folder is refused", () => {
  test("where its log cannot be read, as what was committed last would be missing", () => {
    using folder = new FilledFolder({ sandboxes: 1 });
    using copy = new Folder();
    {
      using database = new DatabaseSync(folder.database);
      database.exec("INSERT INTO documents VALUES ('a', 'k', '1')");
      for (const end of ["", "-wal"]) cpSync(`${folder.database}${end}`, copy.at(`vivarium.db${end}`));
    }
    // So that SQLite cannot make the file that a log is read with, as in a folder that may only be read.
    symlinkSync(copy.at("none/there"), copy.at("vivarium.db-shm"));
    const message = /as it has a log, which can only be read where this process may write to the folder/;
    for (const read of [describeFolder, checkFolder])
      assert.throws(() => read(copy.path), { code: "STORE_FAILED", message });
  });

  test("where its lock is damaged, and not its database", () => {
    using folder = new FilledFolder({ sandboxes: 1 });
    writeFileSync(folder.at("lock.db"), "x".repeat(5_000));
    const message =
      /as its lock\.db must be the file that Vivarium made: .*; it has no content, so delete it/;
    for (const act of [describeFolder, compactFolder, repairFolder])
      assert.throws(() => act(folder.path), { code: "STORE_FAILED", message });
  });

  test("where its lock is no file", () => {
    using folder = new FilledFolder({ sandboxes: 1 });
    mkdirSync(folder.at("lock.db"));
    for (const act of [describeFolder, compactFolder, repairFolder])
      assert.throws(() => act(folder.path), {
        code: "STORE_FAILED",
        message: /^Cannot open the data folder/,
      });
  });
});
