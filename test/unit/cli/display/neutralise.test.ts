// What a terminal would obey in a guest's text, and how wide the rest of it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cutTo, fitTo, neutralised, widthOf } from "../../../../src/cli/display/neutralise.ts";

const hostile = {
  "clears the screen": "\u001b[2J",
  "sets the title": "\u001b]0;owned\u0007",
  "writes to the clipboard": "\u001b]52;c;YQ==\u001b\\",
  "moves the cursor": "\u001b[1;1H",
  "is a C1 control": "\u009b31m",
  "rings, goes back and returns": "\u0007\b\r",
  "turns the direction of writing": "\u202eabc\u202c\u2066\u2069\u061c",
  "is not seen": "\u200b\u200d\ufeff\u00ad",
  "ends a line in Unicode's own way": "\u2028\u2029\u0085",
  "is a tag": "\u{e0041}",
};

/* oxlint-disable no-control-regex -- these are what is looked for */
const obeyed =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/u;

for (const [what, text] of Object.entries(hostile)) {
  test(`text that ${what} is written as escapes`, () => {
    for (const multiline of [false, true]) {
      const safe = neutralised(`a${text}b`, { multiline });
      assert.doesNotMatch(safe, obeyed);
      assert.match(safe, /^a\\u[^]*b$/);
    }
  });
}

test("line feeds stay where several lines are wanted, and are shown where one is", () => {
  assert.equal(neutralised("a\r\nb\n", { multiline: true }), "a\nb\n");
  assert.equal(neutralised("a\r\nb\n"), "a\\nb\\n");
  assert.equal(neutralised("\tx"), "    x");
});

test("a character carries three marks at most", () => {
  assert.equal(neutralised(`z${"\u0301".repeat(50)}!`), `z${"\u0301".repeat(3)}!`);
});

test("text that is neutralised stays as it is when that is done again", () => {
  for (const text of Object.values(hostile)) assert.equal(neutralised(neutralised(text)), neutralised(text));
});

test("wide characters take two columns, and marks none", () => {
  assert.equal(widthOf("abc"), 3);
  assert.equal(widthOf("日本語"), 6);
  assert.equal(widthOf("한글"), 4);
  assert.equal(widthOf("e\u0301"), 1);
  assert.equal(widthOf("🙂"), 2);
  assert.equal(widthOf("─█…·"), 4);
});

test("text is cut at columns, never inside of a wide character", () => {
  assert.equal(cutTo("abcdef", 6), "abcdef");
  assert.equal(cutTo("abcdef", 5), "abcd…");
  assert.equal(cutTo("日本語", 6), "日本語");
  assert.equal(cutTo("日本語", 5), "日本…");
  assert.equal(cutTo("日本語", 4), "日…");
  assert.equal(cutTo("日本語", 1), "…");
  assert.equal(cutTo("a", 0), "");
  for (let width = 0; width < 12; width++) assert.ok(widthOf(cutTo("a日b本c🙂d", width)) <= width);
});

test("text is fitted to exactly the width of a column", () => {
  for (const text of ["", "ab", "日本語日本語"])
    for (const side of ["left", "right"] as const) assert.equal(widthOf(fitTo(text, 7, side)), 7);
});
