// A disk without room: what cannot be stored is refused and said, all else goes on, and writing goes on when there is room.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { afterEach, suite, test } from "node:test";
import { errorOf } from "../../support/errors.ts";
import { Folder } from "../../support/folders.ts";
import { failureOf } from "../../support/outcomes.ts";
import { until } from "../../support/waiting.ts";
import {
  assertDegraded,
  contentsOf,
  counter,
  look,
  next,
  open,
  plain,
  score,
  seenIn,
  sql,
  tagOf,
} from "./folders.ts";
import { ownDisk } from "./own-disk.ts";

const disk = await ownDisk(import.meta.url, 8 * 2 ** 20);
afterEach(() => disk.free());
const full = /database or disk is full/;

/** A copy elsewhere, made by another process, as this one has locks on the files. */
function copyOf(path: string): Folder {
  const folder = new Folder();
  execFileSync("cp", ["-r", `${path}/.`, folder.path]);
  return folder;
}

suite("on a full disk", () => {
  test("create() is refused and leaves nothing, and succeeds once there is room", async () => {
    const path = disk.at("create");
    await using opened = await open(path);
    const { runtime, told } = opened;
    const a = await runtime.create("a", plain(1));
    disk.fill();
    for (const [id, spec] of [
      ["b", plain(2)],
      ["c", counter(2)],
      ["d", plain(2)],
    ] as const)
      assert.match((await errorOf(() => runtime.create(id, spec), "STORE_FAILED")).message, full);
    await assertDegraded(opened, full);
    assert.deepEqual(Object.keys(await seenIn(runtime)), ["a"]);
    assert.equal(await tagOf(a), 1);
    disk.free();
    await opened.restored();
    await runtime.create("b", plain(3));
    assert.equal(await next(await runtime.create("c", counter(3))), 1);
    await runtime.close();
    assert.deepEqual(told, ["degraded", "restored"]);
    assert.deepEqual(await contentsOf(path), {
      a: "running revision 1 code 1",
      b: "running revision 1 code 3",
      c: "running revision 1 code 3 count 1",
    });
  });

  test("hotReload() is refused, and the old code runs on and is what a restart finds", async () => {
    const path = disk.at("reload");
    await using opened = await open(path);
    const { runtime } = opened;
    const [a, b] = [await runtime.create("a", plain(1)), await runtime.create("b", counter(1))];
    await next(b);
    disk.fill();
    for (const [sandbox, { modules = {} }] of [
      [a, plain(2)],
      [b, counter(2)],
    ] as const)
      assert.match((await errorOf(() => sandbox.hotReload(modules), "STORE_FAILED")).message, full);
    assert.deepEqual([await tagOf(a), await tagOf(b)], [1, 1]);
    assert.deepEqual([(await a.info()).revision, (await b.info()).revision], [1, 1]);
    // As a process that is killed now would leave it.
    using copy = copyOf(path);
    disk.free();
    const old = { a: "running revision 1 code 1", b: "running revision 1 code 1 count 1" };
    assert.deepEqual(await contentsOf(copy.path), old);
    await opened.restored();
    await a.hotReload(plain(3).modules ?? {});
    assert.equal(await tagOf(a), 3);
    await runtime.close();
    assert.deepEqual(await contentsOf(path), { ...old, a: "running revision 2 code 3" });
  });

  test("suspend(), resume() and updateLimits() are refused and change nothing", async () => {
    const path = disk.at("moves");
    await using opened = await open(path);
    const { runtime } = opened;
    const [a, b] = [await runtime.create("a", plain(1)), await runtime.create("b", plain(1))];
    await b.suspend();
    const before = (await a.info()).limits;
    disk.fill();
    for (const act of [() => a.suspend(), () => b.resume(), () => a.updateLimits({ timeoutMs: 77 })])
      assert.match((await errorOf(act, "STORE_FAILED")).message, full);
    assert.deepEqual([(await a.info()).status, (await b.info()).status], ["running", "suspended"]);
    assert.deepEqual((await a.info()).limits, before);
    assert.equal(await tagOf(a), 1);
    disk.free();
    await opened.restored();
    await b.resume();
    assert.equal(await tagOf(b), 1);
    await a.suspend();
    await runtime.close();
    const expected = { a: "suspended revision 1 code 1", b: "running revision 1 code 1" };
    assert.deepEqual(await contentsOf(path), expected);
  });

  test("a message whose states cannot be stored fails its sandbox with the reason, and restart() brings back what was stored", async () => {
    const path = disk.at("messages");
    await using opened = await open(path);
    const { runtime } = opened;
    const [a, b, c] = [
      await runtime.create("a", counter()),
      await runtime.create("b", counter()),
      await runtime.create("c", plain()),
    ];
    for (const sandbox of [a, a, b]) await next(sandbox);
    disk.fill();
    for (const sandbox of [a, b]) {
      assert.match(failureOf(await sandbox.ask("counter", "next")).message, full);
      const { status, reason } = await sandbox.info();
      assert.equal(status, "failed");
      assert.match(reason ?? "", /the states of its processes could not be stored.* disk is full/);
    }
    assert.match((await errorOf(() => a.restart(), "STORE_FAILED")).message, full);
    assert.equal(await tagOf(c), 1);
    disk.free();
    await opened.restored();
    // Nobody waited for this.
    await until(
      "the failure is stored",
      () => sql(path, "SELECT reason FROM sandboxes WHERE id = 'b'")[0]?.["reason"] !== null,
    );
    if ((await a.info()).status === "failed") await a.restart();
    assert.equal(await look(a), 2);
    assert.equal(await next(a), 3);
    await runtime.close();
    const found = { a: "running revision 1 code 1 count 3", b: "failed revision 1 code 1 count 1" };
    assert.deepEqual(await contentsOf(path), { ...found, c: "running revision 1 code 1" });
  });

  test("destroy() is refused but ends the sandbox; its removal is tried again by destroy() and by itself", async () => {
    const path = disk.at("destroy");
    await using opened = await open(path);
    const { runtime } = opened;
    for (const id of ["a", "b", "c", "d"]) await runtime.create(id, plain());
    disk.fill();
    for (const id of ["a", "b", "c"])
      assert.match((await errorOf(() => runtime.destroy(id), "STORE_FAILED")).message, full);
    assert.match((await errorOf(() => runtime.destroy("a"), "STORE_FAILED")).message, full);
    assert.deepEqual(
      (await runtime.list()).map(({ id }) => id),
      ["d"],
    );
    disk.free();
    await runtime.destroy("a");
    await runtime.create("c", plain(2));
    const ids = (): unknown => sql(path, "SELECT id FROM sandboxes ORDER BY id").map(({ id }) => id);
    await until("its removal is tried again", () => String(ids()) === "c,d");
    await runtime.close();
    assert.deepEqual(Object.keys(await contentsOf(path)).sort(), ["c", "d"]);
    await using again = await open(path);
    assert.deepEqual(
      [(await again.runtime.info("a")).status, (await again.runtime.info("b")).status],
      ["stopped", "stopped"],
    );
  });

  test("what was destroyed and could not be removed is removed at the end, where there is room by then", async () => {
    const path = disk.at("last");
    await using opened = await open(path);
    const { runtime } = opened;
    for (const id of ["a", "b"]) await runtime.create(id, plain());
    disk.fill();
    await errorOf(() => runtime.destroy("a"), "STORE_FAILED");
    disk.free();
    await runtime.close();
    assert.deepEqual(Object.keys(await contentsOf(path)), ["b"]);
  });

  test("evaluations go on, and their scores are stored once there is room", async () => {
    const path = disk.at("scores");
    await using opened = await open(path);
    const { runtime } = opened;
    for (const id of ["a", "b"]) await runtime.create(id, plain());
    await score(runtime, "a", 1);
    disk.fill();
    for (const id of ["a", "b"]) await score(runtime, id, 2);
    await score(runtime, "b", 3);
    await errorOf(() => runtime.documents.write("runs", new Map([["k", 1]])), "STORE_FAILED");
    assert.deepEqual(await runtime.documents.read("runs"), []);
    disk.free();
    await opened.restored();
    const scores = (): string =>
      sql(path, "SELECT fitness ->> 'score' AS score FROM sandboxes ORDER BY id")
        .map((row) => row["score"])
        .join();
    await until("the scores are stored", () => scores() === "2,3");
    await runtime.documents.write("runs", new Map([["k", 2]]));
    await runtime.close();
    const expected = { a: "running revision 1 code 1 score 2", b: "running revision 1 code 1 score 3" };
    assert.deepEqual(await contentsOf(path), expected);
  });
});
