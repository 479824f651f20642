// Moving through the plot of fitness by the keyboard.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stepFrom } from "../../../../dashboard/src/plots/fitness-steps.ts";
import { fitnessRows } from "./fitness-rows.ts";

const rows = fitnessRows([
  [0, 1],
  [0, 5],
  [0, "timeout"],
  [2, 2],
  [2, 9],
  [3, "none"],
]);

test("the first step from nowhere leads to the best of the latest generation", () => {
  assert.equal(stepFrom(rows, -1, "left"), 4);
  assert.equal(stepFrom(rows, -1, "first"), 1);
  assert.equal(stepFrom(rows, 5, "up"), 4);
});

test("up and down lead through a generation, best first and failures last", () => {
  assert.equal(stepFrom(rows, 1, "down"), 0);
  assert.equal(stepFrom(rows, 0, "down"), 2);
  assert.equal(stepFrom(rows, 2, "down"), 2);
  assert.equal(stepFrom(rows, 0, "up"), 1);
  assert.equal(stepFrom(rows, 1, "up"), 1);
});

test("left and right lead to the nearest score of the generation beside, over those without anybody", () => {
  assert.equal(stepFrom(rows, 0, "right"), 3);
  assert.equal(stepFrom(rows, 4, "left"), 1);
  assert.equal(stepFrom(rows, 4, "right"), 4);
  assert.equal(stepFrom(rows, 2, "left"), 2);
});

test("of a failure the step leads to a failure where there is one", () => {
  const failing = fitnessRows([
    [0, "cpu"],
    [1, 3],
    [1, "memory"],
  ]);
  assert.equal(stepFrom(failing, 0, "right"), 2);
});

test("a step to a generation in which only some have a score finds one that has", () => {
  const mixed = fitnessRows([
    [0, 3],
    [1, "memory"],
    [1, 7],
  ]);
  assert.equal(stepFrom(mixed, 0, "right"), 2);
});

test("first and last lead to the best of those generations", () => {
  assert.equal(stepFrom(rows, 3, "first"), 1);
  assert.equal(stepFrom(rows, 0, "last"), 4);
});

test("where nobody was evaluated there is nowhere to go", () => {
  assert.equal(stepFrom(fitnessRows([[0, "none"]]), -1, "right"), -1);
});
