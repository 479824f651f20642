// A data folder is a store: it has what was acknowledged, writes only what changed, and many requests are few transactions.
import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { programUrl } from "../../../../src/execution/programs.ts";
import { storeSuite } from "../../../../src/testing/index.ts";
import { capture, dataFolder, record, stored, version, withFolder } from "../../../support/data-folders.ts";
import { Folder } from "../../../support/folders.ts";
import { startProcess } from "../../../support/data-folder-processes.ts";

const suiteFolder = new Folder();
let suiteFolders = 0;
after(() => suiteFolder[Symbol.dispose]());
for (const { name, run } of storeSuite(() => {
  const path = suiteFolder.at(`data-${++suiteFolders}`);
  return Promise.resolve(() => dataFolder(path));
}))
  test(`DataFolder: ${name}`, run);

suite("a data folder", () => {
  test("gives back all of a sandbox, with the order of its modules", async () => {
    using folder = new Folder();
    const whole = stored("a", {
      modules: {
        z: [
          version(1, "export {};"),
          version(3, "export const n = 3;\0é\u{1f600}", { mutation: { deep: [1] } }),
        ],
        b: [version(1, "")],
        ["__proto__"]: [version(1, "export const p = 1;")],
      },
      revisions: [
        { revision: 1, heads: { z: 1, b: 1, ["__proto__"]: 1 } },
        { revision: 2, heads: { z: 3, b: 1, ["__proto__"]: 1 } },
      ],
      profile: "low",
      deterministic: { seed: 1, now: 2 },
      labels: { kind: "x" },
      processes: { supervisor: "z", checkpoint: "message" },
      restart: { on: ["crashed"], max: 1, windowMs: 10 },
      capabilities: { charge: { calls: 1, bytes: 2, concurrent: 3 } },
      state: capture("1"),
      record: record({
        status: "failed",
        reason: "why",
        blameless: true,
        restarts: 3,
        lastError: { code: "X", message: "m", diagnostics: [] },
      }),
    });
    const none = stored("b", { state: null });
    await withFolder(folder.path, async (data) => {
      await data.save(whole);
      await data.save(none);
    });
    await withFolder(folder.path, (data, sandboxes) => {
      assert.deepEqual(sandboxes, [whole, none]);
      assert.deepEqual(Object.keys(sandboxes[0]?.modules ?? {}), ["z", "b", "__proto__"]);
      assert.deepEqual(data.damaged, []);
    });
  });

  test("a number that is used again for another source has the new source, and a version that is gone is gone", async () => {
    using folder = new Folder();
    const modules = (...sources: string[]): { main: ReturnType<typeof version>[] } => ({
      main: sources.map((source, index) => version(index + 1, source)),
    });
    await withFolder(folder.path, async (data) => {
      await data.save(stored("a", { modules: modules("export const n = 1;", "bad") }));
      await data.save(stored("a", { modules: modules("export const n = 1;") }));
      // Not one after the other: each request must be right whatever becomes of the one before.
      await Promise.all([
        data.save(stored("a", { modules: modules("export const n = 1;", "good") })),
        data.save(stored("a", { modules: modules("export const n = 1;") })),
        data.save(stored("a", { modules: modules("export const n = 1;", "good", "more") })),
        data.remove("a"),
        data.save(stored("a", { modules: modules("export const n = 1;", "better") })),
      ]);
    });
    await withFolder(folder.path, (_, [sandbox]) =>
      assert.deepEqual(sandbox?.modules, modules("export const n = 1;", "better")),
    );
  });

  test("many requests at once are far fewer transactions", async () => {
    using folder = new Folder();
    await withFolder(folder.path, async (data) => {
      const ids = Array.from({ length: 500 }, (_, index) => `s${index}`);
      await Promise.all(ids.map((id) => data.save(stored(id))));
      await Promise.all(ids.map((id) => data.saveState(id, capture(id))));
      assert.ok(data.transactions <= 20, `${data.transactions} transactions`);
    });
    await withFolder(folder.path, (_, sandboxes) => {
      assert.equal(sandboxes.length, 500);
      for (const { id, state } of sandboxes) assert.deepEqual(state, capture(id));
    });
  });

  test("one that is larger than a page is read whole, in order", async () => {
    using folder = new Folder();
    const large = "x".repeat(300_000);
    const ids = Array.from({ length: 1_203 }, (_, index) => `s${index}`);
    await withFolder(folder.path, async (data) => {
      await Promise.all(
        ids.map((id, index) =>
          data.save(stored(id, index % 40 === 0 ? { modules: { main: [version(1, `${large}${id}`)] } } : {})),
        ),
      );
      for (const id of ids.slice(0, 1_201))
        void data.remove(`gone-${id}`, { info: { id } as never, logs: [] }); // Any data.
    });
    await withFolder(folder.path, async (data, sandboxes) => {
      assert.deepEqual(
        sandboxes.map(({ id }) => id),
        ids,
      );
      const tombstones = await data.tombstones();
      assert.deepEqual(
        tombstones.map(({ info }) => info.id),
        ids.slice(0, 1_201),
      );
    });
  });

  test("has the newest tombstones up to its bound", async () => {
    using folder = new Folder();
    const data = dataFolder(folder.path, { tombstonesMax: 3 });
    await data.open();
    for (let number = 1; number <= 150; number++)
      void data.remove(`s${number}`, { info: { id: `s${number}` } as never, logs: [] }); // Any data.
    const ids = async (): Promise<string[]> => (await data.tombstones()).map(({ info }) => info.id);
    assert.deepEqual(await ids(), ["s148", "s149", "s150"]);
    await data.close();
  });

  test("flush() resolves when what was sent before is committed", async () => {
    using folder = new Folder();
    await withFolder(folder.path, async (data) => {
      const settled: string[] = [];
      void data.save(stored("a")).then(() => settled.push("save"));
      void data.artifacts.write("aa.ts", "text").then(() => settled.push("artifact"));
      await data.flush();
      assert.deepEqual(settled.sort(), ["artifact", "save"]);
    });
  });

  test("after close() every request is refused, and closing again is no mistake", async () => {
    using folder = new Folder();
    const data = dataFolder(folder.path);
    await data.open();
    await data.close();
    await data.close();
    await assert.rejects(data.save(stored("a")), { code: "STORE_FAILED", message: /must be open/ });
    await assert.rejects(data.open(), { code: "STORE_FAILED" });
    assert.equal(await data.artifacts.read("k"), undefined);
    await data.artifacts.write("k", "text");
    await data.flush();
  });

  test("one that was never opened closes at once", async () => {
    using folder = new Folder();
    await dataFolder(folder.at("never")).close();
  });

  test("an artifact is read as it was written, also after it was replaced; what nobody wrote is undefined", async () => {
    using folder = new Folder();
    await withFolder(folder.path, async (data) => {
      const { artifacts } = data;
      // Those of sources that no version has may be dropped at any time.
      await data.save(stored("a"));
      const key = `${stored("a").modules["main"]?.[0]?.checksum}.ts`;
      await artifacts.write(key, "one");
      await artifacts.write(key, "two");
      assert.equal(await artifacts.read(key), "two");
      assert.equal(await artifacts.read("b.ts"), undefined);
    });
  });

  test("with durability power it is the same to its user", async () => {
    using folder = new Folder();
    const data = dataFolder(folder.path, { durability: "power" });
    await data.open();
    await data.save(stored("a"));
    await data.close();
    await withFolder(folder.path, (_, sandboxes) => assert.deepEqual(sandboxes, [stored("a")]));
  });

  test("lets its process end while nothing is pending, and no sooner", async () => {
    using folder = new Folder();
    // It neither closes the folder nor ends by itself, and what was sent last is only waited for by the writer.
    const { code } = await startProcess(folder.path, "idle").ended;
    assert.equal(code, 0);
    await withFolder(folder.path, (_, sandboxes) =>
      assert.deepEqual(
        sandboxes.map(({ id }) => id),
        ["a", "b"],
      ),
    );
  });

  test("the built program of the writer serves it", async () => {
    using folder = new Folder();
    const data = dataFolder(folder.path, { writerUrl: programUrl("store-writer") });
    assert.deepEqual(await data.open(), []);
    await data.save(stored("a"));
    await data.close();
  });
});
