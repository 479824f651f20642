// What is left of a program that used a runtime: nothing, and it ends by itself once the runtime is closed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { suite, test } from "node:test";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { isAlive, leftFiles } from "../support/processes.ts";
import { fulfilled, until } from "../support/waiting.ts";

const program = fileURLToPath(new URL("guest-of-a-day.ts", import.meta.url));

interface Said {
  readonly sum: number;
  /** Its children before it ended, in whatever way. */
  readonly pids: readonly number[];
  readonly children: readonly number[];
  readonly slates: readonly string[];
  readonly files: readonly string[];
}

async function runToItsEnd(end: string): Promise<{ code: number | null; signal: string | null; said: Said }> {
  const child = spawn(process.execPath, [program, end], { stdio: ["ignore", "pipe", "ignore"] });
  const exit = once(child, "exit") as Promise<[number | null, string | null]>;
  const [[code, signal], output] = await fulfilled(
    "its end",
    Promise.all([exit, text(child.stdout)]),
    20_000,
  );
  return { code, signal, said: JSON.parse(output) as Said };
}

suite("a program with fifty sandboxes", () => {
  test("that closes its runtime has no child, file or descriptor left, and ends by itself", async () => {
    const before = new Set(leftFiles());
    const { code, said } = await runToItsEnd("close");
    assert.equal(code, 0);
    assert.equal(said.sum, (49 * 50) / 2);
    assert.ok(said.pids.length >= 3);
    assert.deepEqual(said.children, []);
    assert.deepEqual(said.slates, []);
    assert.deepEqual(
      said.files.filter((path) => !before.has(path)),
      [],
    );
  });

  for (const [end, how] of Object.entries({
    exit: "calls process.exit()",
    throw: "ends by an exception that nobody caught",
    reject: "ends by a rejection that nobody heard",
    signal: "is told to terminate",
  })) {
    test(`that forgets to close its runtime and ${how} leaves nobody behind`, async () => {
      const before = new Set(leftFiles());
      const { code, signal, said } = await runToItsEnd(end);
      assert.ok(end === "exit" ? code === 0 : code !== 0 || signal !== null);
      assert.equal(said.sum, (49 * 50) / 2);
      await until("its children are gone", () => !said.pids.some(isAlive), 3_000);
      assert.deepEqual(
        leftFiles().filter((path) => !before.has(path)),
        [],
      );
    });
  }
});
