// Processor time by kind of process.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import {
  dividedBy,
  minus,
  plus,
  processorTimes,
  readStat,
  settledTimes,
  sumByKind,
} from "../../../bench/processor-time.ts";

test("readStat reads parent and time behind a name that has spaces and brackets", () => {
  const stat = "42 (a (b) c) R 7 1 1 0 -1 0 0 0 0 0 25 5 900 900 20 0 1 0 1 1 1";
  assert.deepEqual(readStat(stat), { parent: 7, processorMs: 300 });
});

test("sumByKind tells cells, compilers and other children apart by the programs that they run", () => {
  const cell = "node\0--no-node-snapshot\0/srv/dist/programs/cell-host.cjs\u000017\0";
  const compiler = "node\0/srv/dist/programs/compiler-host.js\0";
  const children = [cell, compiler, cell, "node\0peer.ts\0"].map((commandLine, index) => ({
    commandLine,
    processorMs: 10 ** index,
  }));
  assert.deepEqual(sumByKind(5, children), {
    "this process": 5,
    cells: 101,
    compiler: 10,
    "other processes": 1_000,
  });
});

test("times are added, subtracted without going below zero, and divided by kind", () => {
  const one = sumByKind(4, [{ commandLine: "peer", processorMs: 10 }]);
  const other = sumByKind(6, []);
  assert.equal(plus(one, other)["this process"], 10);
  assert.deepEqual(minus(one, other), { ...sumByKind(0, []), "other processes": 10 });
  assert.equal(dividedBy(one, 4)["other processes"], 2.5);
});

test("processorTimes sees the time of a child that is at work", async () => {
  const child = spawn(process.execPath, [
    "-e",
    "while (process.cpuUsage().user < 100_000); console.log(1); setInterval(() => {}, 1_000)",
  ]);
  await once(child.stdout, "data");
  const before = processorTimes();
  // The kernel shows whole ticks of it.
  assert.ok(before["other processes"] > 50);
  assert.ok((await settledTimes())["other processes"] >= before["other processes"]);
  child.kill("SIGKILL");
  await once(child, "exit");
});
