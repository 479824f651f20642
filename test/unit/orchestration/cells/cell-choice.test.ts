// Which cell takes a sandbox: the one that has least to do and has room.
import assert from "node:assert/strict";
import { test } from "node:test";
import { choosePlace, type CellLoad } from "../../../../src/orchestration/cells/cell-choice.ts";

const load = (sandboxes: number, inFlight = 0, isBlocked = false): CellLoad => ({
  sandboxes,
  inFlight,
  isBlocked,
});

const rows: readonly (readonly [string, readonly CellLoad[], number | undefined])[] = [
  ["there is no place without cells", [], undefined],
  ["the only cell is taken", [load(5)], 0],
  ["the emptier cell is taken", [load(5), load(4), load(6)], 1],
  ["the first of equals is taken", [load(5), load(5)], 0],
  ["a run under way counts as four sandboxes", [load(3, 1), load(6)], 1],
  ["a full cell is not taken", [load(10), load(9)], 1],
  ["there is no place when all are full", [load(10), load(11)], undefined],
  ["a blocked cell is not taken while another has room", [load(0, 0, true), load(9)], 1],
  ["a blocked cell is taken when the others are full", [load(3, 0, true), load(10)], 0],
  ["the emptier of blocked cells is taken when all are blocked", [load(3, 0, true), load(2, 0, true)], 1],
];

for (const [name, loads, index] of rows) test(name, () => assert.equal(choosePlace(loads, 10), index));
