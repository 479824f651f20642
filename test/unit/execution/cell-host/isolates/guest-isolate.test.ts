// The one place that touches isolates: what it answers when one is gone, and that it is the only one.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { FakeIsolate } from "../../../../support/fake-isolate.ts";

const MiB = 2 ** 20;

/** An isolate and how often it was said to be gone. */
function watched(): { readonly fake: FakeIsolate; readonly gone: () => number } {
  const fake = new FakeIsolate();
  let count = 0;
  fake.booted.isolate.onGone = () => count++;
  return { fake, gone: () => count };
}

suite("GuestIsolate", () => {
  test("it answers what is known when the engine has ended it, and tells once", () => {
    const { fake, gone } = watched();
    const { isolate } = fake.booted;
    fake.cpuMs++;
    assert.deepEqual([isolate.cpuMs(), isolate.held()], [1, { heapBytes: 2 ** 20, externalBytes: 0 }]);
    fake.die();
    assert.equal(isolate.isGone, false);
    assert.deepEqual([isolate.cpuMs(), isolate.held(), isolate.checkGone()], [1, undefined, true]);
    isolate.end("timeout");
    assert.deepEqual([isolate.isGone, isolate.goneBy, gone()], [true, "memory", 1]);
  });

  test("it keeps the reason for which it was ended", () => {
    const { fake, gone } = watched();
    fake.booted.isolate.end("cpu");
    fake.booted.isolate.end("timeout");
    assert.deepEqual([fake.isDisposed, fake.booted.isolate.goneBy, gone()], [true, "cpu", 1]);
  });

  test("it leaves the reason to the engine where that was faster", () => {
    const { fake, gone } = watched();
    fake.beforeMeter = () => fake.die();
    fake.booted.isolate.end("timeout");
    assert.deepEqual([fake.booted.isolate.goneBy, gone()], ["memory", 1]);
  });

  test("its part of the heap is what it holds beyond what others left, until that is collected", () => {
    const { fake } = watched();
    const { isolate } = fake.booted;
    fake.heapBytes = 6 * MiB;
    isolate.inherit(MiB);
    assert.deepEqual([isolate.partOf(6 * MiB), isolate.partOf(8 * MiB)], [MiB, 3 * MiB]);
    assert.deepEqual([isolate.partOf(5 * MiB), isolate.partOf(8 * MiB)], [5 * MiB, 8 * MiB]);
  });

  test("its part of the heap is an even one where others are in it, also of what they had before it", () => {
    const { fake } = watched();
    const { isolate } = fake.add();
    fake.heapBytes = 6 * MiB;
    isolate.inherit(MiB);
    assert.deepEqual([isolate.partOf(8 * MiB), fake.booted.isolate.partOf(8 * MiB)], [4 * MiB, 4 * MiB]);
  });

  test("it asks once more where a rejection that a guest left behind met the meter", () => {
    const { fake, gone } = watched();
    let left = 1;
    fake.beforeMeter = () => {
      if (left-- > 0) throw new RangeError("a guest's own");
    };
    assert.deepEqual(fake.booted.isolate.held(), { heapBytes: 2 ** 20, externalBytes: 0 });
    assert.equal(gone(), 0);
  });
});

test("nothing else in a cell imports isolated-vm", () => {
  const importers = globSync("src/**/*.ts").filter((path) =>
    /from "isolated-vm"/.test(readFileSync(path, "utf8")),
  );
  assert.deepEqual(importers.sort(), [
    "src/execution/cell-host/isolates/bare-isolate.ts",
    "src/execution/cell-host/isolates/booted-isolate.ts",
    "src/execution/cell-host/isolates/guest-isolate.ts",
    "src/execution/cell-host/isolates/references.ts",
    "src/execution/cell-host/isolates/shared-isolate.ts",
  ]);
});
