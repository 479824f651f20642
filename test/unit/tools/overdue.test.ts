// A test file that does not end is ended by the run, with what it has started.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { endOverdue } from "../../../tools/test/overdue.ts";
import { childrenOf, isAlive } from "../../support/processes.ts";
import { until } from "../../support/waiting.ts";

const limitMs = 60_000;
// Two that do not end: one starts the other, and says so.
const parent = `
  const { spawn } = require("node:child_process");
  const child = spawn("sleep", ["600"]);
  child.on("spawn", () => console.log("it runs"));
  setInterval(() => {}, 60_000);`;

test("a child that does not end in time is killed with those that it started, and named", async (t) => {
  const clock = new FakeClock();
  const told: string[] = [];
  using _ = endOverdue({ clock, limitMs, tell: (line) => told.push(line) });
  const child = spawn(process.execPath, ["-e", parent, "name-of-a-test"]);
  t.after(() => child.kill("SIGKILL"));
  const gone = once(child, "exit");
  await once(child.stdout, "data");
  const pid = child.pid ?? 0;
  const [started = 0] = childrenOf(pid);
  assert.ok(isAlive(started));
  // It is seen at the first look, five seconds after the start.
  clock.advance(limitMs);
  assert.deepEqual([told, isAlive(pid)], [[], true]);
  clock.advance(5_000);
  const [, signal] = (await gone) as [unknown, string];
  assert.equal(signal, "SIGKILL");
  assert.match(told.join(), /^✖ Ended, as it must end by itself within 1 minutes: .*name-of-a-test/s);
  await until("what it started is gone", () => !isAlive(started));
});
