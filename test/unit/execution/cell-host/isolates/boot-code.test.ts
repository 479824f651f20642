// The compiled code that isolates boot from, in a process with the flags of a cell.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { cellFlags } from "../../../../../src/execution/cell-flags.ts";
import { programUrl } from "../../../../../src/execution/programs.ts";

const source = new URL("../../../../../src/execution/cell-host/isolates/boot-code.ts", import.meta.url);

interface Found {
  readonly isRejected: boolean;
  readonly usedBytes: number;
  readonly allBytes: number;
}

function found(): Found {
  const program = `
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import ivm from "isolated-vm";
import { usedCodeOf } from ${JSON.stringify(source.href)};
setFlagsFromString("--no-lazy");
const built = readFileSync(${JSON.stringify(fileURLToPath(programUrl("cell-host")))}, "utf8");
const text = new Function(/^const bootText = (".*");$/m.exec(built)[0] + "return bootText")();
const cachedData = new ivm.ExternalCopy(usedCodeOf(text));
const isolate = new ivm.Isolate();
const all = isolate.compileScriptSync(text, { produceCachedData: true }).cachedData;
const { cachedDataRejected } = isolate.compileScriptSync(text, { cachedData });
const bytes = (code) => code.copy().byteLength;
console.log(JSON.stringify({ isRejected: cachedDataRejected, usedBytes: bytes(cachedData), allBytes: bytes(all) }));`;
  const args = [...cellFlags, "--input-type=module", "--eval", program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 120_000 });
  assert.notEqual(stdout, "", stderr.slice(-2_000));
  return JSON.parse(stdout) as Found;
}

test("isolates take the code of what is used of the guest runtime, which is less than all of it", () => {
  const { isRejected, usedBytes, allBytes } = found();
  assert.equal(isRejected, false);
  assert.ok(usedBytes < allBytes * 0.8, `${usedBytes} of ${allBytes} bytes`);
});
