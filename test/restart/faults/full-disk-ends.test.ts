// A disk without room at the start and at the end of a runtime: both are said, nothing is left running, and nothing that was
// acknowledged is lost.
import assert from "node:assert/strict";
import { afterEach, suite, test } from "node:test";
import { errorOf } from "../../support/errors.ts";
import { childrenOf } from "../../support/processes.ts";
import { settled } from "../../support/waiting.ts";
import { contentsOf, counter, next, open, plain, refusedStart } from "./folders.ts";
import { ownDisk } from "./own-disk.ts";

const disk = await ownDisk(import.meta.url, 8 * 2 ** 20);
afterEach(() => disk.free());

suite("a full disk", () => {
  test("refuses a start, in a new folder and in one that was used, before any cell is started", async () => {
    const path = disk.at("start");
    await using opened = await open(path);
    await next(await opened.runtime.create("a", counter()));
    await opened.runtime.close();
    disk.fill();
    for (const place of [path, disk.at("new")]) {
      const { message } = await refusedStart(place);
      assert.match(message, /Cannot open the data folder ".*" as the disk must have room: /);
      assert.deepEqual(childrenOf(process.pid), []);
    }
    disk.free();
    assert.deepEqual(await contentsOf(path), { a: "running revision 1 code 1 count 1" });
    assert.deepEqual(await contentsOf(disk.at("new")), {});
  });

  test("does not hold up close(), which says what could not be written", async () => {
    const path = disk.at("end");
    await using opened = await open(path);
    const { runtime } = opened;
    await next(await runtime.create("a", counter()));
    disk.fill();
    await errorOf(() => runtime.create("b", plain()), "STORE_FAILED");
    const end = await settled("close", runtime.close(), 20_000);
    assert.equal(end.status, "rejected");
    const { code, message } = end.reason as { code: string; message: string };
    assert.equal(code, "STORE_FAILED");
    assert.match(message, /Cannot save the audit log and the journal: .* disk is full/);
    assert.deepEqual(childrenOf(process.pid), []);
    disk.free();
    assert.deepEqual(await contentsOf(path), { a: "running revision 1 code 1 count 1" });
  });
});
