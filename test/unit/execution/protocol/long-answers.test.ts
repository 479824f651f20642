// Long answers travel beside their report and are put back where they belong; a cell that lies about them is found out.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  frameOfDone,
  longAnswerLength,
  withLongAnswers,
} from "../../../../src/execution/protocol/long-answers.ts";
import type { DoneReport } from "../../../../src/execution/protocol/messages.ts";
import { FrameError, FrameReader, toFrame } from "../../../../src/std/frames.ts";
import { doneItem } from "../../../support/done-item.ts";

const long = (letter: string): string => letter.repeat(longAnswerLength);
const report: DoneReport = {
  t: "done",
  quick: [1, "short", 0, 0, 0, 2, long("a"), 0, 0, 0, 3, 7, 0, 0, 0, 4, long("😀"), 0, 0, 0],
  items: [doneItem(5, long("b")), doneItem(6, ""), doneItem(7, `${long("c")}\ud800`), doneItem(8, 1)],
  heaps: [],
  states: [],
};

function read(frame: Buffer): unknown {
  let found: unknown;
  new FrameReader(2 ** 24).push(frame, (message, texts) => (found = withLongAnswers(message, texts)));
  return found;
}

suite("a report with long answers", () => {
  test("arrives as it was sent", () => {
    const { long: ops, ...rest } = read(frameOfDone(report)) as DoneReport & { long: unknown };
    assert.deepEqual(rest, report);
    // One that is not well-formed stays in the JSON, which can say so.
    assert.deepEqual(ops, [2, 4, 5]);
  });

  test("without any is an ordinary frame", () => {
    const short = { ...report, quick: [1, "short", 0, 0, 0], items: [doneItem(6, "")] };
    assert.deepEqual(frameOfDone(short), toFrame(short));
  });

  test("takes hardly more bytes than the answers have", () => {
    const quotes = { ...report, quick: [1, '"'.repeat(100_000), 0, 0, 0], items: [] };
    assert.ok(frameOfDone(quotes).length < 101_000);
  });
});

suite("texts that do not belong to their message are refused:", () => {
  const done = { t: "done", quick: [1, "", 0, 0, 0], items: [doneItem(2, "")], long: [1] };
  for (const [name, message, texts] of [
    ["too many", done, ["a", "b"]],
    ["too few", { ...done, long: [1, 2] }, ["a"]],
    ["of an unknown operation", { ...done, long: [9] }, ["a"]],
    ["of an answer that is there", { ...done, quick: [1, 5, 0, 0, 0] }, ["a"]],
    ["twice for one operation", { ...done, long: [1, 1, 2] }, ["a", "b", "c"]],
    ["of another message", { ...done, t: "log" }, ["a"]],
    ["of a list without answers", { ...done, items: null }, ["a"]],
    ["of nothing", null, ["a"]],
  ] as const)
    test(name, () => assert.throws(() => withLongAnswers(structuredClone(message), texts), FrameError));

  test("items of another form are left to the check of the report", () => {
    const odd = { ...done, items: [null, 1, doneItem(2, "")], long: [2] };
    assert.deepEqual(withLongAnswers(odd, ["a"]), { ...odd, items: [null, 1, doneItem(2, "a")] });
  });
});
