// One runtime at a time owns a data folder, and a process that was killed is no obstacle.
import assert from "node:assert/strict";
import { hostname } from "node:os";
import { suite, test } from "node:test";
import { capture, dataFolder, stored, withFolder } from "../../../support/data-folders.ts";
import { startProcess } from "../../../support/data-folder-processes.ts";
import { Folder } from "../../../support/folders.ts";
import { fulfilled } from "../../../support/waiting.ts";

suite("a data folder that is open", () => {
  test("is refused to another runtime of this process, with the owner's name, until it is closed", async () => {
    using folder = new Folder();
    const first = dataFolder(folder.path, { owner: "one.js" });
    await first.open();
    const second = dataFolder(folder.path);
    const message = `Cannot open the data folder "${folder.path}" as one runtime at a time may own it: "one.js" (pid ${process.pid} on "${hostname()}") does`;
    await assert.rejects(second.open(), { code: "STORE_LOCKED", message });
    await first.save(stored("a"));
    await first.close();
    assert.deepEqual(await second.open(), [stored("a")]);
    await second.close();
  });

  test("is refused to another process, with the owner's pid", async () => {
    using folder = new Folder();
    const { child, lines, ended } = startProcess(folder.path, "hold");
    await fulfilled("the other process opens it", lines.next());
    const refused = dataFolder(folder.path);
    const message = new RegExp(`"server\\.js" \\(pid ${child.pid} on `);
    await assert.rejects(refused.open(), { code: "STORE_LOCKED", message });
    await refused.close();
    child.kill("SIGKILL");
    await ended;
    await withFolder(folder.path, (_, sandboxes) => assert.deepEqual(sandboxes, []));
  });
});

test("everything that a killed process has acknowledged is there when the folder is opened again", async () => {
  using folder = new Folder();
  for (const count of [1, 40, 200]) {
    const path = folder.at(`data-${count}`);
    const { child, lines, ended } = startProcess(path, "write");
    let last = -1;
    for await (const line of lines) {
      last = Number(line);
      if (last === count) child.kill("SIGKILL");
    }
    assert.equal((await ended).signal, "SIGKILL");
    await withFolder(path, async (data, sandboxes) => {
      assert.deepEqual(data.damaged, []);
      const ids = sandboxes.map(({ id }) => id);
      // The one after the last may have been on its way.
      assert.ok(ids.length >= last + 1 && ids.length <= last + 2, `${ids.length} sandboxes after ${last}`);
      for (let number = 0; number <= last; number++) {
        const sandbox = sandboxes[number];
        assert.deepEqual(sandbox, stored(`s${number}`, { state: capture(String(number)) }));
      }
      const [row] = await data.documents.read("log");
      assert.ok(Number(row?.[1]) >= last);
    });
  }
});
