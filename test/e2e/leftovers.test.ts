// What is left of a program that used a runtime: nothing, and it ends by itself once the runtime is closed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { suite, test } from "node:test";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Folder } from "../support/folders.ts";
import { filesLeft, isAlive } from "../support/processes.ts";
import { fulfilled, until } from "../support/waiting.ts";

const program = fileURLToPath(new URL("fifty-sandboxes.ts", import.meta.url));

interface Said {
  readonly sum: number;
  /** Its children before it ended. */
  readonly pids: readonly number[];
  readonly children: readonly number[];
  readonly slates: readonly string[];
}

async function runToItsEnd(
  end: string,
  folder: Folder,
): Promise<{ code: number | null; signal: string | null; said: Said }> {
  const env = { ...process.env, TMPDIR: folder.path };
  const child = spawn(process.execPath, [program, end], { env, stdio: ["ignore", "pipe", "ignore"] });
  const exit = once(child, "exit") as Promise<[number | null, string | null]>;
  const [[code, signal], output] = await fulfilled("its end", Promise.all([exit, text(child.stdout)]));
  return { code, signal, said: JSON.parse(output) as Said };
}

suite("a program with fifty sandboxes", () => {
  test("that closes its runtime has no child, file or descriptor left, and ends by itself", async () => {
    using folder = new Folder();
    const { code, said } = await runToItsEnd("close", folder);
    assert.equal(code, 0);
    assert.equal(said.sum, (49 * 50) / 2);
    assert.ok(said.pids.length >= 3);
    assert.deepEqual(said.children, []);
    assert.deepEqual(said.slates, []);
    await until("no file is left", () => filesLeft(folder.path).length === 0);
  });

  for (const [end, how] of Object.entries({
    exit: "calls process.exit()",
    throw: "ends by an exception that nobody caught",
    reject: "ends by a rejection that nobody heard",
    signal: "is told to terminate",
  })) {
    test(`that forgets to close its runtime and ${how} leaves no process behind`, async () => {
      using folder = new Folder();
      const { code, signal, said } = await runToItsEnd(end, folder);
      assert.ok(end === "exit" ? code === 0 : code !== 0 || signal !== null);
      assert.equal(said.sum, (49 * 50) / 2);
      await until("its children are gone", () => !said.pids.some(isAlive));
      await until("no file is left", () => filesLeft(folder.path).length === 0);
    });
  }
});
