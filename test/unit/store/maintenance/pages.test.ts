// A page of a data folder that is damaged costs the rows on it, and no others.
import assert from "node:assert/strict";
import { readFileSync, truncateSync } from "node:fs";
import { suite, test } from "node:test";
import { checkFolder } from "../../../../src/store/folder/maintenance/check.ts";
import { FilledFolder, idOf, repaired, someRows, someRowsOf } from "../../../support/filled-folders.ts";

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
      using folder = new FilledFolder(name === "states" ? { ...someRows, sandboxes: 3_000 } : someRows);
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
      using folder = new FilledFolder(someRows);
      const [root] = folder.pages(name, "internal");
      folder.overwrite(root as number);
      assert.deepEqual(repaired(folder).kept, someRowsOf);
    });
  }

  for (const name of ["versions", "documents"] as const) {
    test(`costs only the rows on it where it is the root of ${name}, which has some`, () => {
      using folder = new FilledFolder(someRows);
      const [root] = folder.pages(name, "internal");
      const leaves = folder.pages(name, "leaf").length;
      folder.overwrite(root as number);
      const { kept } = repaired(folder);
      assert.equal(someRowsOf[name] - (kept[name] ?? 0), leaves - 1);
    });
  }

  test("costs nothing where it is of an index", () => {
    using folder = new FilledFolder(someRows);
    const [, page] = folder.pages("sqlite_autoindex_sandboxes_1", "leaf");
    folder.overwrite(page as number);
    const { kept, losses } = repaired(folder);
    assert.deepEqual([kept, losses], [someRowsOf, []]);
  });

  test("costs nothing where it is the first of all, without which SQLite opens nothing", () => {
    using folder = new FilledFolder(someRows);
    folder.overwrite(1);
    assert.match(
      checkFolder(folder.path).problems[0]?.message ?? "",
      /cannot be read: file is not a database/,
    );
    assert.deepEqual(repaired(folder).kept, someRowsOf);
  });

  test("costs one source where it is in the middle of a long one", () => {
    using folder = new FilledFolder({ sandboxes: 20, padding: " ".repeat(20_000) });
    const pages = folder.pages("blobs", "overflow");
    folder.overwrite(pages[Math.floor(pages.length / 2)] as number);
    assert.equal(repaired(folder).kept.blobs, 39);
  });

  test("several of them cost only theirs", () => {
    using folder = new FilledFolder({ ...someRows, sandboxes: 2_000, documents: 5_000 });
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
    using folder = new FilledFolder(someRows);
    const pages = folder.pages("sandboxes", "leaf");
    folder.overwrite(pages[0] as number);
    const { sandboxes, kept } = repaired(folder);
    assert.equal(sandboxes.lost.length, 300 - (kept.sandboxes ?? 0));
    assert.ok(sandboxes.lost.includes(idOf(0)));
  });
});

suite("a file that was cut off", () => {
  test("keeps what stands before the cut", () => {
    using folder = new FilledFolder(someRows);
    truncateSync(folder.database, Math.floor(readFileSync(folder.database).length / 8192) * 4096);
    const { kept } = repaired(folder);
    assert.ok((kept.sandboxes ?? 0) > 0);
  });
});
