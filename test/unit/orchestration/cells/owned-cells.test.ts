// Where a sandbox goes that may share a cell only with those of its owner.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  planOwned,
  type OwnedLoad,
  type OwnedPlan,
  type OwnedWish,
} from "../../../../src/orchestration/cells/cell-choice.ts";

const cell = (owner: string, sandboxes: number): OwnedLoad => ({
  owner,
  sandboxes,
  inFlight: 0,
  isBlocked: false,
});
const usual: OwnedWish = { owner: "a", ownedMax: 3, sandboxesMax: 10, starting: 0, hasSpare: false };

const rows: readonly (readonly [string, readonly OwnedLoad[], Partial<OwnedWish>, OwnedPlan])[] = [
  ["a cell is started where there is none", [], {}, { do: "start" }],
  ["a spare cell is taken where there is one", [], { hasSpare: true }, { do: "claim" }],
  ["an owner's own cell is used", [cell("b", 0), cell("a", 9)], {}, { do: "use", index: 1 }],
  ["an owner's empty cell is used again", [cell("a", 0)], { hasSpare: true }, { do: "use", index: 0 }],
  ["the emptier of an owner's cells is used", [cell("a", 5), cell("a", 2)], {}, { do: "use", index: 1 }],
  ["another owner's cell is never used, however empty", [cell("b", 0)], {}, { do: "start" }],
  ["a full cell leads to another", [cell("a", 10)], {}, { do: "start" }],
  [
    "at the bound another owner's empty cell is ended",
    [cell("b", 1), cell("c", 0), cell("d", 1)],
    { hasSpare: true },
    { do: "end", index: 1 },
  ],
  [
    "at the bound there is nothing but to wait while all are in use",
    [cell("b", 1), cell("c", 1), cell("d", 1)],
    {},
    { do: "wait" },
  ],
  ["cells that are being started count", [cell("b", 1)], { starting: 2, hasSpare: true }, { do: "wait" }],
];

for (const [name, cells, wish, plan] of rows)
  test(name, () => assert.deepEqual(planOwned(cells, { ...usual, ...wish }), plan));
