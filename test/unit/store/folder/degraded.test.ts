// A folder that cannot be written says so, tries again, and loses nothing of what it has acknowledged.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { suite, test } from "node:test";
import { storeMs } from "../../../../src/store/ordered.ts";
import type { DataFolder } from "../../../../src/store/folder/data-folder.ts";
import type { StoreStatus } from "../../../../src/store/store.ts";
import { FakeClock } from "../../../../src/testing/index.ts";
import { dataFolder, endWriter, record, stored, version, withFolder } from "../../../support/data-folders.ts";
import { Folder } from "../../../support/folders.ts";
import { until } from "../../../support/waiting.ts";

const states = (data: DataFolder): string[] => {
  const seen: string[] = [];
  data.watch(({ state }: StoreStatus) => seen.push(state));
  return seen;
};

/** Lets the clock pass until the store is well. */
const untilWell = (data: DataFolder, clock: FakeClock): Promise<true> =>
  until("the store is well again", () => {
    clock.advance(1_000);
    return data.status.state === "ok";
  });

const failed = record({ status: "failed", reason: "why" });

suite("a data folder that is removed while it is open", () => {
  test("refuses to write, and is whole again when a folder is there again", async () => {
    using folder = new Folder();
    const path = folder.at("data");
    const clock = new FakeClock();
    const data = dataFolder(path, { clock });
    const seen = states(data);
    await data.open();
    for (const id of ["a", "b", "c", "d"]) await data.save(stored(id));
    rmSync(path, { recursive: true });
    await assert.rejects(data.save(stored("e")), {
      code: "STORE_FAILED",
      message: /the folder was removed or replaced/,
    });
    assert.match(data.status.reason ?? "", /the folder was removed or replaced/);
    // Nobody waits for these; of one id the last counts, unless something later was written.
    await assert.rejects(data.saveRecord("a", record({ restarts: 1 })));
    await assert.rejects(data.saveRecord("a", failed));
    await assert.rejects(data.saveRecord("b", failed));
    await assert.rejects(data.saveRecord("none", failed));
    await assert.rejects(data.remove("c"));
    mkdirSync(path);
    await data.saveRecord("b", record({ restarts: 7 }));
    await until("the store is well again", () => data.status.state === "ok");
    await data.flush();
    assert.deepEqual(seen, ["degraded", "ok"]);
    await data.save(stored("f"));
    await data.close();
    await withFolder(path, (_, sandboxes) => {
      const [a, b, c, d] = ["a", "b", "c", "d"].map((id) => stored(id));
      const expected = [
        { ...a, record: failed },
        { ...b, record: record({ restarts: 7 }) },
        c,
        d,
        stored("f"),
      ];
      assert.deepEqual(sandboxes, expected);
    });
    assert.deepEqual(readdirSync(path).sort(), ["lock.db", "vivarium.db"]);
  });

  test("notices by itself that it is back", async () => {
    using folder = new Folder();
    const path = folder.at("data");
    const clock = new FakeClock();
    const data = dataFolder(path, { clock });
    const seen = states(data);
    await data.open();
    await data.save(stored("a"));
    renameSync(path, folder.at("away"));
    await assert.rejects(data.saveRecord("a", failed));
    renameSync(folder.at("away"), path);
    await untilWell(data, clock);
    await data.close();
    assert.deepEqual(seen, ["degraded", "ok"]);
    await withFolder(path, (_, sandboxes) => assert.deepEqual(sandboxes, [stored("a", { record: failed })]));
  });

  test("is locked again where it was built again", async () => {
    using folder = new Folder();
    const path = folder.at("data");
    const data = dataFolder(path);
    await data.open();
    rmSync(path, { recursive: true });
    mkdirSync(path);
    await data.save(stored("a"));
    await assert.rejects(
      withFolder(path, () => {}),
      { code: "STORE_LOCKED" },
    );
    await data.close();
  });

  test("is not written over another database that is there instead", async () => {
    using folder = new Folder();
    const path = folder.at("data");
    const data = dataFolder(path);
    await data.open();
    await data.save(stored("a"));
    renameSync(path, folder.at("away"));
    await withFolder(path, (other) => other.save(stored("other")));
    await assert.rejects(data.save(stored("b")), { code: "STORE_FAILED", message: /removed or replaced/ });
    await data.close();
    await withFolder(path, (_, sandboxes) => assert.deepEqual(sandboxes, [stored("other")]));
    await withFolder(folder.at("away"), (_, sandboxes) => assert.deepEqual(sandboxes, [stored("a")]));
  });

  test("a database that was moved away alone is built again, and the log that it left is not taken for the new one's", async () => {
    using folder = new Folder();
    const data = dataFolder(folder.path);
    await data.open();
    await data.save(stored("a"));
    renameSync(folder.at("vivarium.db"), folder.at("moved.db"));
    await data.save(stored("b"));
    await data.close();
    await withFolder(folder.path, (_, sandboxes) => assert.deepEqual(sandboxes, [stored("a"), stored("b")]));
  });
});

suite("a writer thread that ends", () => {
  test("is started again, and what was acknowledged is there", async () => {
    using folder = new Folder();
    const data = dataFolder(folder.path);
    const seen = states(data);
    await data.open();
    await data.save(stored("a"));
    await endWriter(data);
    await data.saveRecord("a", failed);
    await until("the store is well again", () => data.status.state === "ok");
    const modules = { main: [...(stored("a").modules["main"] ?? []), version(2, "export const n = 2;")] };
    await data.save(stored("a", { modules }));
    await data.close();
    assert.deepEqual(seen, ["degraded", "ok"]);
    await withFolder(folder.path, (_, sandboxes) => assert.deepEqual(sandboxes, [stored("a", { modules })]));
  });

  test("rejects what was under way", async () => {
    using folder = new Folder();
    const data = dataFolder(folder.path, {
      writerUrl: new URL("../../../support/silent-writer.ts", import.meta.url),
    });
    const [opened, saved] = [data.open(), data.save(stored("a"))];
    const lost = { code: "STORE_FAILED", message: /its writer must be running: the thread ended/ };
    const rejected = Promise.all([assert.rejects(opened, lost), assert.rejects(saved, lost)]);
    await endWriter(data);
    await rejected;
    await data.close();
  });
});

test("a writer that does not answer is given up after the time of a request, and closing ends it", async () => {
  using folder = new Folder();
  const clock = new FakeClock();
  const data = dataFolder(folder.path, {
    clock,
    writerUrl: new URL("../../../support/silent-writer.ts", import.meta.url),
  });
  const saved = data.save(stored("a"));
  const late = new RegExp(`save\\(\\) must be done within ${storeMs} ms: it was not`);
  clock.advance(storeMs);
  await assert.rejects(saved, { code: "STORE_FAILED", message: late });
  const closed = data.close();
  clock.advance(storeMs);
  await assert.rejects(closed, { code: "STORE_FAILED", message: /the thread ended/ });
});

test("an artifact that is too much for what may wait is not stored, and nobody waits for it", async () => {
  using folder = new Folder();
  const data = dataFolder(folder.path, {
    writerUrl: new URL("../../../support/silent-writer.ts", import.meta.url),
  });
  const text = "x".repeat(2 ** 22);
  const settled: number[] = [];
  for (let number = 0; number < 9; number++)
    void data.artifacts.write(`k${number}`, text).then(() => settled.push(number));
  await data.artifacts.write("last", text);
  assert.deepEqual(settled, [7, 8]);
  await endWriter(data);
  await data.close();
});
