// How many short runs are at a cell at a time.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { SendWindow } from "../../../../src/orchestration/cells/send-window.ts";

suite("short runs at a cell", () => {
  test("are many where calls come in numbers, or none came", () => {
    const window = new SendWindow();
    assert.equal(window.open(0), 64);
    for (let n = 0; n < 2; n++) window.noteArrival();
    assert.equal(window.open(1), 64);
  });

  test("are few for a tenth of a second after a call that came alone, and then many again", () => {
    const window = new SendWindow();
    window.noteArrival();
    assert.equal(window.open(1_000), 16);
    for (let n = 0; n < 100; n++) window.noteArrival();
    assert.equal(window.open(1_099), 16);
    assert.equal(window.open(1_100), 64);
  });
});
