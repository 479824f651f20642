// The thread that starts children is ended without leaving anything open.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ThreadSpawner } from "../../../../src/jail/spawn/thread-spawner.ts";
import { systemClock } from "../../../../src/std/clock.ts";
import { openKernel } from "../../../../src/std/kernel.ts";
import { Folder } from "../../../support/folders.ts";
import { fulfilled, until } from "../../../support/waiting.ts";

const held = (): number =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(join("/proc/self/fd", fd)).includes("memfd:held");
    } catch {
      return false;
    }
  }).length;

test("a thread that is about to enter the jail closes what it has opened before it is ended", async (t) => {
  const kernel = openKernel();
  if (kernel === undefined) return t.skip("this Node cannot make system calls");
  using folder = new Folder();
  const spawner = new ThreadSpawner({
    clock: systemClock,
    kernel,
    programUrl: new URL("../../../support/slow-starter.ts", import.meta.url),
    data: { layers: [], paths: { read: [folder.path], execute: [], write: [] }, user: undefined },
  });
  const failed = new Promise<string>((resolve) => {
    const listener = { onBytes: () => {}, onFailure: resolve, onEnd: resolve };
    spawner.spawn({ command: process.execPath, args: ["--version"], env: {} }, listener);
  });
  await until("it has begun", () => existsSync(folder.at("begun")));
  assert.equal(held(), 1);
  const closed = spawner.close();
  folder.write({ "go-on": "" });
  await fulfilled("close", closed);
  assert.equal(held(), 0);
  assert.equal(await fulfilled("the child's end", failed), "the thread that starts processes ended");
});
