// What `vivarium doctor` makes of a machine's facts.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { JailLayer } from "../../../../src/index.ts";
import { jailChecks, machineChecks, verdictOf, type Check } from "../../../../src/cli/doctor/checks.ts";
import { checkData } from "../../../../src/cli/doctor/data-check.ts";
import { doctorLines } from "../../../../src/cli/doctor/doctor.ts";
import type { MachineFacts } from "../../../../src/cli/doctor/machine.ts";
import { serverChecks } from "../../../../src/cli/doctor/server-check.ts";
import { VivariumError } from "../../../../src/model/errors.ts";
import type { FoundServer } from "../../../../src/cli/place/server-file.ts";
import { lineWidth } from "../../../../src/cli/display/lines.ts";
import { FakeClock } from "../../../../src/testing/fake-clock.ts";
import { Folder } from "../../../support/folders.ts";

const good: MachineFacts = {
  node: "v26.1.0",
  platform: "linux",
  arch: "x64",
  kernel: "6.12.0",
  isRoot: true,
  engine: { version: "7.0.1", prebuilt: ["linux-x64", "darwin-arm64"], isBuilt: false },
  cores: 4,
  memoryBytes: 2 ** 33,
  freeBytes: 2 ** 32,
  groupBytes: null,
  descriptorsMax: 65_536,
  processesMax: null,
  addressBytesMax: null,
  mapsMax: 65_530,
  securityModules: ["lockdown", "landlock"],
  seccomp: true,
};

function verdicts(facts: Partial<MachineFacts>): readonly Check[] {
  return machineChecks({ ...good, ...facts }).filter(({ verdict }) => verdict !== "ok");
}

test("a machine that has everything is fine", () => {
  assert.deepEqual(verdicts({}), []);
  assert.equal(verdictOf(machineChecks(good)), "ok");
});

for (const [what, facts, name, verdict, advice] of [
  ["an old Node.js", { node: "v22.1.0" }, "Node.js", "bad", /Install Node\.js 24/],
  ["a Node.js without filters", { node: "v24.1.0" }, "Node.js", "warn", /Node\.js 26/],
  ["another system", { platform: "darwin", arch: "arm64" }, "System", "warn", /Linux/],
  ["no engine", { engine: null }, "Engine", "bad", /npm install/],
  ["no native code", { arch: "riscv64" }, "Engine", "bad", /npm rebuild/],
  ["one core", { cores: 1 }, "Cores", "warn", /one core/],
  ["a small container", { groupBytes: 2 ** 28 }, "Memory", "warn", /cells\.count/],
  ["few descriptors", { descriptorsMax: 256 }, "Open files", "warn", /ulimit -n/],
  ["few processes", { processesMax: 100 }, "Processes", "warn", /ulimit -u/],
  ["few addresses", { addressBytesMax: 2 ** 32 }, "Address space", "warn", /ulimit -v/],
  ["few maps", { mapsMax: 1_000 }, "Memory maps", "warn", /max_map_count/],
] as const)
  test(`${what} is ${verdict}, with what to do`, () => {
    const [check, ...others] = verdicts(facts);
    assert.deepEqual(others, []);
    assert.deepEqual([check?.name, check?.verdict], [name, verdict]);
    assert.match(check?.advice ?? "", advice);
  });

test("a missing layer is a warning with its reason, and bad where no wall is left", () => {
  const missing = (layers: readonly JailLayer[], gone: readonly JailLayer[]): readonly Check[] =>
    jailChecks({ jail: { layers, missing: gone.map((layer) => ({ layer, why: "it needs Linux" })) } }, good);
  const some = missing(["permissions", "filter", "seal"], ["landlock"]);
  assert.equal(verdictOf(some), "warn");
  assert.match(some.at(-1)?.found ?? "", /^off: it needs Linux$/);
  assert.equal(verdictOf(missing(["permissions"], ["filter", "landlock", "seal"])), "bad");
  for (const { advice } of missing(
    [],
    ["user", "filter", "landlock", "seal", "hidden", "resources", "descriptors"],
  ))
    assert.ok(advice !== undefined);
});

test("a data folder is written to and left as it was", () => {
  using folder = new Folder({ "data/x": "1", file: "" });
  const clock = new FakeClock();
  const data = join(folder.path, "data");
  assert.equal(checkData(data, clock).verdict === "bad", false);
  assert.deepEqual(readdirSync(data), ["x"]);
  const fresh = join(folder.path, "new", "deep");
  assert.match(checkData(fresh, clock).found, /can be made/);
  assert.equal(existsSync(join(folder.path, "new")), false);
  assert.equal(checkData(join(folder.path, "file"), clock).verdict, "bad");
});

test("the report fits its width and ends with its verdict", () => {
  const checks = machineChecks({ ...good, arch: "riscv64" });
  for (const width of [30, 40, 60, 80, 120]) {
    const lines = doctorLines({ verdict: "bad", checks }, width);
    for (const line of lines) assert.ok(lineWidth(line) <= width);
    assert.match(JSON.stringify(lines), /Something is missing/);
  }
});

const server: FoundServer = { url: "http://127.0.0.1:7420", token: "t", pid: 5, startedAt: 1, process: null };

for (const [what, here, answer, verdict, found] of [
  ["none", { running: [], refused: [] }, "ok", "ok", /^none of this user runs here$/],
  ["one", { running: [server], refused: [] }, "ok", "ok", /^http:\S+, process 5, answers in .*: ok$/],
  [
    "two",
    { running: [server, { ...server, url: "http://b" }], refused: [] },
    "ok",
    "ok",
    /; not used: http:\/\/b$/,
  ],
  ["a dead one", { running: [server], refused: [] }, null, "warn", /does not answer: gone$/],
  [
    "an open file",
    { running: [], refused: [{ path: "/x", why: "others" }] },
    "ok",
    "warn",
    /^\/x is not used: others$/,
  ],
] as const)
  test(`doctor says what there is of servers here: ${what}`, async () => {
    const ask = () =>
      answer === null
        ? Promise.reject(new VivariumError("CONNECTION_FAILED", "gone"))
        : Promise.resolve({ status: answer });
    const checks = await serverChecks({ here, clock: new FakeClock(), ask });
    assert.deepEqual([checks.length, checks[0]?.verdict], [1, verdict]);
    assert.match(checks[0]?.found ?? "", found);
  });
