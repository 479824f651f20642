// What the orchestrator knows is not to be had in a cell: neither environment, arguments, descriptors nor memory, and
// nothing of it from inside by asking for it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { engineFile } from "../../src/execution/cell-launch.ts";
import { bareEnvironment } from "../../src/jail/spawn/node-process.ts";
import { openKernel } from "../../src/std/kernel.ts";
import { randomName } from "../../src/std/random.ts";
import { Folder } from "../support/folders.ts";
import type { Kept } from "./keeper.ts";
import { Setup } from "./setup.ts";

const program = fileURLToPath(new URL("keeper.ts", import.meta.url));
const needs = "it needs Linux on arm64 or x64, and Node 26";

suite("a secret of the orchestrator", () => {
  test("is in its environment, arguments, descriptors and memory, and in none of its children's", async (t) => {
    if (openKernel() === undefined) return t.skip(needs);
    const secret = randomName("secret");
    using folder = new Folder({ [secret]: secret });
    const env = { ...process.env, SECRET: secret };
    const { stdout } = await promisify(execFile)(process.execPath, [program, secret, folder.at(secret)], {
      env,
    });
    const kept = JSON.parse(stdout) as Kept;
    assert.deepEqual([...new Set(kept.ownPlaces)].sort(), ["cmdline", "descriptors", "environ", "memory"]);
    assert.ok(kept.pids >= 2, "a cell and a compiler");
    assert.deepEqual(kept.found, []);
    // Without root their memory cannot be looked at, as they hide it.
    assert.equal(kept.isMemorySearched, process.getuid?.() === 0);
    if (kept.isMemorySearched) assert.ok(kept.isSearchSound, "the search finds what is there");
  });

  test("is not in what an escaped guest finds about itself", async (t) => {
    if (openKernel() === undefined) return t.skip(needs);
    process.env["VIVARIUM_TEST_SECRET"] = "it is told to nobody";
    await using setup = await Setup.set();
    const { env, argv, execArgv } = await setup.probe(["permissions", "filter", "descriptors", "seal"]);
    assert.deepEqual(env, bareEnvironment());
    const [, , pid, layers, engine, ...rest] = argv;
    assert.equal(pid, String(process.pid));
    assert.match(layers ?? "", /^[a-z,]+$/);
    assert.equal(engine, engineFile());
    // The two that the probing program put there itself.
    assert.equal(rest.length, 2);
    assert.ok(execArgv.every((flag) => flag.startsWith("--")));
    delete process.env["VIVARIUM_TEST_SECRET"];
  });
});
