// A data folder is copied, compacted, exported and described, while a runtime writes to it too.
import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync } from "node:fs";
import { Writable } from "node:stream";
import { suite, test } from "node:test";
import { createRuntime, type Individual } from "../../../../src/index.ts";
import { backupFolder } from "../../../../src/store/folder/maintenance/backup.ts";
import { checkFolder } from "../../../../src/store/folder/maintenance/check.ts";
import { compactFolder } from "../../../../src/store/folder/maintenance/compact.ts";
import { describeFolder } from "../../../../src/store/folder/maintenance/contents.ts";
import { exportFolder, type ExportLine } from "../../../../src/store/folder/maintenance/export.ts";
import type { DataFolder } from "../../../../src/store/folder/data-folder.ts";
import { dataFolder, stored, withFolder } from "../../../support/data-folders.ts";
import { FilledFolder, hashOf, idOf, rowsIn, sourceOf } from "../../../support/filled-folders.ts";
import { Folder } from "../../../support/folders.ts";

/** Writes pairs of documents, each pair at once, until it is told to stop; gives how many were acknowledged. */
function writePairs(data: DataFolder): {
  readonly stop: () => Promise<number>;
  readonly first: Promise<void>;
} {
  const stopping = new AbortController();
  let count = 0;
  const first = Promise.withResolvers<void>();
  const writing = (async () => {
    while (!stopping.signal.aborted) {
      const pair = [`a${count}`, `b${count}`].map((key) => [key, "x".repeat(2_000)] as const);
      await data.documents.write("pairs", new Map(pair));
      count++;
      first.resolve();
    }
    return count;
  })();
  const stop = (): Promise<number> => {
    stopping.abort();
    return writing;
  };
  return { stop, first: first.promise };
}

suite("a back-up", () => {
  test("made while writes go on is complete for one moment, and opens as a data folder", async () => {
    using folder = new FilledFolder({ sandboxes: 2_000, padding: " ".repeat(3_000) });
    const to = folder.at("copy");
    let [before, after] = [0, 0];
    await withFolder(folder.path, async (data) => {
      const { stop, first } = writePairs(data);
      await first;
      before = 1;
      const { path, bytes } = await data.backup(to);
      after = await stop();
      assert.deepEqual([path, bytes], [to, statSync(`${to}/vivarium.db`).size]);
    });
    assert.deepEqual(readdirSync(to), ["vivarium.db"]);
    assert.deepEqual(checkFolder(to).problems, []);
    await withFolder(to, async (copy, sandboxes) => {
      assert.equal(sandboxes.length, 2_000);
      const keys = (await copy.documents.read("pairs")).map(([key]) => key);
      const pairs = keys.filter((key) => key.startsWith("a")).length;
      assert.equal(keys.length, 2 * pairs, "a pair is there with both or with none");
      assert.ok(pairs >= before && pairs <= after, `${pairs} pairs of ${after}`);
    });
    assert.deepEqual(checkFolder(folder.path).problems, []);
  });

  test("needs no runtime, and may be made into an empty folder", async () => {
    using folder = new FilledFolder({ sandboxes: 3 });
    using target = new Folder();
    await backupFolder(folder.path, target.path);
    assert.equal(checkFolder(target.path).tables.sandboxes?.rows, 3);
  });

  test("is refused where the target is not empty, which is left as it is", async () => {
    using folder = new FilledFolder({ sandboxes: 3 });
    using target = new Folder({ "a.txt": "mine" });
    await assert.rejects(backupFolder(folder.path, target.path), {
      code: "INVALID_OPTIONS",
      message: /must be new or an empty folder: got a folder with 1 files$/,
    });
    await assert.rejects(backupFolder(folder.path, target.at("a.txt")), /got a file$/);
    assert.deepEqual(readdirSync(target.path), ["a.txt"]);
  });

  test("that fails leaves nothing behind", async () => {
    using folder = new FilledFolder({ sandboxes: 3 });
    using target = new Folder({ file: "" });
    await assert.rejects(backupFolder(folder.at("none"), target.at("copy")), { code: "INVALID_OPTIONS" });
    await assert.rejects(backupFolder(folder.path, target.at("file/copy")), { code: "STORE_FAILED" });
    assert.deepEqual(readdirSync(target.path), ["file"]);
  });
});

suite("compaction", () => {
  const wasteful = { sandboxes: 400, padding: " ".repeat(4_000), tombstones: 50 };

  test("makes a folder that nobody has open smaller, and keeps everything that is needed", () => {
    using folder = new FilledFolder(wasteful);
    folder.sql(
      "DELETE FROM versions WHERE sandbox > 100; DELETE FROM sandboxes WHERE number > 100; DELETE FROM states WHERE sandbox > 100",
    );
    const { bytesBefore, bytesAfter } = compactFolder(folder.path, { tombstonesMax: 10 });
    assert.ok(bytesAfter < bytesBefore / 3, `${bytesBefore} to ${bytesAfter}`);
    assert.equal(bytesAfter, statSync(folder.database).size);
    assert.deepEqual(checkFolder(folder.path).problems, []);
    const { sandboxes, versions, blobs, tombstones } = rowsIn(folder);
    assert.deepEqual([sandboxes, versions, blobs, tombstones], [100, 200, 200, 10]);
    assert.deepEqual(
      folder.all<{ id: string }>("SELECT id FROM tombstones ORDER BY number").map(({ id }) => id)[0],
      "t-40",
    );
  });

  test("drops compiled modules of sources that are gone", () => {
    using folder = new FilledFolder({ sandboxes: 2 });
    const compiled = hashOf("compiled").toString("hex");
    const source = hashOf(sourceOf(0, 1)).toString("hex");
    folder.sql(`INSERT INTO blobs (hash, text) VALUES (x'${compiled}', 'compiled');
      INSERT INTO artifacts VALUES ('${source}.x', '${source}', x'${compiled}'), ('gone.x', 'gone', x'${compiled}')`);
    compactFolder(folder.path);
    assert.deepEqual(
      folder.all<{ key: string }>("SELECT key FROM artifacts").map(({ key }) => key),
      [`${source}.x`],
    );
    assert.equal(rowsIn(folder)["blobs"], 5);
  });

  test("is refused while a runtime has the folder open", async () => {
    using folder = new FilledFolder({ sandboxes: 1 });
    await withFolder(folder.path, () => {
      assert.throws(() => compactFolder(folder.path), { code: "STORE_LOCKED" });
    });
  });

  test("by the owner gives room back while writes go on", async () => {
    using folder = new FilledFolder(wasteful);
    const data = dataFolder(folder.path, { tombstonesMax: 10 });
    await data.open();
    await Promise.all(Array.from({ length: 300 }, (_, index) => data.remove(idOf(index + 100))));
    const { stop, first } = writePairs(data);
    await first;
    const [one, other] = await Promise.all([data.compact(), data.compact()]);
    const pairs = await stop();
    assert.ok(one.bytesAfter < one.bytesBefore, `${one.bytesBefore} to ${one.bytesAfter}`);
    assert.deepEqual(one, other);
    const { bytesBefore, bytesAfter } = await data.compact();
    assert.ok(bytesAfter <= bytesBefore);
    await data.close();
    const { problems, size } = checkFolder(folder.path);
    assert.deepEqual([problems, size.freeBytes], [[], 0]);
    const { sandboxes, blobs, documents, tombstones } = rowsIn(folder);
    assert.deepEqual([sandboxes, blobs, documents, tombstones], [100, 200, 2 * pairs, 10]);
  });

  test("that is under way when the folder is closed rejects", async () => {
    using folder = new FilledFolder(wasteful);
    const data = dataFolder(folder.path);
    await data.open();
    const compacting = assert.rejects(data.compact(), { code: "STORE_FAILED" });
    await data.close();
    await compacting;
    await assert.rejects(data.compact(), /must be open: it was closed/);
  });
});

async function exported(path: string): Promise<readonly ExportLine[]> {
  let text = "";
  const to = new Writable({
    write: (chunk: Buffer, _, done) => {
      text += chunk.toString();
      done();
    },
  });
  const { lines } = await exportFolder(path, to);
  const all = text.split("\n").slice(0, -1);
  assert.equal(all.length, lines);
  return all.map((line) => JSON.parse(line) as ExportLine);
}

suite("an export", () => {
  test("has everything as JSON, beside a writer, and its sandboxes can be imported", async () => {
    using folder = new FilledFolder({ sandboxes: 700, tombstones: 2, documents: 3 });
    let lines: readonly ExportLine[] = [];
    await withFolder(folder.path, async (data) => {
      await data.save(stored("late"));
      lines = await exported(folder.path);
    });
    const counts = Map.groupBy(lines, ({ kind }) => kind);
    assert.deepEqual(
      [...counts].map(([kind, { length }]) => [kind, length]),
      [
        ["folder", 1],
        ["sandbox", 701],
        ["tombstone", 2],
        ["document", 3],
      ],
    );
    const line = lines.findLast((each) => each.kind === "sandbox") as { individual: Individual } | undefined;
    await using runtime = await createRuntime({ cells: { count: 1, spare: 0, warm: 1 } });
    const sandbox = await runtime.import(line?.individual as Individual);
    assert.equal(sandbox.id, "late");
  });

  test("says where a sandbox is damaged", async () => {
    using folder = new FilledFolder({ sandboxes: 2 });
    folder.sql("DELETE FROM blobs; INSERT INTO documents VALUES ('a', 'b', '{')");
    const lines = await exported(folder.path);
    assert.deepEqual(
      lines.map((line) =>
        line.kind === "sandbox" && line.damage !== undefined ? "damaged sandbox" : line.kind,
      ),
      ["folder", "damaged sandbox", "damaged sandbox", "damage"],
    );
  });
});

suite("the description of a folder", () => {
  test("has its owner, its sandboxes by status, and its evolutions", async () => {
    using folder = new FilledFolder({ sandboxes: 5, tombstones: 2 });
    folder.sql("UPDATE sandboxes SET status = 'failed' WHERE number = 2");
    const data = dataFolder(folder.path, { owner: "evolve.ts" });
    await data.open();
    await data.documents.write(
      "runs",
      new Map<string, unknown>([
        ["one", { seed: 7, state: "running" }],
        ["two", 5],
      ]),
    );
    const { running, owner, sandboxes, tombstones, documents, runs } = describeFolder(folder.path);
    assert.deepEqual([running, owner?.name, owner?.pid], [true, "evolve.ts", process.pid]);
    assert.deepEqual(sandboxes, { failed: 1, running: 4 });
    assert.deepEqual([tombstones, documents], [2, { runs: 2 }]);
    assert.deepEqual(runs, [{ name: "one", seed: 7, state: "running" }, { name: "two" }]);
    await data.close();
    const later = describeFolder(folder.path);
    assert.deepEqual([later.running, later.owner], [false, null]);
  });

  test("does not keep a runtime from opening the folder", async () => {
    using folder = new FilledFolder({ sandboxes: 5 });
    for (let round = 0; round < 20; round++) {
      const opening = withFolder(folder.path, () => {});
      describeFolder(folder.path);
      await opening;
    }
    assert.ok(existsSync(folder.database));
  });

  test("is refused where there is no data folder", () => {
    using folder = new Folder({ "other/a.txt": "" });
    for (const [path, message] of [
      [folder.at("none"), /as it must exist: got nothing there$/],
      [folder.at("other/a.txt"), /as it must be a folder: got a file$/],
      [folder.at("other"), /as it must contain vivarium\.db: got a folder without it$/],
    ] as const)
      assert.throws(() => describeFolder(path), { code: "INVALID_OPTIONS", message });
  });

  test("is refused for another program's database, and for one of a later version", () => {
    using folder = new FilledFolder({ sandboxes: 1 });
    folder.sql("PRAGMA user_version = 99");
    assert.throws(() => describeFolder(folder.path), /reads tables up to version 1: got version 99/);
    folder.sql("PRAGMA application_id = 5");
    assert.throws(() => describeFolder(folder.path), /must be one of Vivarium: got application id 5/);
  });
});
