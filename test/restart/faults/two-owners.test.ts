// One runtime at a time owns a folder: a second one is refused with the name of the first, before any cell is started, and a
// killed one leaves no lock.
import assert from "node:assert/strict";
import { basename } from "node:path";
import { test } from "node:test";
import { startOwner } from "./owners.ts";
import { Folder } from "../../support/folders.ts";
import { childrenOf, isAlive } from "../../support/processes.ts";
import { until } from "../../support/waiting.ts";
import { contentsOf, next, open, plain, refusedStart, tagOf } from "./folders.ts";

test("a second runtime of the same process is refused, and the first one goes on", async () => {
  using folder = new Folder();
  await using first = await open(folder.path);
  const a = await first.runtime.create("a", plain());
  const before = childrenOf(process.pid);
  const { message } = await refusedStart(folder.path, "STORE_LOCKED");
  const owner = `${JSON.stringify(basename(process.argv[1] ?? ""))} \\(pid ${process.pid} on ".*"\\)`;
  assert.match(
    message,
    new RegExp(`^Cannot open the data folder ".*" as one runtime at a time may own it: ${owner} does$`),
  );
  assert.deepEqual(childrenOf(process.pid), before);
  assert.equal(await tagOf(a), 1);
  await first.runtime.create("b", plain(2));
  await first.runtime.close();
  assert.deepEqual(Object.keys(await contentsOf(folder.path)), ["a", "b"]);
});

test("a runtime in another process has the folder alone, until it is killed", async () => {
  using folder = new Folder();
  await using owner = await startOwner(folder.path);
  const { message } = await refusedStart(folder.path, "STORE_LOCKED");
  assert.match(message, new RegExp(`may own it: "owner-program.ts" \\(pid ${owner.pid} on ".*"\\) does$`));
  assert.deepEqual(childrenOf(process.pid), [owner.pid]);
  const cells = childrenOf(owner.pid);
  assert.notDeepEqual(cells, []);
  await owner.kill();
  await using opened = await open(folder.path);
  assert.equal(await next(await opened.runtime.get("counter")), 2);
  await until("its cells are gone", () => cells.every((pid) => !isAlive(pid)));
  await opened.runtime.close();
});

test("of several that open a folder at the same moment exactly one has it", async () => {
  using folder = new Folder();
  const starts = await Promise.allSettled(Array.from({ length: 4 }, () => open(folder.path)));
  const won = starts.filter((start) => start.status === "fulfilled");
  try {
    const codes = starts.flatMap((start) =>
      start.status === "rejected" ? [(start.reason as { code: string }).code] : [],
    );
    assert.deepEqual([won.length, codes], [1, ["STORE_LOCKED", "STORE_LOCKED", "STORE_LOCKED"]]);
    await won[0]?.value.runtime.create("a", plain());
  } finally {
    for (const { value } of won) await value.runtime.close();
  }
  assert.deepEqual(Object.keys(await contentsOf(folder.path)), ["a"]);
});
