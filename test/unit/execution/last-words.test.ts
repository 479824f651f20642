// Why a process ended, in one line of what it said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lastWordsIn } from "../../../src/execution/last-words.ts";

test("lastWordsIn() finds the reason between V8's marks, and otherwise the first words", () => {
  const fatal =
    "\n\n#\n# Fatal error in , line 0\n# Check failed: heap.IsFull().\n#\n#\n----- Native stack trace -----\n";
  const cases: readonly (readonly [said: string, words: string])[] = [
    [fatal, "Check failed: heap.IsFull()."],
    ["#\n# Fatal error in , line 0\n#", "Fatal error in , line 0"],
    ["<--- Last few GCs --->\n\nFATAL ERROR: Reached heap limit\n", "FATAL ERROR: Reached heap limit"],
    ["no room\nmore", "no room"],
    ["#\n#\n", ""],
    ["", ""],
  ];
  for (const [said, words] of cases) assert.equal(lastWordsIn(said), words);
});
