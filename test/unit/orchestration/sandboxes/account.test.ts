// What is counted of one sandbox, and who hears its console lines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Account } from "../../../../src/orchestration/sandboxes/account.ts";

test("an account keeps a console line and tells its listener, whatever that throws", async () => {
  const heard: string[] = [];
  const account = new Account(
    {
      limits: { logBytes: 1_000 },
      onLine: ({ text }): unknown => {
        heard.push(text);
        if (text === "one") throw new TypeError("a listener's own mistake");
        return Promise.reject(new TypeError("one that comes later"));
      },
    },
    0,
  );
  for (const text of ["one", "two"]) account.noteLine({ level: "log", text, at: 0 }, undefined);
  await new Promise(setImmediate);
  assert.deepEqual(heard, ["one", "two"]);
  assert.deepEqual(
    account.logs.toArray().map(({ text }) => text),
    heard,
  );
});
