// The search for costs among the other subjects of fuzzing. Its bar is ten times higher than that of `npm run fuzz:cost`, so
// that only what is far beyond it fails on a machine that is busy with other work.
import assert from "node:assert/strict";
import type { Subject } from "../rounds.ts";
import { reportOf } from "./report.ts";
import { bar, isExcess, searchCosts } from "./search.ts";

const farAbove = { longestMs: bar.longestMs * 10, plainFactor: bar.plainFactor * 4 };

export const costs: Subject = async (fuzz) => {
  const search = await searchCosts(fuzz);
  const excess = search.worst.find((find) => isExcess(find, farAbove));
  assert.equal(excess, undefined, reportOf(search));
  return search.tried;
};
