// A folder that is removed, or moved away, under a runtime: that is told, nothing is acknowledged that would be lost, and
// everything is there when a folder is.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { suite, test } from "node:test";
import { errorOf } from "../../support/errors.ts";
import { Folder } from "../../support/folders.ts";
import { failureOf } from "../../support/outcomes.ts";
import { childrenOf } from "../../support/processes.ts";
import { settled } from "../../support/waiting.ts";
import {
  assertDegraded,
  contentsOf,
  counter,
  look,
  next,
  open,
  plain,
  refusedStart,
  score,
  tagOf,
  type Opened,
} from "./folders.ts";

const gone = /the folder was removed or replaced/;

/** A runtime with three sandboxes: code, states and a score. */
async function started(path: string): Promise<Opened> {
  const opened = await open(path);
  const { runtime } = opened;
  await runtime.create("a", plain(1));
  await next(await runtime.create("b", counter(2)));
  await runtime.create("c", plain(3));
  await score(runtime, "a", 5);
  return opened;
}
const contents = {
  a: "running revision 1 code 1 score 5",
  b: "running revision 1 code 2 count 1",
  c: "running revision 1 code 3",
};

/** Everything that must be refused while the folder is away; all else works. */
async function workWithout(opened: Opened): Promise<void> {
  const { runtime } = opened;
  const [a, b, c] = [await runtime.get("a"), await runtime.get("b"), await runtime.get("c")];
  const refused = [
    () => runtime.create("d", plain(4)),
    () => a.hotReload(plain(9).modules ?? {}),
    () => a.suspend(),
    () => runtime.destroy("c"),
    () => runtime.documents.write("runs", new Map([["k", 1]])),
  ];
  for (const act of refused) assert.match((await errorOf(act, "STORE_FAILED")).message, gone);
  assert.match(failureOf(await b.ask("counter", "next")).message, gone);
  await assertDegraded(opened, gone);
  await score(runtime, "a", 6);
  assert.equal(await tagOf(a), 1);
  assert.equal((await c.info()).status, "stopped");
}

/** All of it succeeds once the folder is there; gives what must be found in the end. */
async function workAgain({ runtime }: Opened): Promise<Readonly<Record<string, string>>> {
  const [a, b] = [await runtime.get("a"), await runtime.get("b")];
  await b.restart();
  assert.equal(await look(b), 1);
  assert.equal(await next(b), 2);
  await a.hotReload(plain(9).modules ?? {});
  await runtime.destroy("c").catch(() => {});
  await runtime.create("d", plain(4));
  await runtime.documents.write("runs", new Map([["k", 2]]));
  return {
    a: "running revision 2 code 9 score 6",
    b: "running revision 1 code 2 count 2",
    d: "running revision 1 code 4",
  };
}

suite("a folder that is", () => {
  test("removed and made again has everything again, and is owned as before", async () => {
    using folder = new Folder();
    const path = folder.at("run");
    await using opened = await started(path);
    rmSync(path, { recursive: true });
    await workWithout(opened);
    mkdirSync(path);
    await opened.restored();
    await refusedStart(path, "STORE_LOCKED");
    const expected = await workAgain(opened);
    await opened.runtime.close();
    assert.deepEqual(opened.told, ["degraded", "restored"]);
    assert.deepEqual(await contentsOf(path), expected);
  });

  test("moved away and back is the same as before", async () => {
    using folder = new Folder();
    const path = folder.at("run");
    await using opened = await started(path);
    renameSync(path, folder.at("away"));
    await workWithout(opened);
    renameSync(folder.at("away"), path);
    await opened.restored();
    const expected = await workAgain(opened);
    await opened.runtime.close();
    assert.deepEqual(opened.told, ["degraded", "restored"]);
    assert.deepEqual(await contentsOf(path), expected);
  });

  test("away when the runtime is closed has what was acknowledged, and no more, where it was moved to", async () => {
    using folder = new Folder();
    const path = folder.at("run");
    await using opened = await started(path);
    renameSync(path, folder.at("away"));
    await errorOf(() => opened.runtime.create("d", plain()), "STORE_FAILED");
    const end = await settled("close", opened.runtime.close(), 20_000);
    // The journal could not be written to its end.
    assert.equal(end.status === "rejected" && (end.reason as { code: string }).code, "STORE_FAILED");
    assert.deepEqual(childrenOf(process.pid), []);
    assert.equal(existsSync(path), false);
    assert.deepEqual(await contentsOf(folder.at("away")), contents);
  });

  test("removed when the runtime is closed is not made again", async () => {
    using folder = new Folder();
    const path = folder.at("run");
    await using opened = await started(path);
    rmSync(path, { recursive: true });
    const end = await settled("close", opened.runtime.close(), 20_000);
    if (end.status === "rejected") assert.equal((end.reason as { code: string }).code, "STORE_FAILED");
    assert.deepEqual(childrenOf(process.pid), []);
    assert.equal(existsSync(path), false);
  });
});
