// What the page of a sandbox makes of what a server says: bars, rows of processes, lines of the console, values and runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { levelOf, shareOf, usageBars } from "../../../dashboard/src/views/sandboxes/bars.ts";
import { destroyAll } from "../../../dashboard/src/views/sandboxes/destroying.ts";
import { failureText } from "../../../dashboard/src/views/sandboxes/failures.ts";
import { filterLines, readLevel } from "../../../dashboard/src/views/sandboxes/logs.ts";
import { namedProcesses, processRows } from "../../../dashboard/src/views/sandboxes/processes.ts";
import { RecentRuns } from "../../../dashboard/src/views/sandboxes/recent.ts";
import { tabAfterKey } from "../../../dashboard/src/views/sandboxes/tabs.ts";
import { valueText } from "../../../dashboard/src/views/sandboxes/values.ts";
import type { RemoteRuntime } from "../../../src/client/types.ts";
import type { AnyEvent, LogLine, ProcessView } from "../../../src/index.ts";
import { SandboxNotFoundError, VivariumError } from "../../../src/model/errors.ts";
import { infoOf } from "./sandbox-info.ts";

test("bars are unknown, not 0, where there was no sample, and where logs were not read", () => {
  const info = infoOf({ id: "a" });
  const unsampled = { ...info, usage: { ...info.usage, isolate: 0 } };
  const bars = usageBars(unsampled, { now: 0, logs: null });
  assert.deepEqual(new Set(bars.map(({ used }) => used)), new Set([null]));
  assert.ok(bars.every((bar) => shareOf(bar) === null));
});

test("bars tell what is used of each limit, logs by their bytes", () => {
  const logs: readonly LogLine[] = [{ level: "log", text: "äb", at: 1 }];
  const bars = usageBars(infoOf({ id: "a" }), { now: 0, logs });
  assert.equal(bars.find(({ name }) => name === "Memory")?.used, 2_500);
  assert.equal(bars.find(({ name }) => name === "Logs kept")?.used, 3);
});

test("a share is between 0 and 1, also where the limit is 0 or exceeded", () => {
  assert.equal(shareOf({ used: 5, limit: 10 }), 0.5);
  assert.equal(shareOf({ used: 50, limit: 10 }), 1);
  assert.equal(shareOf({ used: 0, limit: 0 }), 0);
  assert.equal(shareOf({ used: 1, limit: 0 }), 1);
  assert.equal(shareOf({ used: 1, limit: null }), null);
  assert.deepEqual([null, 0.5, 0.8, 1].map(levelOf), ["", "", "near the limit", "at the limit"]);
});

const process = (given: Partial<ProcessView> & { readonly pid: number }): ProcessView => ({
  name: null,
  kind: "server",
  status: "idle",
  queueLength: 0,
  queueMax: 0,
  messages: 0,
  restarts: 0,
  links: [],
  trappingExits: false,
  path: null,
  children: [],
  ...given,
});

test("processes are rows depth first, each with its depth, within a bound", () => {
  const roots = [
    process({
      pid: 1,
      children: [process({ pid: 2, children: [process({ pid: 3 })] }), process({ pid: 4 })],
    }),
    process({ pid: 5 }),
  ];
  const rows = processRows(roots);
  assert.deepEqual(
    rows.map(({ process: { pid }, depth }) => [pid, depth]),
    [
      [1, 0],
      [2, 1],
      [3, 2],
      [4, 1],
      [5, 0],
    ],
  );
  assert.equal(processRows(roots, 2).length, 2);
});

test("messages can be sent to processes with names that are no supervisors", () => {
  const rows = processRows([
    process({ pid: 1, kind: "supervisor", name: "root" }),
    process({ pid: 2, name: "b" }),
    process({ pid: 3, name: "a" }),
    process({ pid: 4 }),
  ]);
  assert.deepEqual(namedProcesses(rows), ["a", "b"]);
});

test("console lines are filtered by text and by their least level", () => {
  const lines: readonly LogLine[] = [
    { level: "debug", text: "One", at: 1 },
    { level: "warn", text: "two", at: 2 },
    { level: "error", text: "ONE more", at: 3 },
  ];
  assert.deepEqual(filterLines(lines, { search: "one", level: null }), [lines[0], lines[2]]);
  assert.deepEqual(filterLines(lines, { search: "", level: "warn" }), [lines[1], lines[2]]);
  assert.equal(filterLines(lines, { search: "", level: "debug" }), lines);
  assert.equal(readLevel("loud"), null);
});

test("values are told that JSON cannot say", () => {
  assert.equal(valueText(undefined), "undefined");
  assert.equal(valueText(-0), "-0");
  assert.equal(valueText(Number.NaN), "NaN");
  assert.equal(valueText(7n), "7n");
  assert.equal(JSON.parse(valueText({ big: 1n, not: Number.NaN })).not, "NaN");
  assert.match(valueText(new Map([[1, new Set(["a"])]])), /"Map"[^]*"Set"/);
  const round: unknown[] = [];
  round.push(round);
  assert.match(valueText(round), /^A value that cannot be shown: /);
});

test("runs and kills that were heard of are kept newest first, within a bound", () => {
  const runs = new RecentRuns(2);
  const stop = (target: string): AnyEvent =>
    ({
      name: "sandbox.run.stop",
      at: 5,
      event: { sandboxId: "a", runId: 1, target, durationMs: 2, result: "ok", usage: { cpuMs: 1 }, cell: 1 },
    }) as unknown as AnyEvent;
  assert.equal(runs.hear(stop("main.a")), true);
  assert.equal(
    runs.hear({ name: "sandbox.killed", at: 6, event: { sandboxId: "a", reason: "memory" } } as AnyEvent),
    true,
  );
  assert.equal(
    runs.hear({ name: "sandbox.failed", at: 6, event: { sandboxId: "a", reason: "x" } } as AnyEvent),
    false,
  );
  runs.hear(stop("main.b"));
  assert.deepEqual(
    runs.all.map(({ number, target, result }) => [number, target, result]),
    [
      [3, "main.b", "ok"],
      [2, "", "killed: memory"],
    ],
  );
});

test("keys lead around the tabs", () => {
  assert.equal(tabAfterKey("ArrowRight", "overview"), "code");
  assert.equal(tabAfterKey("ArrowLeft", "overview"), "audit");
  assert.equal(tabAfterKey("End", "code"), "audit");
  assert.equal(tabAfterKey("x", "code"), undefined);
});

const runtimeThat = (results: readonly unknown[]): Pick<RemoteRuntime, "batch"> =>
  ({ batch: { destroy: async () => results } }) as unknown as RemoteRuntime;
const { signal } = new AbortController();

test("sandboxes that are gone already count as destroyed", async () => {
  const gone = { ok: false, error: new SandboxNotFoundError("b") };
  assert.match(
    await destroyAll(runtimeThat([{ ok: true }, gone]), ["a", "b"], signal),
    /^2 sandboxes are destroyed/,
  );
});

test("why some were not destroyed is said, with how many", async () => {
  const failed = { ok: false, error: new VivariumError("FORBIDDEN", "Cannot do that") };
  await assert.rejects(destroyAll(runtimeThat([{ ok: true }, failed]), ["a", "b"], signal), {
    message: "1 are destroyed, 1 are not: Cannot do that",
  });
});

test("a failure is a sentence, which says what is gone and what is not known", () => {
  assert.match(failureText(new SandboxNotFoundError("a")), /gone by now/);
  assert.match(failureText(new VivariumError("CONNECTION_FAILED", "Cannot reach it.")), /is not known/);
  assert.equal(failureText("x\u202e"), "x\\u202e");
});
