// How a row is printed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rowText } from "../../../bench/report.ts";
import { resultOf } from "./results.ts";

const timesOf = (cellsMs: number): string | undefined =>
  rowText(resultOf({ vivarium: [1] }, { vivarium: cellsMs }))
    .split("\n")
    .find((line) => line.includes("processor time"));

test("processor time is shown by kind of process, also where only one kind has used some", () => {
  const start = "  processor time per operation, vivarium: ";
  assert.equal(timesOf(2), `${start}2.25 ms (this process 250 µs, cells 2.00 ms)`);
  assert.equal(timesOf(0), `${start}250 µs (this process 250 µs)`);
});
