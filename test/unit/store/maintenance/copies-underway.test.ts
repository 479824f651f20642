// A copy of a data folder that meets something while it is made: another one to the same place, or the end of its runtime.
import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { suite, test } from "node:test";
import { backupFolder } from "../../../../src/store/folder/maintenance/backup.ts";
import { checkFolder } from "../../../../src/store/folder/maintenance/check.ts";
import { dataFolder } from "../../../support/data-folders.ts";
import { FilledFolder } from "../../../support/filled-folders.ts";
import { Folder } from "../../../support/folders.ts";
import { until } from "../../../support/waiting.ts";

const sizeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.size;

/** Resolves when a part of a copy is in a folder. */
async function partIn(target: Folder): Promise<void> {
  const size = (name: string): number => sizeOf(target.at(`${name}/vivarium.db`)) ?? 0;
  await until("a part is copied", () => readdirSync(target.path).some((name) => size(name) > 2 ** 20));
}

suite("a back-up", () => {
  test("is whole also where another one to the same place begins meanwhile, which is refused", async () => {
    using folder = new FilledFolder({ sandboxes: 2_000, padding: " ".repeat(12_000) });
    using target = new Folder();
    const to = target.at("copy");
    const first = backupFolder(folder.path, to);
    await partIn(target);
    const ends = await Promise.allSettled([first, backupFolder(folder.path, to)]);
    const refusals = ends.filter((end) => end.status === "rejected");
    assert.deepEqual(
      refusals.map(({ reason }) => (reason as { code: string }).code),
      ["INVALID_OPTIONS"],
    );
    assert.deepEqual(checkFolder(to).problems, []);
    assert.equal(checkFolder(to).tables.sandboxes?.rows, 2_000);
    assert.equal(sizeOf(`${to}/vivarium.db`), sizeOf(folder.database));
    assert.deepEqual(readdirSync(target.path), ["copy"]);
  });

  test("that is under way when the folder is closed is over before that, and leaves nothing behind", async () => {
    using folder = new FilledFolder({ sandboxes: 2_000, padding: " ".repeat(25_000) });
    using target = new Folder();
    const data = dataFolder(folder.path);
    await data.documents.read("none");
    let end: unknown;
    const copying = data.backup(target.at("copy")).then(
      () => (end = "whole"),
      (error: unknown) => (end = error),
    );
    await partIn(target);
    await data.close();
    assert.match(
      String(end),
      /Cannot copy data folder .*: it must be open until all is copied: it was closed$/,
    );
    assert.deepEqual(readdirSync(target.path), []);
    await copying;
  });
});
