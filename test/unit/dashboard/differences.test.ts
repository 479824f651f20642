// What the page says about why an individual is better than its parent.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  componentRows,
  mutationOf,
  scoreWords,
  sentenceOf,
  signedText,
  testChanges,
  verdictOf,
  type Compared,
} from "../../../dashboard/src/controls/individual/differences.ts";
import type { TestResult } from "../../../src/model/fitness.ts";

const result = (name: string, passed: boolean): TestResult => ({
  name,
  passed,
  points: passed ? 1 : 0,
  pointsMax: 1,
  hidden: false,
});

const compared = (change: Partial<Compared>): Compared => ({
  score: 4.21,
  result: "ok",
  components: {},
  tests: [],
  ...change,
});

test("a score is better or worse by the direction of the evolution", () => {
  assert.equal(verdictOf(2, 3, "minimise"), "better");
  assert.equal(verdictOf(2, 3, "maximise"), "worse");
  assert.equal(verdictOf(3, 3, "maximise"), "same");
  for (const [now, then] of [
    [null, 3],
    [3, null],
    [3, Number.NaN],
  ] as const)
    assert.equal(verdictOf(now, then, "maximise"), "unknown");
});

test("the difference of a score is said in words", () => {
  assert.equal(scoreWords(3.9, 4.21, { direction: "minimise" }), "0.31 lower than its parent: better");
  assert.equal(scoreWords(3.9, 4.21, { direction: "maximise", than: "i1" }), "0.31 lower than i1: worse");
  assert.equal(scoreWords(4, 4, { direction: "maximise" }), "the same as its parent");
  assert.equal(scoreWords(null, 4, { direction: "maximise" }), "no score");
  assert.equal(scoreWords(4, null, { direction: "maximise" }), "the score of its parent is unknown");
});

test("the sentence of a step names scores, tests and components that changed", () => {
  const before = compared({
    components: { fit: 4.2, size: 10 },
    tests: [result("a", false), result("b", false), result("c", true), result("d", true)],
  });
  const own = compared({
    score: 3.97,
    components: { fit: 3.9, size: 10 },
    tests: [result("a", true), result("b", true), result("c", false), result("d", true)],
  });
  assert.equal(
    sentenceOf(own, before, "minimise"),
    "Score 4.21 → 3.97 (lower is better): 2 more tests pass (a, b); 1 test fails that passed before (c); fit 4.2 → 3.9.",
  );
});

test("the sentence of a step says what is not known", () => {
  assert.equal(sentenceOf(compared({}), null, "maximise"), "The beginning: score 4.21 (higher is better).");
  const none = compared({ score: null, result: "none" });
  assert.equal(sentenceOf(none, null, "maximise"), "Not evaluated yet.");
  assert.equal(
    sentenceOf(compared({ score: null, result: "timeout" }), compared({}), "maximise"),
    "No score: timeout.",
  );
  assert.equal(
    sentenceOf(compared({}), none, "maximise"),
    "Score 4.21 (higher is better); the one before has none.",
  );
  assert.equal(sentenceOf(compared({}), compared({}), "maximise"), "The same score 4.21 (higher is better).");
});

test("scores that differ by less than is shown of them are told apart", () => {
  assert.equal(
    sentenceOf(compared({ score: 1_000_000.5 }), compared({ score: 1_000_000.25 }), "maximise"),
    "Score 1,000,000, +0.25 (higher is better).",
  );
});

test("names of guests in a sentence are short and have nothing hidden in them", () => {
  const before = compared({ tests: [result(" \u202ename ", false)], components: { ["x".repeat(1e6)]: 1 } });
  const own = compared({ tests: [result(" \u202ename ", true)], components: { ["x".repeat(1e6)]: 2 } });
  const sentence = sentenceOf(own, before, "maximise");
  assert.match(sentence, /1 more test passes \(\\u202ename\)/);
  assert.ok(sentence.length < 200);
});

test("many changed components are counted, those that changed most come first", () => {
  const names = ["a", "b", "c", "d", "e"];
  const own = compared({ components: Object.fromEntries(names.map((name, index) => [name, 10 + index])) });
  const before = compared({ components: Object.fromEntries(names.map((name) => [name, 10])) });
  assert.match(
    sentenceOf(own, before, "maximise"),
    /: e 10 → 14; d 10 → 13; c 10 → 12; 1 more component changed\.$/,
  );
});

test("components of both sides have a row, with a difference where both have a value", () => {
  assert.deepEqual(componentRows({ a: 2, b: 3 }, { a: 1, c: 4 }), [
    { name: "a", value: 2, before: 1, difference: 1 },
    { name: "b", value: 3, before: null, difference: null },
    { name: "c", value: null, before: 4, difference: null },
  ]);
  // A name that every object has is not a component.
  assert.deepEqual(componentRows({ toString: 1 }), [
    { name: "toString", value: 1, before: null, difference: null },
  ]);
  assert.deepEqual(
    [signedText(0), signedText(1.5), signedText(-2), signedText(null)],
    ["±0", "+1.5", "−2", "unknown"],
  );
});

test("a test that one side does not have did not change", () => {
  assert.deepEqual(testChanges([result("new", true)], [result("old", false)]), { fixed: [], broken: [] });
});

test("a mutation record is shown by its names, anything else as JSON", () => {
  assert.deepEqual(mutationOf({ note: { deep: [1] }, operator: "point" }), {
    short: "point",
    rows: [
      { key: "note", text: '{"deep":[1]}' },
      { key: "operator", text: "point" },
    ],
    whole: '{"note":{"deep":[1]},"operator":"point"}',
  });
  assert.deepEqual(mutationOf(["x", 1]), { short: '["x",1]', rows: null, whole: '["x",1]' });
  assert.deepEqual(mutationOf("\u0000"), { short: "\\u0000", rows: null, whole: "\\u0000" });
  assert.equal(mutationOf(null), null);
  assert.equal(mutationOf({})?.short, "nothing said");
  const large = mutationOf(
    Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`k${index}`, index])),
  );
  assert.deepEqual(large?.rows?.at(-1), { key: "…", text: "30 more" });
});
