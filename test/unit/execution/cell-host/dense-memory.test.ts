// Whose verdict it is when several sandboxes in one isolate hold too much.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { denseBench, limits } from "../../../support/handler-bench.ts";

const MiB = 2 ** 20;

suite("the memory of a dense isolate", () => {
  const lowered = { ...limits, memoryBytes: 16 * MiB };
  for (const [heldMiB, verdict] of [
    [30, "answered"],
    [34, "memory"],
  ] as const) {
    test(`a limit that is lowered is one for its part of ${heldMiB} MiB: ${verdict}`, async () => {
      const { at, isolate } = await denseBench(1, 2);
      at.handler.handle({ t: "limits", key: 1, limits: lowered });
      isolate.heapBytes = heldMiB * MiB;
      const op = at.order(1, "sample");
      await at.settle();
      assert.deepEqual([at.item(op)?.verdict, isolate.isDisposed], [verdict, verdict === "memory"]);
    });
  }

  test("what all of them hold is bounded where a limit was lowered, however small the part of each", async () => {
    const { at, isolate } = await denseBench(1, 2, 3, 4);
    at.handler.handle({ t: "limits", key: 1, limits: lowered });
    isolate.heapBytes = 34 * MiB;
    const op = at.order(1, "sample");
    await at.settle();
    assert.deepEqual([at.item(op)?.verdict, isolate.isDisposed], ["memory", true]);
  });

  test("one that holds too much after a collection costs the others their isolate", async () => {
    const { at, isolate } = await denseBench(1, 2);
    isolate.heapBytes = 500 * 2 ** 20;
    const op = at.order(1, "sample");
    await at.settle();
    assert.deepEqual([at.item(op)?.verdict, isolate.isDisposed], ["memory", true]);
    assert.deepEqual(
      at.reports.filter((report) => report.t === "background" && report.verdict === "neighbour"),
      [{ t: "background", key: 2, verdict: "neighbour", isLost: true }],
    );
  });
});
