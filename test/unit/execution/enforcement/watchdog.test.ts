// The main thread's side of the watchdog.
import assert from "node:assert/strict";
import { openSync } from "node:fs";
import { test } from "node:test";
import { Watchdog } from "../../../../src/execution/enforcement/watchdog.ts";

const rssBytesMax = 2 ** 30;

test("the memory of a cell is known before the first look at it", () => {
  const watchdog = new Watchdog();
  const slateFd = openSync("/dev/null", "r");
  assert.ok(watchdog.watch({ pid: process.pid, slateFd, rssBytesMax }).rssBytes() > 2 ** 20);
});

test("a process that is gone has no memory", () => {
  const watchdog = new Watchdog();
  const slateFd = openSync("/dev/null", "r");
  assert.equal(watchdog.watch({ pid: 2 ** 30, slateFd, rssBytesMax }).rssBytes(), 0);
});
