// What a cell checks of its engine before it starts: that functions of a reserved name are never optimised.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { cellFlags } from "../../../../../src/execution/cell-flags.ts";
import { engineFile } from "../../../../../src/execution/cell-launch.ts";
import { programUrl } from "../../../../../src/execution/programs.ts";

const source = new URL("../../../../../src/execution/cell-host/isolates/filter-check.ts", import.meta.url);
const objection = "this engine optimises functions that its flags exclude";
const timeout = 120_000;

/** What the check says in a process with these flags, of an ordinary name and of the reserved one. */
function objections(flags: readonly string[]): unknown {
  const program = `
import { filterObjection } from ${JSON.stringify(source.href)};
console.log(JSON.stringify([filterObjection("ordinary") ?? null, filterObjection() ?? null]));`;
  const args = [...flags, "--input-type=module", "--eval", program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout });
  assert.notEqual(stdout, "", stderr);
  return JSON.parse(stdout);
}

test("with the flags of cells a hot function is optimised, but for one of the reserved name", () => {
  assert.deepEqual(objections(cellFlags), [objection, null]);
});

test("without the filters a function of the reserved name is optimised, and the check says so", () => {
  const others = cellFlags.filter((flag) => !flag.includes("-filter="));
  assert.deepEqual(objections(others), [objection, objection]);
});

test("a cell whose engine optimises what its flags exclude ends before it starts, and says why", () => {
  const program = fileURLToPath(programUrl("cell-host"));
  const own = [String(process.pid), "", engineFile()];
  const args = [...cellFlags, "--maglev-filter=*", "--turbo-filter=*", program, ...own];
  const stdio = ["ignore", "ignore", "pipe", "pipe"] as const;
  const { signal, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    stdio: [...stdio],
    timeout,
  });
  assert.deepEqual(
    { signal, said: stderr.trim() },
    { signal: "SIGKILL", said: `Cannot go on: ${objection}` },
  );
});
