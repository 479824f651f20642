// What does not fit together in a data folder is found, and mended so that everything else is still there.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { checkFolder } from "../../../../src/store/folder/maintenance/check.ts";
import { dataFolder, withFolder } from "../../../support/data-folders.ts";
import { FilledFolder, hashOf, idOf, repaired, sourceOf } from "../../../support/filled-folders.ts";

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
