// What was acknowledged is there after the process was killed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Folder } from "../support/folders.ts";
import { killAgainAndAgain } from "./kills/kills.ts";

for (const durability of ["process", "power"] as const) {
  test(`a data folder has all that was acknowledged after kill -9 at random moments, with durability ${durability}`, async () => {
    using folder = new Folder();
    const report = await killAgainAndAgain({ data: `${folder.path}/run`, seed: 12, kills: 4, durability });
    assert.deepEqual(report.faults, []);
    assert.ok(report.acknowledged >= 20, `${report.acknowledged} steps were acknowledged`);
  });
}
