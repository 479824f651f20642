// The short form of the soak of a data folder; the long one is `npm run soak:data`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Folder } from "../support/folders.ts";
import { soak } from "./data-folder/run.ts";
import { judge } from "./data-folder/verdict.ts";

test("a data folder has all that was acknowledged after some seconds of honest and hostile work, and nothing is left of it", async () => {
  using folder = new Folder();
  const end = await soak({ data: folder.at("run"), seed: 5, durationMs: 8_000, sampleMs: 2_000 });
  assert.deepEqual(
    judge(end, { isShort: true }).filter(({ isKept }) => !isKept),
    [],
  );
  assert.ok(end.operations > 50, `${end.operations} operations`);
  assert.ok(end.samples.length >= 2, `${end.samples.length} samples`);
});
