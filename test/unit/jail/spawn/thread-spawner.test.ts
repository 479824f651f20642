// The thread that starts children is ended without leaving anything open, and within a bound.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { suite, test, type TestContext } from "node:test";
import { programUrl } from "../../../../src/execution/programs.ts";
import { ThreadSpawner } from "../../../../src/jail/spawn/thread-spawner.ts";
import { openKernel } from "../../../../src/std/kernel.ts";
import { FakeClock } from "../../../../src/testing/index.ts";
import { Folder } from "../../../support/folders.ts";
import { fulfilled, until } from "../../../support/waiting.ts";

const slowStarter = new URL("../../../support/slow-starter.ts", import.meta.url);
const ended = "the thread that starts processes ended";

/** Descriptors of the slow thread that are open. */
const held = (): number =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(join("/proc/self/fd", fd)).includes("memfd:held");
    } catch {
      return false;
    }
  }).length;

interface Starting {
  readonly clock: FakeClock;
  readonly spawner: ThreadSpawner;
  /** Why the child that it was to start failed, or how that ended. */
  readonly failed: Promise<string>;
}

/** Asks a thread with this program to start a child. */
function startWith(
  url: URL,
  { context, folder }: { context: TestContext; folder: Folder },
): Starting | undefined {
  const kernel = openKernel();
  if (kernel === undefined) {
    context.skip("this Node cannot make system calls");
    return undefined;
  }
  const clock = new FakeClock();
  const data = { layers: [], paths: { read: [folder.path], execute: [], write: [] }, user: undefined };
  const spawner = new ThreadSpawner({ clock, kernel, programUrl: url, data });
  const failed = new Promise<string>((resolve) => {
    const listener = { onBytes: () => {}, onFailure: resolve, onEnd: resolve };
    spawner.spawn({ command: process.execPath, args: ["--version"], env: {} }, listener);
  });
  return { clock, spawner, failed };
}

suite("a thread that starts children", () => {
  test("closes what it has opened before it is ended", async (context) => {
    using folder = new Folder();
    const starting = startWith(slowStarter, { context, folder });
    if (starting === undefined) return;
    await until("it has begun", () => existsSync(folder.at("begun")));
    assert.equal(held(), 1);
    const closed = starting.spawner.close();
    folder.write({ "go-on": "" });
    await fulfilled("close", closed);
    assert.equal(held(), 0);
    assert.equal(await fulfilled("the child's end", starting.failed), ended);
    assert.equal(starting.clock.pending, 0);
  });

  test("is ended all the same when it does not get into the jail in five seconds", async (context) => {
    using folder = new Folder();
    const starting = startWith(slowStarter, { context, folder });
    if (starting === undefined) return;
    await until("it has begun", () => existsSync(folder.at("begun")));
    const closed = starting.spawner.close();
    starting.clock.advance(5_000);
    await fulfilled("close", closed);
    assert.equal(await fulfilled("the child's end", starting.failed), ended);
  });

  test("is ended at once when it is in the jail", async (context) => {
    using folder = new Folder();
    const starting = startWith(programUrl("starter"), { context, folder });
    if (starting === undefined) return;
    // The clock stands still: only what it says itself can end the wait.
    await fulfilled("close", starting.spawner.close());
    assert.equal(starting.clock.pending, 0);
    await fulfilled("the child's end", starting.failed);
  });
});
