// What nobody expected ends a cell at once, and it says why before.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { suite, test } from "node:test";
import { inWords } from "../../../../src/execution/cell-host/fatal.ts";

const fatal = new URL("../../../../src/execution/cell-host/fatal.ts", import.meta.url).href;

suite("a fault that nobody catches", () => {
  for (const [what, code] of [
    ["a rejection", `Promise.reject(new TypeError("not as thought"));`],
    ["an exception in a callback", `setImmediate(() => { throw new TypeError("not as thought"); });`],
  ] as const) {
    test(`${what} ends the process by a signal, with one line on what it was`, () => {
      const program = `import { dieOfTheUnexpected } from ${JSON.stringify(fatal)};
        dieOfTheUnexpected();
        setInterval(() => {}, 1_000);
        ${code}`;
      const { signal, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
        encoding: "utf8",
        timeout: 60_000,
        killSignal: "SIGTERM",
      });
      assert.equal(signal, "SIGKILL", stderr);
      assert.match(stderr, /^Cannot go on: TypeError: not as thought at [^\n]+\n$/);
    });
  }
});

test("inWords says what happened and where in one line of bounded length", () => {
  assert.match(inWords(new RangeError("a\nb")), /^Cannot go on: RangeError: a b$/);
  assert.equal(inWords("why"), "Cannot go on: why");
  assert.equal(inWords(new Error("x".repeat(5_000))).length, 1_000);
});
