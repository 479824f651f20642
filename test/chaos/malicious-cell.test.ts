// A cell is never trusted. Whatever messages a program on the pipe sends, the orchestrator neither crashes nor hangs, and
// accepts only messages about the sandboxes that are in it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, before, beforeEach, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { completeConfig } from "../../src/api/options/config.ts";
import { assemble, launcherFor, openJail } from "../../src/api/wiring/create-runtime.ts";
import { unjailedCellLaunch } from "../../src/execution/cell-launch.ts";
import { systemClock } from "../../src/std/clock.ts";
import { Watchdog } from "../../src/execution/enforcement/watchdog.ts";
import type { CellOptions, Outcome, Runtime, Sandbox } from "../../src/index.ts";
import { fulfilled, rejectionCode, settled, until } from "../support/waiting.ts";

const maliciousCell = fileURLToPath(new URL("malicious-cell.ts", import.meta.url));
const resultBytes = 2 ** 20;
const limits = { timeoutMs: 100, loadMs: 1_000, resultBytes, outputBytes: 10_000 };

/** What the caller may get, for each false message. */
const quickMessages: Readonly<Record<string, readonly string[]>> = {
  honest: ["ok"],
  "not-json": ["cell-lost"],
  oversized: ["cell-lost"],
  truncated: ["cell-lost"],
  "unknown-type": ["cell-lost"],
  "type-is-object": ["cell-lost"],
  "type-is-list": ["cell-lost"],
  "type-is-proto": ["cell-lost"],
  "not-an-object": ["cell-lost"],
  "missing-fields": ["cell-lost"],
  "negative-numbers": ["cell-lost"],
  "not-a-number": ["cell-lost"],
  "infinite-number": ["cell-lost"],
  "fractional-op": ["cell-lost"],
  "huge-numbers": ["ok"],
  "odd-quick": ["cell-lost"],
  doubled: ["ok"],
  "wrong-operations": ["ok"],
  "foreign-logs": ["ok"],
  "foreign-heaps": ["ok"],
  "foreign-background": ["ok"],
  "log-flood": ["ok"],
  "log-level": ["cell-lost"],
  "ready-twice": ["cell-lost"],
  poisoned: ["cell-lost"],
  "always-sliced": ["cell-lost"],
  "always-gone": ["cell-lost"],
  "always-lost": ["ok"],
  "always-cancelled": ["cancelled"],
  "pending-forever": ["timeout"],
  "pending-since-ever": ["timeout"],
  "answer-before-pending": ["ok"],
  "value-not-data": ["unserializable"],
  "value-broken-table": ["unserializable"],
  "value-no-root": ["unserializable"],
  "value-empty": ["unserializable"],
  "value-over-limit": ["output-limit"],
  "value-deep": ["ok", "unserializable"],
  "value-proto": ["ok"],
  "value-regexp": ["unserializable"],
  "error-not-a-list": ["crashed"],
  "error-long-stack": ["crashed", "output-limit"],
};

suite("a malicious cell", () => {
  let runtime: Runtime;
  let victim: Sandbox;

  before(async () => {
    runtime = await startMalicious({ count: 2 });
    victim = await runtime.create("victim", { modules: { honest: "export const f = () => 0" } });
  });
  beforeEach(() => until("all cells are up", async () => (await runtime.health()).cells.ready >= 3));
  after(() => runtime.close());

  for (const [name, expected] of Object.entries(quickMessages)) {
    test(`that sends "${name}" settles its own run and reaches no other cell's sandbox`, async () => {
      const before = await victim.info();
      const sandbox = await createIn(runtime, name, (cell) => cell !== before.cell);
      // A first run would be repeated in one cell after another until the runtime gives up.
      assert.equal(kindOf(await ended("honest", sandbox.call("honest.f"))), "ok");
      const outcome = await ended(name, sandbox.call(`${name}.f`));
      assert.ok(expected.includes(kindOf(outcome)), `got ${kindOf(outcome)}: ${messageOf(outcome)}`);
      if (outcome.ok && name !== "value-deep" && name !== "value-proto") assert.equal(outcome.value, 42);
      await sandbox.destroy();
      const info = await victim.info();
      assert.equal(info.status, "running");
      // A message that ends the cell is repeated elsewhere, maybe beside the victim; the others stay where they are.
      if (outcome.ok) assert.deepEqual([info.cell, info.rebuilds], [before.cell, before.rebuilds]);
      assert.ok(info.usage.heapBytes !== 666, "a forged heap sample was believed");
      assert.deepEqual(await victim.logs(), []);
      assert.equal(kindOf(await ended("victim", victim.call("honest.f"))), "ok");
    });
  }

  test("whose answer has own prototype keys pollutes nothing", async () => {
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

  test("whose console lines outgrow outputBytes fills neither the outcome nor the log", async () => {
    const sandbox = await runtime.create({ modules: { "log-flood": "export const f = () => 0" }, limits });
    const { logs } = await ended("log-flood", sandbox.call("log-flood.f"));
    const kept = logs.reduce((sum, line) => sum + line.text.length, 0);
    assert.ok(kept <= limits.outputBytes + 1_000, `${kept} characters were kept`);
    await sandbox.destroy();
  });
});

suite("a silent cell", () => {
  const slow = [
    "never-answers",
    "waiting-forever",
    "slate-future",
    "slate-huge-budget",
    "slate-garbage",
    "slate-other-key",
  ];
  test("is detected whatever it writes on its slate, and every call settles", async () => {
    const calls = slow.map(async (name) => {
      await using runtime = await startMalicious({ count: 1, spare: 0, waitMs: 500 });
      const sandbox = await runtime.create({ modules: { [name]: "export const f = () => 0" } });
      const outcomes = await Promise.all(
        [true, false].map((repeatable) => ended(name, sandbox.call(`${name}.f`, { repeatable }))),
      );
      return [name, outcomes.map(kindOf)] as const;
    });
    for (const [name, kinds] of await Promise.all(calls))
      assert.ok(
        kinds.every((kind) => ["cell-lost", "timeout", "cancelled", "crashed"].includes(kind)),
        `${name}: ${kinds.join(", ")}`,
      );
  });
});

suite("a cell that begins", () => {
  const folder = mkdtempSync(`${tmpdir()}/malicious-cell-`);
  after(() => rmSync(folder, { recursive: true }));
  const ready = { t: "ready", node: "v0", slate: "written", tether: "signal" };
  const item = {
    op: 1,
    verdict: "answered",
    answer: 1,
    startedUs: 1,
    wallUs: 1,
    cpuUs: 1,
    outputBytes: 0,
    isLost: false,
  };
  const beginnings: Readonly<Record<string, readonly unknown[]>> = {
    "poisoned along with ready": [ready, { t: "poisoned", why: "me" }],
    "an answer without a request": [ready, { t: "done", quick: [], items: [item], heaps: [] }],
    "a console line of no sandbox": [ready, { t: "log", key: 1, op: 1, lines: [[1, "hello"]] }],
    "a cut of a timer that was not set": [
      ready,
      { t: "background", key: 1, verdict: "timeout", isLost: true },
    ],
    "ready twice": [ready, ready],
    "an answer before ready": [{ t: "done", quick: [], items: [item], heaps: [] }],
    "an unknown message": [{ t: "hello" }],
  };
  for (const [what, words] of Object.entries(beginnings)) {
    test(`with ${what} crashes nothing`, async () => {
      const program = `${folder}/${what.replaceAll(/\W+/g, "-")}.mjs`;
      writeFileSync(
        program,
        `globalThis.firstWords = ${JSON.stringify(words)};\nawait import(${JSON.stringify(maliciousCell)});\n`,
      );
      const started = await settled(what, startMalicious({ count: 1, spare: 0 }, program));
      if (started.status === "rejected") {
        assert.equal((started.reason as { code: string }).code, "CELL_START_FAILED");
        return;
      }
      await using runtime = started.value;
      const made = await settled(what, runtime.create({ modules: { honest: "export const f = () => 0" } }));
      if (made.status === "rejected")
        assert.ok(["LOAD_FAILED", "CELLS_UNAVAILABLE"].includes((made.reason as { code: string }).code));
    });
  }

  test("a program that is not a cell makes the start fail with its cause", async () => {
    const program = `${folder}/silent.mjs`;
    writeFileSync(program, 'console.error("not today"); process.exit(3);');
    assert.equal(await rejectionCode("start", startMalicious({ count: 1 }, program)), "CELL_START_FAILED");
  });
});

// Such a cell stands for one that guests have taken over; what it may reach is tested with the jail, not here.
const launch = unjailedCellLaunch(systemClock);

function startMalicious(cells: CellOptions, program: string = maliciousCell): Promise<Runtime> {
  const config = completeConfig({ limits, cells: { spare: 1, waitMs: 20_000, warm: 0, ...cells } });
  const guards = { jail: openJail(config), watchdog: new Watchdog() };
  return assemble(config, { ...guards, launch: launcherFor(config, guards, { program, launch }) });
}

// Placement goes by load, so the cell to be avoided is filled until the sandbox is placed elsewhere.
async function createIn(
  runtime: Runtime,
  name: string,
  isRight: (cell: number | null) => boolean,
): Promise<Sandbox> {
  const made: Sandbox[] = [];
  for (;;) {
    const modules = { [name]: "export const f = () => 0", honest: "export const f = () => 0" };
    const sandbox = await runtime.create({ modules });
    const isThere = isRight((await sandbox.info()).cell);
    if (!isThere) made.push(sandbox);
    if (!isThere && made.length < 20) continue;
    for (const other of made) await other.destroy();
    assert.ok(isThere, "there is only one cell");
    return sandbox;
  }
}

// A run that may be repeated is repeated in ten cells, and each is found to be silent after six seconds.
const endsMs = 180_000;

function ended(what: string, call: Promise<Outcome>): Promise<Outcome> {
  return fulfilled(what, call, endsMs);
}

const kindOf = (outcome: Outcome): string => (outcome.ok ? "ok" : outcome.error.kind);
const messageOf = (outcome: Outcome): string => (outcome.ok ? "" : outcome.error.message);
