// The display of the demo: pictures that fit into any terminal, numbers that add up, and a terminal that is given back.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { chart } from "../../../../examples/demo/display/chart.ts";
import { frame, type View } from "../../../../examples/demo/display/frame.ts";
import { hostileHeading, hostileLines, sumOf, tallyOf } from "../../../../examples/demo/display/tally.ts";
import { Terminal } from "../../../../examples/demo/display/terminal.ts";
import {
  counted,
  cut,
  paint,
  widthOf,
  wrap,
  wrapCode,
  type Line,
} from "../../../../examples/demo/display/text.ts";

const plain = (line: Line): string =>
  line.map((part) => (typeof part === "string" ? part : part.text)).join("");
const counts = {
  evaluations: 3_010,
  outcomes: { ok: 2_871, fuel: 30, "invalid-score": 4 },
  fates: { forever: { fuel: 30 }, leak: { memory: 20 }, "patch the scorer": { "invalid-score": 11 } },
  choices: 44,
  repeated: {},
};
const program = `export function priority(item: number, room: number): number {
  const rest = room - item;
  return ${Array.from({ length: 30 }, (_, at) => `Math.max(rest, ${at} * item)`).join(" + ")};
}`;
const early: View = {
  title: "Evolves a rule that packs items, which come one by one, into few bins",
  terms: "bin-packing · seed 1 · 800 programs per generation on 4 islands",
  notes: [],
  share: 0,
  budget: "0 %, 0 of 7,000 evaluations",
  evaluationsPerSecond: 0,
  durationMs: 10,
  generation: 0,
  tried: 0,
  toTry: 0,
  unit: "% excess",
  meaning: "excess: bins beyond the lower bound, in % of it",
  known: { "Best Fit": 5.783 },
  best: undefined,
  spread: undefined,
  choice: undefined,
  history: [],
  tally: tallyOf({ ...counts, evaluations: 0, outcomes: {}, fates: {}, choices: 0 }),
  program: undefined,
  isEnding: false,
};
const late: View = {
  ...early,
  notes: [`Saves its progress in ${"a-long-folder/".repeat(20)} after each generation.`],
  share: 0.43,
  budget: "43 %, 3,010 of 7,000 evaluations",
  durationMs: 23_000,
  generation: 130,
  best: 4.72,
  spread: [5.01, 5.55, 6.18],
  choice: "1.19 points of excess less than Best Fit, on other bins",
  history: Array.from({ length: 130 }, (_, at) => 5.6 - at / 150),
  tally: tallyOf(counts),
  program,
};

for (const columns of [20, 40, 80, 139, 140, 200])
  for (const rows of [3, 10, 24, 60])
    for (const [when, view] of Object.entries({ early, late })) {
      test(`a picture of a run, ${when}, is not larger than ${columns} × ${rows}`, () => {
        const lines = frame(view, { columns, rows });
        assert.ok(lines.length <= rows, `${lines.length} lines`);
        for (const line of lines) assert.ok(widthOf(line) <= columns, plain(line));
        assert.ok(lines.map(plain).join("\n").includes("Budget"));
      });
    }

test("a picture says what a score is, which way is better, and the best one beside what is known", () => {
  const text = frame(late, { columns: 80, rows: 24 }).map(plain).join("\n");
  assert.match(text, /^Score +excess: bins beyond .* Lower is better\.$/m);
  assert.match(text, /^Best +4\.720 % excess {2}Best Fit 5\.783/m);
  assert.match(text, /5\.600 ┤█[^]* 4\.740 ┤[^]*└0─+ 129/);
  assert.match(text, /Ctrl-C ends with the best so far/);
});

test("a wide picture has the hostile programs and the best program beside the rest", () => {
  const text = frame(late, { columns: 200, rows: 30 }).map(plain).join("\n");
  assert.match(text, /Budget[^]*had no effect[^]*export function priority/);
});

test("the kinds of evaluations add up, and a hostile program that had no effect is told as that", () => {
  const tally = tallyOf(counts);
  const [, sum = "", parts = ""] = /^([\d,]+) = (.*)$/.exec(sumOf(tally)) ?? [];
  const numberOf = (text: string): number => Number(/[\d,]+/.exec(text)?.[0].replace(",", ""));
  const total = parts.split(" + ").reduce((all, part) => all + numberOf(part), 0);
  assert.deepEqual([numberOf(sum), total], [3_010, 3_010]);
  assert.deepEqual(hostileLines(tally), [
    "30 tried to run forever        stopped when its fuel was used up",
    "20 tried to use up the memory  stopped at its memory limit",
    "11 tried to patch the scorer   had no effect: the host counts the score",
  ]);
  const odd = tallyOf({ ...counts, fates: { leak: { memory: 2, timeout: 1 } } });
  assert.deepEqual(hostileLines(odd), [
    "3 tried to use up the memory  stopped at its memory limit; otherwise: timeout 1",
  ]);
  // It had given its answer before, and the host has scored that.
  const answered = tallyOf({ ...counts, fates: { "patch the scorer": { "invalid-score": 2, ok: 1 } } });
  assert.deepEqual(hostileLines(answered), [
    "3 tried to patch the scorer  had no effect: the host counts the score",
  ]);
});

test("a chart has its highest and lowest value and the generations on its axes, in one row too", () => {
  assert.deepEqual(chart([6, 5.5, 5], { width: 40, rows: 2 }).map(plain), [
    " 6.000 ┤█▁ ",
    " 5.000 ┤██▁",
    "       └0─ 2 generations",
  ]);
  assert.deepEqual(chart([5], { width: 40, rows: 1 }).map(plain), [" 5.000 ┤▁", "       └0 generation"]);
  assert.deepEqual(chart([], { width: 40, rows: 1 }), []);
  const long = chart(
    Array.from({ length: 1_000 }, (_, at) => at),
    { width: 30, rows: 1 },
  );
  assert.ok(long.every((line) => widthOf(line) <= 30));
});

test("text is broken at spaces, and a program so that it means the same", () => {
  assert.deepEqual(wrap("one two three", 8, "  "), ["one two", "  three"]);
  assert.equal(plain(cut(["abcdef"], 4)), "abc…");
  const lines = wrapCode(program, 60);
  assert.ok(lines.every((line) => line.length <= 60));
  const run = (code: string): unknown => {
    const body = code.replace("export ", "").replaceAll(": number", "");
    // oxlint-disable-next-line typescript/no-implied-eval -- the code is written above
    const f = new Function(`${body} return priority(30, 70);`) as () => unknown;
    return f();
  };
  assert.equal(run(lines.join("\n")), run(program));
});

class FakeStream extends EventEmitter {
  readonly isTTY = true;
  columns = 20;
  rows = 4;
  written = "";

  write(text: string): boolean {
    this.written += text;
    return true;
  }
}

test("a terminal shows pictures on its second screen, without a line feed in its last row, and is given back", () => {
  const stream = new FakeStream();
  let resized = 0;
  // Only these members are used.
  const terminal = new Terminal(stream as never as NodeJS.WriteStream, () => resized++);
  terminal.close();
  assert.equal(stream.written, "", "nothing to give back yet");
  terminal.draw([["one"], ["two"]]);
  assert.equal(
    stream.written,
    "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[Hone\u001b[K\r\ntwo\u001b[K\r\n\u001b[J",
  );
  stream.written = "";
  stream.emit("resize");
  terminal.draw(Array.from({ length: 9 }, () => ["x".repeat(30)]));
  const row = `${"x".repeat(19)}…`;
  assert.equal(stream.written, `\u001b[H${[row, row, row, row].join("\r\n")}`);
  stream.written = "";
  terminal.close();
  terminal.close();
  stream.emit("resize");
  assert.equal(stream.written, "\u001b[?7h\u001b[?25h\u001b[?1049l");
  assert.equal(resized, 1);
});

test("colours are left out where the stream shows none", () => {
  const stream = new PassThrough() as never as NodeJS.WriteStream; // It is no terminal, which is all that matters.
  assert.equal(paint([{ text: "a", style: "green" }, "b"], stream), "ab");
});

test("what is counted is singular where it is one", () => {
  assert.deepEqual(
    [0, 1, 2_000].map((count) => counted(count, "step")),
    ["0 steps", "1 step", "2,000 steps"],
  );
  const one = tallyOf({ ...counts, fates: { forever: { fuel: 1 } } });
  assert.equal(hostileHeading(one), "1 program was made hostile");
  assert.equal(hostileHeading(tallyOf(counts)), "61 programs were made hostile");
  const axes = [[2], [2, 1], [3, 2, 1]].map((values) => chart(values, { width: 40, rows: 1 }).at(-1) ?? []);
  assert.deepEqual(
    axes.map((axis) => plain(axis).replace(/^.*─ /, "").trim()),
    ["└0 generation", "1 generation", "2 generations"],
  );
});
