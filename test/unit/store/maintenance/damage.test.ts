// Every kind of damage is caused for real: check finds it, repair mends it, and everything else is still there.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { suite, test } from "node:test";
import { checkFolder } from "../../../../src/store/folder/maintenance/check.ts";
import { repairFolder, type RepairReport } from "../../../../src/store/folder/maintenance/repair.ts";
import { dataFolder, withFolder } from "../../../support/data-folders.ts";
import { FilledFolder, hashOf, idOf, sourceOf, type Filling } from "../../../support/filled-folders.ts";

const filling: Filling = { sandboxes: 300, documents: 600, tombstones: 300 };
const rowsOf = {
  blobs: 600,
  artifacts: 0,
  sandboxes: 300,
  versions: 600,
  states: 100,
  tombstones: 300,
  documents: 600,
};

/** Finds, mends, and finds nothing more. */
function repaired(folder: FilledFolder): RepairReport {
  assert.notDeepEqual(checkFolder(folder.path).problems, []);
  const report = repairFolder(folder.path);
  assert.equal(report.repaired, true);
  const { problems, tables } = checkFolder(folder.path);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    Object.fromEntries(Object.entries(tables).map(([name, { rows }]) => [name, rows])),
    report.kept,
  );
  return report;
}

suite("a data folder that is whole", () => {
  test("has no problems, and its tables are counted", () => {
    using folder = new FilledFolder(filling);
    const { problems, notes, tables, schemaVersion, size } = checkFolder(folder.path);
    assert.deepEqual([problems, notes, schemaVersion], [[], [], 1]);
    assert.deepEqual(
      Object.fromEntries(Object.entries(tables).map(([name, { rows }]) => [name, rows])),
      rowsOf,
    );
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

suite("a page of the file that means nothing", () => {
  for (const [name, kind] of [
    ["blobs", "leaf"],
    ["sandboxes", "leaf"],
    ["versions", "leaf"],
    ["states", "leaf"],
    ["tombstones", "leaf"],
    ["documents", "leaf"],
  ] as const) {
    test(`costs only its own rows where it is a leaf of ${name}`, () => {
      using folder = new FilledFolder(name === "states" ? { ...filling, sandboxes: 3_000 } : filling);
      const all = checkFolder(folder.path).tables;
      const pages = folder.pages(name, kind);
      folder.overwrite(pages[Math.floor(pages.length / 2)] as number);
      const { kept, losses } = repaired(folder);
      const lost = (all[name]?.rows ?? 0) - (kept[name] ?? 0);
      assert.ok(
        lost > 0 && lost <= 2 * Math.ceil((all[name]?.rows ?? 0) / pages.length),
        `${lost} rows are lost`,
      );
      assert.ok(losses.some(({ table, remedy }) => table === name && remedy === "lost"));
    });
  }

  for (const name of ["blobs", "sandboxes", "tombstones"]) {
    test(`costs nothing where it is the root of ${name}`, () => {
      using folder = new FilledFolder(filling);
      const [root] = folder.pages(name, "internal");
      folder.overwrite(root as number);
      assert.deepEqual(repaired(folder).kept, rowsOf);
    });
  }

  for (const name of ["versions", "documents"] as const) {
    test(`costs only the rows on it where it is the root of ${name}, which has some`, () => {
      using folder = new FilledFolder(filling);
      const [root] = folder.pages(name, "internal");
      const leaves = folder.pages(name, "leaf").length;
      folder.overwrite(root as number);
      const { kept } = repaired(folder);
      assert.equal(rowsOf[name] - (kept[name] ?? 0), leaves - 1);
    });
  }

  test("costs nothing where it is of an index", () => {
    using folder = new FilledFolder(filling);
    const [, page] = folder.pages("sqlite_autoindex_sandboxes_1", "leaf");
    folder.overwrite(page as number);
    const { kept, losses } = repaired(folder);
    assert.deepEqual([kept, losses], [rowsOf, []]);
  });

  test("costs nothing where it is the first of all, without which SQLite opens nothing", () => {
    using folder = new FilledFolder(filling);
    folder.overwrite(1);
    assert.match(
      checkFolder(folder.path).problems[0]?.message ?? "",
      /cannot be read: file is not a database/,
    );
    assert.deepEqual(repaired(folder).kept, rowsOf);
  });

  test("costs one source where it is in the middle of a long one", () => {
    using folder = new FilledFolder({ sandboxes: 20, padding: " ".repeat(20_000) });
    const pages = folder.pages("blobs", "overflow");
    folder.overwrite(pages[Math.floor(pages.length / 2)] as number);
    assert.equal(repaired(folder).kept.blobs, 39);
  });

  test("several of them cost only theirs", () => {
    using folder = new FilledFolder({ ...filling, sandboxes: 2_000, documents: 5_000 });
    const documents = folder.pages("documents", "leaf");
    const blobs = folder.pages("blobs", "leaf");
    for (const index of [3, 4, 9, 20]) folder.overwrite(documents[index] as number);
    for (const index of [2, 11]) folder.overwrite(blobs[index] as number);
    const { kept } = repaired(folder);
    assert.ok(
      (kept.documents ?? 0) > 5_000 - 5 * (5_000 / documents.length) - 10,
      `${kept.documents} documents`,
    );
    assert.ok((kept.blobs ?? 0) > 4_000 - 3 * (4_000 / blobs.length) - 10, `${kept.blobs} blobs`);
    assert.equal(kept.sandboxes, 2_000);
  });

  test("names the sandboxes whose rows are lost", () => {
    using folder = new FilledFolder(filling);
    const pages = folder.pages("sandboxes", "leaf");
    folder.overwrite(pages[0] as number);
    const { sandboxes, kept } = repaired(folder);
    assert.equal(sandboxes.lost.length, 300 - (kept.sandboxes ?? 0));
    assert.ok(sandboxes.lost.includes(idOf(0)));
  });
});

suite("a file that was cut off", () => {
  test("keeps what stands before the cut", () => {
    using folder = new FilledFolder(filling);
    truncateSync(folder.database, Math.floor(readFileSync(folder.database).length / 8192) * 4096);
    const { kept } = repaired(folder);
    assert.ok((kept.sandboxes ?? 0) > 0);
  });
});

const digits = (source: string): string => hashOf(source).toString("hex");

suite("rows that do not fit together", () => {
  for (const [what, sql] of [
    ["is missing", `DELETE FROM blobs WHERE hash = x'${digits(sourceOf(7, 2))}'`],
    ["is cut off", `UPDATE blobs SET text = substr(text, 1, 5) WHERE hash = x'${digits(sourceOf(7, 2))}'`],
    ["is another one", `UPDATE versions SET checksum = 'x' WHERE sandbox = 8 AND version = 2`],
  ] as const) {
    test(`a current source that ${what} sets its sandbox back, which is then failed`, async () => {
      using folder = new FilledFolder({ sandboxes: 20 });
      folder.sql(sql);
      const [problem] = checkFolder(folder.path).problems;
      assert.deepEqual([problem?.kind, problem?.sandboxId], ["lost-source", idOf(7)]);
      const { sandboxes, kept } = repaired(folder);
      assert.deepEqual(sandboxes, { lost: [], failed: [idOf(7)] });
      assert.deepEqual([kept.sandboxes, kept.versions], [20, 39]);
      await withFolder(folder.path, (_, restored) => {
        const { record, revisions } = restored.find(({ id }) => id === idOf(7)) ?? {};
        assert.deepEqual([record?.status, record?.blameless], ["failed", true]);
        assert.match(record?.reason ?? "", /current revision was lost, and it was set back to revision 1,/);
        assert.equal(revisions?.at(-1)?.revision, 1);
        assert.equal(restored.filter((each) => each.record?.status === "running").length, 19);
      });
    });
  }

  test("a sandbox without any source stays as failed", async () => {
    using folder = new FilledFolder({ sandboxes: 20 });
    folder.sql("DELETE FROM versions WHERE sandbox = 8");
    assert.deepEqual(
      checkFolder(folder.path).problems.map(({ kind, message }) => [kind, message]),
      [
        [
          "lost-version",
          `Sandbox "${idOf(7)}" needs version 2 of module "main" for its revision 2: it is not there.`,
        ],
      ],
    );
    assert.deepEqual(repaired(folder).sandboxes.failed, [idOf(7)]);
    await withFolder(folder.path, (_, restored) => {
      const { record } = restored.find(({ id }) => id === idOf(7)) ?? {};
      assert.match(record?.reason ?? "", /was lost, and none is left, when the data folder was damaged/);
    });
  });

  test("an old version without its source is dropped, and its sandbox goes on", () => {
    using folder = new FilledFolder({ sandboxes: 20 });
    folder.sql(`DELETE FROM blobs WHERE hash = x'${digits(sourceOf(7, 1))}'`);
    const { sandboxes, kept } = repaired(folder);
    assert.deepEqual([sandboxes.failed, kept.versions], [[], 39]);
  });

  test("versions and states without a sandbox are dropped", () => {
    using folder = new FilledFolder({ sandboxes: 20 });
    folder.sql("DELETE FROM sandboxes WHERE number = 1");
    assert.deepEqual(
      checkFolder(folder.path).problems.map(({ kind, table }) => [kind, table]),
      [
        ["no-sandbox", "versions"],
        ["no-sandbox", "versions"],
        ["no-sandbox", "states"],
      ],
    );
    const { kept } = repaired(folder);
    assert.deepEqual([kept.sandboxes, kept.versions, kept.states], [19, 38, 6]);
  });

  test("a compiled module that is missing is only a note", () => {
    using folder = new FilledFolder({ sandboxes: 2 });
    folder.sql("INSERT INTO artifacts VALUES ('k', 'k', x'00')");
    const { problems, notes } = checkFolder(folder.path);
    assert.deepEqual([problems, notes.map(({ kind }) => kind)], [[], ["lost-artifact"]]);
  });

  for (const [table, column, isFailed] of [
    ["sandboxes", "last_error", false],
    ["sandboxes", "fitness", false],
    ["sandboxes", "labels", false],
    ["sandboxes", "ancestry", false],
    ["sandboxes", "limits", true],
    ["sandboxes", "settings", true],
    ["sandboxes", "revisions", true],
    ["versions", "mutation", false],
  ] as const) {
    test(`${column} of ${table} that is no JSON is replaced${isFailed ? ", and the sandbox is failed" : ""}`, async () => {
      using folder = new FilledFolder({ sandboxes: 5 });
      folder.sql(
        `UPDATE ${table} SET ${column} = '{"a":' WHERE ${table === "versions" ? "sandbox" : "number"} = 1`,
      );
      const problems = checkFolder(folder.path).problems;
      assert.ok(
        problems.length > 0 &&
          problems.every(({ kind, sandboxId }) => kind === "invalid-json" && sandboxId === idOf(0)),
      );
      const { sandboxes, kept } = repaired(folder);
      assert.deepEqual([sandboxes.failed, kept.sandboxes, kept.versions], [isFailed ? [idOf(0)] : [], 5, 10]);
      const data = dataFolder(folder.path);
      assert.equal((await data.open()).length, 5);
      assert.deepEqual(data.damaged, []);
      await data.close();
    });
  }

  for (const [table, column, text] of [
    ["states", "capture", "nothing"],
    ["states", "capture", '{"servers":[]}'],
    ["tombstones", "info", "7"],
    ["documents", "value", "{"],
  ] as const) {
    test(`a row of ${table} is dropped where ${column} is ${text}`, () => {
      using folder = new FilledFolder({ sandboxes: 5, tombstones: 5, documents: 5 });
      const before = checkFolder(folder.path).tables[table]?.rows ?? 0;
      folder.sql(
        `UPDATE ${table} SET ${column} = '${text}' WHERE ${column} = (SELECT ${column} FROM ${table} LIMIT 1)`,
      );
      const { kept, losses } = repaired(folder);
      assert.ok((kept[table] ?? 0) < before);
      assert.ok(losses.every(({ kind, remedy }) => kind === "invalid-json" && remedy === "dropped"));
    });
  }

  test("JSON that is nested deeply is no problem", () => {
    using folder = new FilledFolder({ sandboxes: 1 });
    const deep = `${"[".repeat(3_000)}${"]".repeat(3_000)}`;
    folder.sql(`INSERT INTO documents VALUES ('a', 'deep', '${deep}')`);
    assert.deepEqual(checkFolder(folder.path).problems, []);
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
      names.filter((name) => !/^vivarium\.db/.test(name)),
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
