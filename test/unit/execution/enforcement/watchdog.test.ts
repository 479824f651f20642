// The main thread's side of the watchdog.
import assert from "node:assert/strict";
import { closeSync, fstatSync, openSync } from "node:fs";
import { test } from "node:test";
import { Watchdog } from "../../../../src/execution/enforcement/watchdog.ts";
import { fulfilled } from "../../../support/waiting.ts";

const rssBytesMax = 2 ** 30;
const onLost = (): void => assert.fail("the thread is there");

test("the memory of a cell is known before the first look at it", () => {
  const watchdog = new Watchdog();
  const slateFd = openSync("/dev/null", "r");
  assert.ok(watchdog.watch({ pid: process.pid, slateFd, rssBytesMax, onLost }).rssBytes() > 2 ** 20);
});

test("a process that is gone has no memory", () => {
  const watchdog = new Watchdog();
  const slateFd = openSync("/dev/null", "r");
  assert.equal(watchdog.watch({ pid: 2 ** 30, slateFd, rssBytesMax, onLost }).rssBytes(), 0);
});

test("a slate belongs to the one who opened it, who learns when it is read no more", async () => {
  const watchdog = new Watchdog();
  await watchdog.open();
  const slateFd = openSync("/dev/zero", "r");
  const watch = watchdog.watch({ pid: process.pid, slateFd, rssBytesMax, onLost });
  await fulfilled("it is forgotten", new Promise<void>((resolve) => watch.end(resolve)));
  fstatSync(slateFd);
  const second = watchdog.watch({ pid: process.pid, slateFd, rssBytesMax, onLost });
  await watchdog.close();
  await fulfilled("there is no thread to read it", new Promise<void>((resolve) => second.end(resolve)));
  fstatSync(slateFd);
  closeSync(slateFd);
});

test("a thread that fails ends what it watched, and not the process; then there is another", async () => {
  const watchdog = new Watchdog();
  await watchdog.open();
  const closed = openSync("/dev/zero", "r");
  closeSync(closed);
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  const watch = watchdog.watch({ pid: process.pid, slateFd: closed, rssBytesMax, onLost: resolve });
  await fulfilled("it is lost", lost);
  await fulfilled("it is forgotten", new Promise<void>((done) => watch.end(done)));
  await watchdog.open();
  const slateFd = openSync("/dev/zero", "r");
  const next = watchdog.watch({ pid: process.pid, slateFd, rssBytesMax, onLost });
  await fulfilled("the next is forgotten", new Promise<void>((done) => next.end(done)));
  await watchdog.close();
  closeSync(slateFd);
});
