// The progress of long work: drawn at most ten times a second, gone at the end, and nowhere but on a terminal.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { Progress } from "../../../../src/cli/display/progress.ts";
import { Waiting } from "../../../../src/cli/display/waiting.ts";
import { widthOf } from "../../../../src/cli/display/neutralise.ts";
import { FakeClock } from "../../../../src/testing/fake-clock.ts";
import { FakeTerminal, type TerminalOptions } from "../../../support/terminal.ts";

const erase = "\r\u001b[K";

function begin(options: TerminalOptions = {}, total: number | undefined = 1_000) {
  const [terminal, clock] = [new FakeTerminal(options), new FakeClock()];
  const progress = new Progress({ stream: terminal.output, clock, what: "candidates", total });
  return { terminal, clock, progress };
}

test("progress tells how many of how many, the rate, and the time left", () => {
  const { terminal, clock, progress } = begin();
  clock.advance(10_000);
  progress.update(250);
  assert.equal(
    stripVTControlCharacters(terminal.take()).trim(),
    "█████░░░░░░░░░░░░░░░ 250 of 1,000 candidates · 25/s · 30 s left",
  );
});

test("progress is drawn at most ten times a second, with the latest count", () => {
  const { terminal, clock, progress } = begin();
  for (let count = 1; count <= 1_000; count++) {
    clock.advance(1);
    progress.update(count);
  }
  const drawn = terminal.text.split(erase).slice(1);
  assert.ok(drawn.length <= 8, `${drawn.length} times in 1 s, the first 300 ms without`);
  clock.advance(100);
  assert.match(stripVTControlCharacters(terminal.text.split(erase).at(-1) ?? ""), /1,000 of 1,000/);
});

test("progress vanishes at the end and is drawn no more", () => {
  const { terminal, clock, progress } = begin();
  clock.advance(1_000);
  progress.update(10);
  progress.update(20);
  progress.close();
  assert.ok(terminal.text.endsWith(erase));
  terminal.take();
  progress.update(30);
  clock.advance(1_000);
  assert.equal(terminal.take(), "");
  assert.equal(clock.pending, 0);
});

test("progress of quick work, or without a terminal, writes nothing", () => {
  const quick = begin();
  quick.clock.advance(100);
  quick.progress.update(1_000);
  quick.progress.close();
  assert.equal(quick.terminal.text, "");
  const piped = begin({ isTTY: false });
  piped.clock.advance(5_000);
  piped.progress.update(1_000);
  piped.progress.close();
  assert.equal(piped.terminal.text, "");
});

test("progress is never wider than the terminal", () => {
  for (const columns of [10, 20, 40]) {
    const { terminal, clock, progress } = begin({ columns });
    clock.advance(1_000);
    progress.update(10);
    assert.ok(widthOf(stripVTControlCharacters(terminal.text).trim()) < columns);
  }
});

test("progress without a total tells what there is", () => {
  const { terminal, clock, progress } = begin({}, undefined);
  const unbounded = new Progress({ stream: terminal.output, clock, what: "lines" });
  clock.advance(2_000);
  unbounded.update(5);
  assert.equal(stripVTControlCharacters(terminal.take()).trim(), "5 lines · 2.5/s · 2 s");
  progress.close();
});

test("one long step is told with its time, vanishes at its end, and is not told where it is short or there is no terminal", () => {
  const [terminal, clock] = [new FakeTerminal({ columns: 30 }), new FakeClock()];
  const what = "Exporting a\u001b[2J";
  {
    using _ = new Waiting({ stream: terminal.output, clock, what });
    clock.advance(200);
    assert.equal(terminal.text, "");
    clock.advance(4_300);
    const drawn = terminal.text.split(erase).at(-1) ?? "";
    assert.equal(stripVTControlCharacters(drawn), "Exporting a\\u001b[2J · 4 s");
  }
  assert.ok(terminal.text.endsWith(erase));
  assert.equal(clock.pending, 0);
  const piped = new FakeTerminal({ isTTY: false });
  using _ = new Waiting({ stream: piped.output, clock, what });
  clock.advance(5_000);
  assert.equal(piped.text, "");
});
