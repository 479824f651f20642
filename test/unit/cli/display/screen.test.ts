// Full pages: the second screen is entered, redrawn within its size, and given back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { Screen, type Key } from "../../../../src/cli/display/screen.ts";
import { FakeTerminal } from "../../../support/terminal.ts";

const [enter, leave] = ["\u001b[?1049h", "\u001b[?1049l"];
const events = ["exit", "uncaughtExceptionMonitor", "SIGTSTP", "SIGCONT", "SIGTERM", "SIGHUP"] as const;

function open(onKey: (key: Key) => void = () => undefined) {
  const terminal = new FakeTerminal({ columns: 20, rows: 3 });
  let resized = 0;
  const screen = new Screen({
    input: terminal.input,
    output: terminal.output,
    onKey,
    onResize: () => resized++,
  });
  return { terminal, screen, resized: () => resized };
}

test("a screen enters the second screen once and gives back everything", () => {
  const before = events.map((event) => process.listenerCount(event));
  const { terminal, screen } = open();
  screen.open();
  assert.equal(terminal.isRaw, true);
  screen.draw([["one"]]);
  screen.draw([["two"]]);
  screen.close();
  screen.close();
  assert.equal(terminal.text.split(enter).length, 2);
  assert.equal(terminal.text.split(leave).length, 2);
  assert.ok(terminal.text.endsWith(leave));
  assert.equal(terminal.isRaw, false);
  assert.deepEqual(
    events.map((event) => process.listenerCount(event)),
    before,
  );
});

test("a page is cut to the terminal's rows and columns, and its text is neutralised", () => {
  using screens = open().screen;
  assert.deepEqual(screens.size, { columns: 20, rows: 3 });
  const { terminal, screen } = open();
  screen.open();
  terminal.take();
  screen.draw([["x".repeat(50)], ["\u001b[2J"], ["three"], ["four"]]);
  const lines = stripVTControlCharacters(terminal.take()).split("\r\n");
  assert.deepEqual(lines, [`${"x".repeat(19)}…`, "\\u001b[2J", "three"]);
  screen.close();
});

test("a screen asks for a new page when the terminal gets another size", () => {
  const { terminal, screen, resized } = open();
  screen.open();
  terminal.resize(40, 10);
  assert.equal(resized(), 1);
  assert.deepEqual(screen.size, { columns: 40, rows: 10 });
  screen.close();
  terminal.resize(50, 10);
  assert.equal(resized(), 1);
});

test("keys come by their names, and none once it is closed", () => {
  const keys: string[] = [];
  const { terminal, screen } = open(({ name, ctrl }) => void keys.push(ctrl ? `ctrl-${name}` : name));
  screen.open();
  for (const text of ["q", "\u001b[A", "\u0003", "?"]) terminal.input.emit("data", Buffer.from(text));
  assert.deepEqual(keys, ["q", "up", "ctrl-c", "?"]);
  screen.close();
  terminal.input.emit("data", Buffer.from("q"));
  assert.equal(keys.length, 4);
});
