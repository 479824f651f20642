// Pages of the database that were overwritten: what needs them is refused with what to do about it, and all else goes on.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { repairFolder } from "../../../src/store/folder/maintenance/repair.ts";
import { errorOf } from "../../support/errors.ts";
import { FilledFolder, idOf } from "../../support/filled-folders.ts";
import { childrenOf } from "../../support/processes.ts";
import { valueOf } from "../../support/outcomes.ts";
import { open, plain, refusedStart, score, tagOf } from "./folders.ts";

const sandboxes = 24;
const filling = { sandboxes, documents: 2_000, padding: ` // ${"x".repeat(3_000)}` };
const advice =
  /`vivarium store check` says what is damaged, and `vivarium store repair` saves what can be saved/;
const ids = Array.from({ length: sandboxes }, (_, index) => idOf(index));

function middleOf<T>(all: readonly T[]): T {
  const middle = all[all.length >> 1];
  assert.ok(middle !== undefined && all.length > 2, `there are ${all.length}`);
  return middle;
}

/** Writes into the file as another program would, so that this process keeps its locks. */
function overwriteFromOutside(folder: FilledFolder, page: number): void {
  const place = [`of=${folder.database}`, "bs=4096", `seek=${page - 1}`, "count=1", "conv=notrunc"];
  execFileSync("dd", ["if=/dev/urandom", ...place], { stdio: "ignore" });
}

suite("a page that was overwritten while nobody had the folder open", () => {
  test("costs the sandboxes whose source is on it, which say so and can be looked at; the others run", async () => {
    using folder = new FilledFolder(filling);
    folder.overwrite(middleOf(folder.pages("blobs", "leaf")));
    await using opened = await open(folder.path);
    const { runtime } = opened;
    const infos = await runtime.list();
    assert.deepEqual(
      infos.map(({ id }) => id),
      ids,
    );
    const failed = infos.filter(({ status }) => status === "failed");
    assert.ok(failed.length > 0 && failed.length <= 4, `${failed.length} failed`);
    for (const { reason } of failed)
      assert.match(reason ?? "", /the source of module "main", version \d, is damaged in the store/);
    const { recovered } = (await runtime.health()).store;
    assert.deepEqual([recovered?.failed, recovered?.problems.length], [failed.length, failed.length]);
    for (const { id, status } of infos)
      if (status === "running") valueOf(await (await runtime.get(id)).call("main.f"));
    await runtime.create("new", plain());
    await runtime.destroy(failed[0]?.id ?? "");
    await runtime.close();
  });

  for (const [what, pageOf] of [
    ["with rows of sandboxes", (folder: FilledFolder) => middleOf(folder.pages("sandboxes", "leaf"))],
    ["with the header", () => 1],
  ] as const)
    test(`${what} refuses the start with what to do, and a repaired folder opens with what was saved`, async () => {
      using folder = new FilledFolder(filling);
      folder.overwrite(pageOf(folder));
      const { message } = await refusedStart(folder.path);
      assert.match(message, advice);
      assert.deepEqual(childrenOf(process.pid), []);
      repairFolder(folder.path);
      await using opened = await open(folder.path);
      const { runtime } = opened;
      const found = (await runtime.list()).map(({ id }) => id);
      assert.ok(found.length > sandboxes / 2 && found.every((id) => ids.includes(id)), found.join());
      for (const id of found.slice(0, 3)) valueOf(await (await runtime.get(id)).call("main.f"));
      await runtime.create("new", plain());
      await runtime.close();
    });
});

suite("a page that is overwritten while a runtime has the folder open", () => {
  test("refuses what needs it, with what to do, and nothing else", async () => {
    using folder = new FilledFolder(filling);
    const page = middleOf(folder.pages("documents", "leaf"));
    await using opened = await open(folder.path);
    const { runtime } = opened;
    overwriteFromOutside(folder, page);
    assert.match((await errorOf(() => runtime.documents.read("rows"), "STORE_FAILED")).message, advice);
    await runtime.documents.write("other", new Map([["k", 1]]));
    assert.deepEqual(await runtime.documents.read("other"), [["k", 1]]);
    assert.equal(await tagOf(await runtime.create("new", plain(4))), 4);
    await score(runtime, "new", 5);
    await runtime.destroy(idOf(1));
    await runtime.close();
    await using again = await open(folder.path);
    assert.equal((await again.runtime.info("new")).fitness?.score, 5);
    assert.equal(await again.runtime.has(idOf(1)), false);
    assert.equal((await again.runtime.list({ status: "failed" })).length, 0);
  });

  test("and is needed by some ids alone leaves all others as they are", async () => {
    using folder = new FilledFolder({ sandboxes, tombstones: 3_000 });
    // This part of the index is looked at when an id is used that belongs between those in it.
    const page = middleOf(folder.pages("sqlite_autoindex_tombstones_1", "leaf"));
    const bytes = readFileSync(folder.database).subarray((page - 1) * 4_096, page * 4_096);
    const near = middleOf(bytes.toString("latin1").match(/t-\d+/g) ?? []);
    folder.sql(`UPDATE sandboxes SET id = '${near}-' || number WHERE number IN (4, 5)`);
    await using opened = await open(folder.path);
    const { runtime } = opened;
    overwriteFromOutside(folder, page);
    const damaged = (await runtime.list()).map(({ id }) => id).filter((id) => !ids.includes(id));
    assert.equal(damaged.length, 2);
    for (const id of damaged)
      assert.match((await errorOf(() => runtime.destroy(id), "STORE_FAILED")).message, advice);
    for (const id of ids.slice(6, 12)) await runtime.destroy(id);
    await score(runtime, ids[20] ?? "", 7);
    assert.equal(await tagOf(await runtime.create("new", plain(4))), 4);
    await runtime.close();
    await using again = await open(folder.path);
    const found = (await again.runtime.list()).map(({ id }) => id);
    assert.deepEqual(
      found.filter((id) => ids.slice(6, 12).includes(id)),
      [],
    );
    // What could not be removed is still there, and can be once the folder is repaired.
    assert.deepEqual(
      found.filter((id) => damaged.includes(id)),
      damaged,
    );
    assert.equal((await again.runtime.info(ids[20] ?? "")).fitness?.score, 7);
  });
});
