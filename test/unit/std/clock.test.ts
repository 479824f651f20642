// Repeated calls continue until they are cancelled, and the system's clock behaves as promised.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { every, systemClock } from "../../../src/std/clock.ts";
import { FakeClock } from "../../../src/testing/index.ts";

const run = promisify(execFile);

test("every() acts once per interval until it is cancelled", () => {
  const clock = new FakeClock();
  const times: number[] = [];
  const timer = every(clock, 10, () => times.push(clock.monotonic()));
  clock.advance(35);
  assert.deepEqual(times, [10, 20, 30]);
  timer.cancel();
  timer.cancel();
  clock.advance(100);
  assert.deepEqual(times, [10, 20, 30]);
  assert.equal(clock.pending, 0);
});

test("every() stops when it is cancelled from within", () => {
  const clock = new FakeClock();
  let count = 0;
  const timer = every(clock, 10, () => {
    if (++count === 2) timer.cancel();
  });
  clock.advance(100);
  assert.equal(count, 2);
  assert.equal(clock.pending, 0);
});

test("every() goes on after a turn that threw", () => {
  const clock = new FakeClock();
  let count = 0;
  const timer = every(clock, 10, () => {
    count++;
    throw new RangeError("once");
  });
  assert.throws(() => clock.advance(10), RangeError);
  assert.throws(() => clock.advance(10), RangeError);
  assert.equal(count, 2);
  timer.cancel();
});

test("the system's monotonic clock never goes back and is the same in all processes of the machine", () => {
  let last = systemClock.monotonic();
  for (let i = 0; i < 1_000; i++) {
    const now = systemClock.monotonic();
    assert.ok(now >= last);
    last = now;
  }
  const machineMs = Number(process.hrtime.bigint()) / 1e6;
  assert.ok(Math.abs(machineMs - systemClock.monotonic()) < 1_000);
});

test("the system's clock calls back once after the delay, and not when it was cancelled", async () => {
  let isCancelledCalled = false;
  systemClock.after(1, () => (isCancelledCalled = true)).cancel();
  const startedMs = systemClock.monotonic();
  await new Promise<void>((resolve) => systemClock.after(20, resolve));
  assert.ok(systemClock.monotonic() - startedMs >= 18);
  assert.equal(isCancelledCalled, false);
});

test("the system's clock does not fire at once for a delay longer than a timer can hold", () => {
  const yearMs = 365 * 86_400_000;
  const { promise, resolve } = Promise.withResolvers<string>();
  const timer = systemClock.after(yearMs, () => resolve("fired"));
  return Promise.race([promise, new Promise((done) => setImmediate(done, "waits"))]).then((which) => {
    timer.cancel();
    assert.equal(which, "waits");
  });
});

test("the monotonic clock is that of the machine, also where its module is the first to look at a clock", async () => {
  const program = `
    const { systemClock } = await import(${JSON.stringify(new URL("../../../src/std/clock.ts", import.meta.url).href)});
    const apartMs = () => {
      const beforeMs = systemClock.monotonic();
      const [seconds, nanoseconds] = process.hrtime();
      return Math.abs((beforeMs + systemClock.monotonic()) / 2 - (seconds * 1e3 + nanoseconds / 1e6));
    };
    console.log(Math.min(...Array.from({ length: 50 }, apartMs)));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program]);
  assert.ok(Number(stdout) < 0.5, `${stdout.trim()} ms apart`);
});
