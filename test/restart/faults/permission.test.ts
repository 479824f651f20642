// A folder that may not be written any longer, by its permissions or as its disk became read-only: a start is refused with the
// reason, a runtime goes on as far as it can, and all is well when it may be written again.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { afterEach, suite, test } from "node:test";
import { errorOf } from "../../support/errors.ts";
import { childrenOf } from "../../support/processes.ts";
import { assertDegraded, contentsOf, counter, next, open, plain, refusedStart, tagOf } from "./folders.ts";
import { ownDisk } from "./own-disk.ts";

const disk = await ownDisk(import.meta.url, 16 * 2 ** 20);
afterEach(() => disk.mount("writable"));

async function filled(name: string): Promise<string> {
  const path = disk.at(name);
  await using opened = await open(path);
  await opened.runtime.create("a", plain());
  await next(await opened.runtime.create("b", counter()));
  await opened.runtime.close();
  return path;
}
const contents = { a: "running revision 1 code 1", b: "running revision 1 code 1 count 1" };
const mayNot = /Cannot open the data folder ".*" as it must be .* that this process may read and write: /;

const used = await filled("used");

suite("a start", () => {
  const faults: Readonly<
    Record<string, readonly [lose: (path: string) => unknown, win: (path: string) => unknown]>
  > = {
    "in a folder that may not be written": [
      (path) => chmodSync(path, 0o500),
      (path) => chmodSync(path, 0o700),
    ],
    "in a folder that may not even be read": [(path) => chmodSync(path, 0), (path) => chmodSync(path, 0o700)],
    "with a database that may not be written": [
      (path) => chmodSync(`${path}/vivarium.db`, 0o400),
      (path) => chmodSync(`${path}/vivarium.db`, 0o600),
    ],
    "with a lock that may not be written": [
      (path) => chmodSync(`${path}/lock.db`, 0o400),
      (path) => chmodSync(`${path}/lock.db`, 0o600),
    ],
    "on a disk that is read-only": [() => disk.mount("read-only"), () => disk.mount("writable")],
  };
  for (const [name, [lose, win]] of Object.entries(faults))
    test(`${name} is refused before any cell is started, and finds everything once it may`, async () => {
      await lose(used);
      assert.match((await refusedStart(used)).message, mayNot);
      assert.deepEqual(childrenOf(process.pid), []);
      await win(used);
      assert.deepEqual(await contentsOf(used), contents);
    });

  test("in a new folder where none may be made is refused", async () => {
    mkdirSync(disk.at("closed"), { mode: 0o500 });
    assert.match((await refusedStart(disk.at("closed/run"))).message, mayNot);
    assert.deepEqual(childrenOf(process.pid), []);
  });
});

suite("a runtime", () => {
  test("goes on in a folder that may not be written any longer, as its files are open, and ends well", async () => {
    const path = await filled("kept");
    await using opened = await open(path);
    const { runtime, told } = opened;
    for (const name of ["vivarium.db", "vivarium.db-wal", "lock.db", "owner.json"])
      chmodSync(`${path}/${name}`, 0o400);
    chmodSync(path, 0o500);
    assert.equal(await next(await runtime.get("b")), 2);
    await runtime.create("c", plain());
    await runtime.close();
    assert.deepEqual(told, []);
    chmodSync(path, 0o700);
    for (const name of readdirSync(path)) chmodSync(`${path}/${name}`, 0o600);
    const found = { ...contents, b: "running revision 1 code 1 count 2", c: "running revision 1 code 1" };
    assert.deepEqual(await contentsOf(path), found);
  });

  test("whose folder was made anew, but may not be written, is told so and has everything once it may", async () => {
    const path = await filled("anew");
    await using opened = await open(path);
    const { runtime, told } = opened;
    rmSync(path, { recursive: true });
    mkdirSync(path, { mode: 0o500 });
    const denied = /unable to open database file|EACCES/;
    assert.match((await errorOf(() => runtime.create("c", plain()), "STORE_FAILED")).message, denied);
    await assertDegraded(opened, denied);
    assert.equal(await tagOf(await runtime.get("a")), 1);
    chmodSync(path, 0o700);
    await opened.restored();
    await runtime.create("d", plain());
    await runtime.close();
    assert.deepEqual(told, ["degraded", "restored"]);
    assert.deepEqual(await contentsOf(path), { ...contents, d: "running revision 1 code 1" });
  });
});
