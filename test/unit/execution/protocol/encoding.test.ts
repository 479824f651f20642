// Every command and report arrives as it was sent, whichever kind of frame it travels in; a peer that lies is found out.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  commandFrom,
  frameOfCommand,
  frameOfReport,
  reportFrom,
} from "../../../../src/execution/protocol/encoding.ts";
import { longAnswerLength } from "../../../../src/execution/protocol/long-answers.ts";
import type { Command, DoneReport, Report, RunGroup } from "../../../../src/execution/protocol/messages.ts";
import { FrameReader, Numbers, toFrame } from "../../../../src/std/frames.ts";
import { doneItem } from "../../../support/done-item.ts";

const group: RunGroup = {
  op: 7,
  lane: "sync",
  module: "main",
  export: "größe",
  timeoutMs: 0.5,
  cpuMs: null,
  fuel: null,
  keys: [3],
  args: [[1, "x\ud800", true]],
};
const runs: readonly (readonly [string, RunGroup[], isShort: boolean])[] = [
  ["one run", [group], true],
  ["one with encoded arguments", [{ ...group, args: ['V["ä"]'] }], true],
  ["one with an encoded argument that is empty", [{ ...group, args: [""] }], true],
  ["one with encoded arguments that are not well-formed", [{ ...group, args: ['"\ud800"'] }], false],
  ["one with a name that is not well-formed", [{ ...group, export: "\ud800" }], false],
  ["one with numbers", [{ ...group, args: [[1, 2.5, -3]] }], true],
  ["one with a number and another", [{ ...group, args: [[1, null]] }], true],
  ["one without names", [{ ...group, module: "", export: "" }], true],
  ["one with all bounds", [{ ...group, lane: "async", cpuMs: 20, fuel: 0 }], true],
  ["one in a slice", [{ ...group, lane: "slice", cpuMs: 0, fuel: 10 }], true],
  ["one without arguments", [{ ...group, args: [[]] }], true],
  ["a function that travels along", [{ ...group, module: "", export: "", code: "() => 1" }], false],
  ["a message to a process", [{ ...group, tell: "ask" }], false],
  ["a step of a stream", [{ ...group, stream: { id: 1, verb: "open" } }], false],
  ["runs in two sandboxes", [{ ...group, keys: [3, 4], args: [[1], [2]] }], false],
  ["runs in two groups", [group, { ...group, op: 8 }], false],
  ["no run", [], false],
];

function through<T>(frame: Buffer, from: (message: unknown, texts: readonly string[]) => T): T | undefined {
  let found: T | undefined;
  new FrameReader(2 ** 24).push(frame, (message, texts) => (found = from(message, texts)));
  return found;
}

const isShort = (frame: Buffer): boolean => frame[4] === 1;

suite("a command arrives as it was sent:", () => {
  for (const [name, groups, short] of runs) {
    test(name, () => {
      const frame = frameOfCommand({ t: "run", groups });
      assert.deepEqual(through(frame, commandFrom), { t: "run", groups });
      assert.equal(isShort(frame), short);
    });
  }
  test("one that is no run", () => {
    const command: Command = { t: "hold", key: 1, isHeld: true };
    assert.deepEqual(through(frameOfCommand(command), commandFrom), command);
  });
});

const done: DoneReport = { t: "done", quick: [], items: [], heaps: [], states: [] };
const long = "a".repeat(longAnswerLength);
const sample = {
  key: 1,
  heapBytes: 2,
  heapPeakBytes: 3,
  externalBytes: 4,
  processes: 0,
  processesMax: 0,
  queueMax: 0,
  isolate: 1,
  sandboxes: 1,
};
const reports: readonly (readonly [string, Report, isShort: boolean])[] = [
  ["a number", { ...done, quick: [1, -1.5, 10, 20, 30] }, true],
  ["several numbers", { ...done, quick: [1, 42, 10, 20, 30, 2, 43, 10, 20, 30] }, true],
  ["a text", { ...done, quick: [1, '"größe 😀"', 10, 20, 30] }, true],
  ["an empty text", { ...done, quick: [1, "", 10, 20, 30] }, true],
  ["a text that is not well-formed", { ...done, quick: [1, '"\ud800"', 10, 20, 30] }, false],
  ["a number and a text", { ...done, quick: [1, 42, 10, 20, 30, 2, "x", 10, 20, 30] }, false],
  [
    "a number with more than that",
    { ...done, quick: [1, 42, 1, 2, 3], states: [{ key: 1, capture: "x", begun: [] }] },
    false,
  ],
  ["a number with a sample", { ...done, quick: [1, 42, 1, 2, 3], heaps: [sample] }, false],
  ["a number with another item", { ...done, quick: [1, 42, 1, 2, 3], items: [doneItem(2, 1)] }, false],
  ["the longest text that is not long", { ...done, quick: [1, long.slice(1), 10, 20, 30] }, true],
  ["what is no answer", { t: "pending", op: 1, startedUs: 5 }, false],
];

suite("a report arrives as it was sent:", () => {
  for (const [name, report, short] of reports) {
    test(name, () => {
      const frame = frameOfReport(report);
      assert.deepEqual(through(frame, reportFrom), report);
      assert.equal(isShort(frame), short);
    });
  }
  test("a long text", () => {
    const report = { ...done, quick: [1, long, 10, 20, 30] };
    const frame = frameOfReport(report);
    assert.equal(isShort(frame), false);
    const read = through(frame, reportFrom) as DoneReport;
    assert.deepEqual(read.quick, report.quick);
  });
});

suite("numbers that are no message are refused:", () => {
  const refusals: readonly (readonly [string, readonly number[], string])[] = [
    ["none", [], "ab"],
    ["a lane that there is not", [1, 3, 1, -1, -1, 1, 1, 1, 0], "ab"],
    ["a part of a lane", [1, 0.5, 1, -1, -1, 1, 1, 1, 0], "ab"],
    ["an operation that is no count", [NaN, 0, 1, -1, -1, 1, 1, 1, 0], "ab"],
    ["a time that is none", [1, 0, Infinity, -1, -1, 1, 1, 1, 0], "ab"],
    ["a bound below zero", [1, 0, 1, -2, -1, 1, 1, 1, 0], "ab"],
    ["no sandbox", [1, 0, 1, -1, -1], "ab"],
    ["no arguments", [1, 0, 1, -1, -1, 1, 1, 1], "ab"],
    ["fewer arguments than it says", [1, 0, 1, -1, -1, 1, 1, 1, 2, 5], "ab"],
    ["more arguments than it says", [1, 0, 1, -1, -1, 1, 1, 1, 1, 5, 6], "ab"],
    ["more arguments than there may be", [1, 0, 1, -1, -1, 1, 1, 1, 4, 5, 6, 7, 8], "ab"],
    ["numbers and a text", [1, 0, 1, -1, -1, 1, 1, 1, 0], "abc"],
    ["arguments that are no list", [1, 0, 1, -1, -1, 1, 1, 1, -2], 'ab{"length":3}'],
    ["arguments that are no JSON", [1, 0, 1, -1, -1, 1, 1, 1, -2], "ab["],
    ["arguments of an unknown form", [1, 0, 1, -1, -1, 1, 1, 1, -3], "ab"],
  ];
  for (const [name, values, text] of refusals)
    test(`as a command: ${name}`, () => assert.equal(commandFrom(new Numbers(values), [text]), undefined));

  for (const values of [
    [1],
    [1, 2],
    [1, 2, 3, 4, 5, 6],
    [NaN, 1, 1, 1, 1],
    [1, NaN, 1, 1, 1],
    [1, 1, -1, 1, 1],
    [1.5, 1, 1, 1],
  ])
    test(`as a report: ${values.join(" ")}`, () =>
      assert.equal(reportFrom(new Numbers(values), [""]), undefined));

  test("JSON that looks like numbers is no message", () => {
    assert.equal(through(toFrame([1, 42, 10, 20, 30]), reportFrom), undefined);
    assert.equal(through(toFrame({ values: [1, 42, 10, 20, 30] }), reportFrom), undefined);
  });
});
