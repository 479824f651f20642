// Console lines are stored within their bound, whatever they are, and come back as they were.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import type { LogLine } from "../../../../src/index.ts";
import { Account } from "../../../../src/orchestration/sandboxes/account.ts";
import { LogStore } from "../../../../src/orchestration/sandboxes/log-store.ts";
import { RingBuffer } from "../../../../src/std/ring-buffer.ts";

const line: fc.Arbitrary<LogLine> = fc.record(
  {
    level: fc.constantFrom("debug", "log", "info", "warn", "error"),
    text: fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.constantFrom("", "x", "\ud800", "\udc00 and more", "y".repeat(1_000)),
    ),
    at: fc.oneof(fc.nat(), fc.double({ noNaN: true })),
  },
  { noNullPrototype: true },
);

test("LogStore has the newest lines within its bound, as they were written", () => {
  const action = fc.oneof(
    { weight: 30, arbitrary: fc.record({ line }) },
    { weight: 1, arbitrary: fc.record({ bound: fc.nat(5_000) }) },
  );
  fc.assert(
    fc.property(fc.nat(3_000), fc.array(action, { maxLength: 200 }), (bound, actions) => {
      const store = new LogStore(bound);
      const model = new RingBuffer<LogLine>(bound, ({ text }) => Buffer.byteLength(text) + 16);
      for (const act of actions) {
        for (const each of [store, model]) {
          if ("line" in act) each.push(act.line);
          else each.resize(act.bound);
        }
        assert.equal(store.weight, model.weight);
        assert.ok(store.allocatedBytes <= 2 * store.weight + 2_048, `${store.allocatedBytes} bytes`);
      }
      const lines = model.toArray();
      assert.deepEqual(store.toArray(), lines);
      for (const count of [0, 1, 7, 1_000])
        assert.deepEqual(store.last(count), count === 0 ? [] : lines.slice(-count));
    }),
  );
});

test("the lines of a sandbox take at most twice logBytes of the host's memory, however short they are", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const used = (): number => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const logBytes = 2 ** 20;
  const sandboxes = 10;
  const before = used();
  const accounts = Array.from({ length: sandboxes }, () => {
    const account = new Account({ limits: { logBytes } }, 0);
    // Each line comes from a report of its own, as its time does.
    for (let n = 0; n < logBytes / 8; n++)
      account.logs.push({ level: "log", text: String.fromCharCode(97 + (n % 26)), at: Date.now() + n });
    return account;
  });
  const each = (used() - before) / sandboxes;
  assert.ok(each <= 2 * logBytes, `${Math.round(each)} bytes for each sandbox`);
  assert.equal(accounts[0]?.logs.toArray().length, Math.floor(logBytes / 17));
});
