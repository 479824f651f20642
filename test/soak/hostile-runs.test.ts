// The short form of the long loop over hostile programs; the long one is `npm run soak:hostile`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loopHostile } from "./hostile-loop.ts";

const MiB = 2 ** 20;

test("some hundred hostile runs leave the host as it was, and its neighbour unharmed", async () => {
  const strays: unknown[] = [];
  const note = (error: unknown): unknown => strays.push(error);
  process.on("unhandledRejection", note);
  const report = await loopHostile({ runs: 200, seed: 1, atOnce: 10 });
  process.off("unhandledRejection", note);
  const { figures, unfitting, neighbourFailures, neighbourCalls, ends } = report;
  assert.deepEqual(unfitting, []);
  assert.deepEqual(neighbourFailures, []);
  assert.deepEqual(strays, []);
  assert.ok(neighbourCalls > 10);
  assert.ok(Object.keys(ends).length >= 4, `they ended in many ways: ${JSON.stringify(ends)}`);
  const first = figures[Math.floor(figures.length / 4)];
  const last = figures.at(-1);
  assert.ok(first !== undefined && last !== undefined && last !== first);
  assert.ok(last.rssBytes - first.rssBytes < 150 * MiB, `from ${first.rssBytes} to ${last.rssBytes} bytes`);
  // A cell that is just being replaced has some descriptors of its own.
  assert.ok(last.descriptors <= first.descriptors + 32, `${first.descriptors} to ${last.descriptors}`);
});
