// What a data folder has of the code of sandboxes that are gone: nothing, so that it does not grow with every sandbox.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, unwrap } from "../../src/index.ts";
import { openReading } from "../../src/store/folder/maintenance/open-reading.ts";
import { Folder } from "../support/folders.ts";

const cells = { count: 1, spare: 0, warm: 2 } as const;

test("a data folder has neither the sources nor the compiled modules of sandboxes that were destroyed", async () => {
  using folder = new Folder();
  const data = folder.at("run");
  {
    await using runtime = await createRuntime({ data, cells });
    const stays = await runtime.create("stays", { modules: { main: "export const f = () => 1;" } });
    unwrap(await stays.call("main.f"));
    for (const limits of [{}, { fuel: 1_000 }]) {
      const modules = { main: "import './other.ts'; export const f = () => 2;", "other.ts": "export {};" };
      await using sandbox = await runtime.create({ modules, limits });
      await sandbox.hotReload({ main: "export const f = () => 3;" });
    }
  }
  using database = openReading(data);
  const rowsOf = (table: string): unknown =>
    database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"];
  assert.deepEqual([rowsOf("versions"), rowsOf("artifacts"), rowsOf("blobs")], [1, 1, 2]);
});
