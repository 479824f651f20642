// A program that has nothing left to do ends, whether it closed its runtime or not; one that waits for anything goes on.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Folder } from "../support/folders.ts";
import { isAlive } from "../support/processes.ts";
import { until } from "../support/waiting.ts";
import { runNode } from "./program.ts";

const program = fileURLToPath(new URL("unclosed.ts", import.meta.url));

/** What a program said, once it has ended by itself: Node's code for a promise that was waited for in vain is 13. */
async function ended(name: string, folder = ""): Promise<readonly unknown[]> {
  const { code, stdout, stderr } = await runNode([program, name, folder]);
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  const pids = JSON.parse(stderr) as number[];
  await until("its children are gone", () => !pids.some(isAlive));
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

const valueOf = (said: unknown): unknown => (said as { readonly value?: unknown }).value;

suite("a program that does not close its runtime ends by itself, and leaves no process", () => {
  test("after a call", async () => {
    assert.deepEqual((await ended("plain")).map(valueOf), [42]);
  });

  test("after waits with a deadline, kept or not", async () => {
    assert.deepEqual(await ended("deadline"), [300]);
  });

  test("after every method of a sandbox, each of which it could wait for", async () => {
    assert.deepEqual((await ended("methods")).map(valueOf), [200, 200, 200, 100, 0, undefined]);
  });

  test("after every method of a runtime with a data folder, and of its batches", async () => {
    using folder = new Folder();
    const [once, ...others] = await ended("runtime", folder.at("data"));
    assert.equal(valueOf(once), 7);
    assert.deepEqual(others, [5, true, true, true, true, true, 5]);
  });

  test("after calls and a batch that nobody awaits, and not before", async () => {
    const said = Object.fromEntries((await ended("unawaited")) as [string, unknown][]);
    assert.deepEqual(said, { call: 300, batch: 400, create: true });
  });

  test("after an event that it waited for", async () => {
    assert.deepEqual(await ended("event"), ["walker"]);
  });

  test("although it listens in the background, keeps a tracker, and its guests have timers", async () => {
    assert.deepEqual(await ended("background"), ["ok", 1]);
  });

  test("and what its data folder was given is there at the next start", async () => {
    using folder = new Folder();
    const path = folder.at("data");
    assert.deepEqual(await ended("counted", path), [{ known: false, count: 0, journal: true }]);
    assert.deepEqual(await ended("counted", path), [{ known: true, count: 1, journal: true }]);
    assert.deepEqual(await ended("counted", path), [{ known: true, count: 2, journal: true }]);
  });

  test("after what another part of it does when it is about to end", async () => {
    assert.deepEqual((await ended("later")).map(valueOf), [5]);
  });
});

test("a program that has nothing left to do but to listen is told what keeps it alive", async () => {
  const warning = /VivariumWarning: This process lives on only because something listens to the events/;
  const onStderr = (text: string): NodeJS.Signals | undefined => (warning.test(text) ? "SIGTERM" : undefined);
  const { code } = await runNode([program, "listening"], { onStderr });
  assert.equal(code, "SIGTERM");
});
