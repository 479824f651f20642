// What a sandbox uses, as its cell counts it: processor time of the last second, and console output of a run.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { CpuWindow, OutputMeter } from "../../../../../src/execution/cell-host/isolates/meters.ts";

suite("CpuWindow", () => {
  /** What the window answers to these notes of moment and processor time, one after the other. */
  const answers = (...notes: readonly (readonly [number, number])[]): number[] => {
    const window = new CpuWindow();
    return notes.map(([atMs, cpuMs]) => window.note(atMs, cpuMs));
  };

  test("it answers what was used since the first note within a second", () => {
    assert.deepEqual(answers([0, 50], [100, 150], [900, 250]), [0, 100, 200]);
  });

  test("it forgets what was used more than a second ago", () => {
    assert.deepEqual(answers([0, 0], [200, 200], [1_200, 200], [2_200, 200]).slice(2), [0, 0]);
  });

  test("it counts of a time in which nobody looked no more than must have been within the last second", () => {
    assert.deepEqual(answers([0, 0], [1_300, 200]), [0, 0]);
    assert.deepEqual(answers([0, 0], [1_100, 200]), [0, 100]);
    assert.deepEqual(answers([0, 0], [1_300, 1_300]), [0, 1_000]);
  });

  test("it goes on counting over a second that is in full use", () => {
    const used = answers(...Array.from({ length: 30 }, (_, n) => [n * 100, n * 100] as const));
    assert.deepEqual(
      used.slice(10),
      Array.from({ length: 20 }, () => 1_000),
    );
  });
});

suite("OutputMeter", () => {
  test("it takes lines up to exactly its bytes, each with its newline", () => {
    const meter = new OutputMeter(10);
    assert.deepEqual(
      [meter.write(1, "1234"), meter.write(1, "6789"), meter.isOver, meter.bytes],
      [true, true, false, 10],
    );
    assert.deepEqual(meter.drain(), [
      [1, "1234"],
      [1, "6789"],
    ]);
    assert.deepEqual(meter.drain(), []);
  });

  test("it cuts the line that no longer fits, says so, and takes no more", () => {
    const meter = new OutputMeter(10);
    meter.write(1, "1234");
    assert.equal(meter.write(4, "67890"), false);
    assert.equal(meter.write(1, "x"), false);
    assert.deepEqual([meter.isOver, meter.bytes], [true, 10]);
    assert.deepEqual(meter.drain().at(-1), [4, "67890… (output cut at 10 bytes)"]);
  });

  test("it counts bytes of UTF-8, not letters", () => {
    const meter = new OutputMeter(7);
    assert.equal(meter.write(1, "日本"), true);
    assert.equal(meter.write(1, ""), false);
  });

  test("it takes nothing where nothing may be written", () => {
    const meter = new OutputMeter(0);
    assert.deepEqual([meter.write(1, ""), meter.isOver, meter.bytes], [false, true, 0]);
  });

  test("it begins anew when it is restarted, with another bound if there is one", () => {
    const meter = new OutputMeter(3);
    meter.write(1, "1234");
    meter.restart(20);
    assert.deepEqual([meter.isOver, meter.bytes, meter.write(1, "1234567890")], [false, 0, true]);
  });
});
