// Who waits for the end of something learns of it once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ending } from "../../../src/std/ending.ts";

test("Ending calls those that wait, once and in order, and not those that gave up", () => {
  const ending = new Ending();
  const heard: string[] = [];
  const [first] = ["a", "b", "c"].map((name) => ending.onEnd(() => heard.push(name)));
  if (first !== undefined) ending.forget(first);
  ending.end("done");
  ending.end("done again");
  assert.deepEqual([heard, ending.isOver], [["b", "c"], true]);
});

test("the signal of an Ending is aborted with its reason, whether it was asked for before or after", () => {
  for (const isBefore of [true, false]) {
    const ending = new Ending();
    const before = isBefore ? ending.signal : undefined;
    assert.equal(before?.aborted ?? false, false);
    ending.end("it is over");
    const { signal } = ending;
    assert.equal(signal, before ?? signal);
    assert.deepEqual([signal.aborted, signal.reason], [true, "it is over"]);
  }
});
