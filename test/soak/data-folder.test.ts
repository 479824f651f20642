// The short form of the soak of a data folder; the long one is `npm run soak:data`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Folder } from "../support/folders.ts";
import type { Figures } from "./data-folder/figures.ts";
import { lineOf, reportOf } from "./data-folder/report.ts";
import { soak } from "./data-folder/run.ts";
import { judge, type RunEnd } from "./data-folder/verdict.ts";

test("a data folder has all that was acknowledged after some seconds of honest and hostile work, and nothing is left of it", async () => {
  using folder = new Folder();
  const seed = 5;
  const end = await soak({ data: folder.at("run"), seed, durationMs: 8_000, sampleMs: 2_000 });
  const rulings = judge(end, { isShort: true });
  assert.deepEqual(broken(rulings), []);
  assert.ok(end.operations > 50, `${end.operations} operations`);
  assert.ok(end.samples.length >= 2, `${end.samples.length} samples`);
  const report = reportOf({ seed, minutes: 0.1, samples: end.samples, rulings, remarks: [] });
  assert.match(report, /all rules are kept/);
});

test("the verdict of a soak names what grew, what failed and what was lost", () => {
  assert.deepEqual(
    broken(
      judge(
        endOf(() => flat),
        { isShort: false },
      ),
    ),
    [],
  );
  const growing = endOf((at) => ({ ...flat, hostHeapMiB: 30 + at, descriptors: 70 + at }));
  assert.deepEqual(broken(judge(growing, { isShort: false })), [
    "heap of the host, MiB: grows by no more than 10 % and 6",
    "descriptors of the host: grows by no more than 6",
  ]);
  const failed = { ...endOf(() => flat), faults: ["it failed"], losses: ["lost: a"], childrenLeft: 1 };
  assert.deepEqual(broken(judge(failed, { isShort: false })), [
    "no unexpected failure",
    "no process is left after close()",
    "all that was acknowledged is there when the folder is opened again",
  ]);
});

test("the report of a long soak has some rows from its beginning to its end", () => {
  const { samples } = endOf((at) => ({ ...flat, minutes: at + 1 }));
  const report = reportOf({ seed: 1, minutes: 60, samples, rulings: [], remarks: [] });
  const rows = report.split("\n").filter((line) => /^\| \d/.test(line));
  assert.equal(rows.length, 13);
  assert.match(rows[0] ?? "", /^\| 1\.0 /);
  assert.match(rows.at(-1) ?? "", /^\| 60\.0 /);
  assert.match(lineOf(flat), /^minute 0\.0 {2}host RSS 100 /);
});

function broken(rulings: ReturnType<typeof judge>): readonly string[] {
  return rulings.filter(({ isKept }) => !isKept).map(({ rule }) => rule);
}

const flat: Figures = {
  minutes: 0,
  hostRssMiB: 100,
  hostHeapMiB: 30,
  descriptors: 70,
  threads: 11,
  cells: 3,
  cellsRssMiB: 500,
  databaseMiB: 10,
  usedMiB: 8,
  walMiB: 4,
  blobs: 1_000,
  tombstones: 500,
  journal: 100,
  documents: 2_000,
  sandboxes: 300,
  operations: 0,
  hostileRuns: 0,
  faults: 0,
  askMsMedian: 1,
  askMs99: 2,
  writeMsMedian: 1,
  writeMs99: 2,
  loopDelayMsMax: 5,
};

function endOf(sampleAt: (at: number) => Figures): RunEnd {
  return {
    samples: Array.from({ length: 60 }, (_, at) => sampleAt(at)),
    faults: [],
    losses: [],
    problems: [],
    unfittingCount: 0,
    hostileRuns: 1_000,
    childrenLeft: 0,
    descriptorsBefore: 20,
    descriptorsAfter: 20,
  };
}
