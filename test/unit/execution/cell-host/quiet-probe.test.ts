// After a cut, an isolate is used further when an empty entry returns; one that found no time for it is asked again.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usual } from "../../../support/fake-isolate.ts";
import { HandlerBench } from "../../../support/handler-bench.ts";

interface Cut {
  /** How many empty entries do not return. */
  readonly inVain: number;
  /** What each of them and the machine's other work take. */
  readonly probeMs: number;
  readonly elsewhereMs: number;
}

/** A run that is cut: how many empty entries followed, and whether the sandbox lost its variables. */
async function cut({ inVain, probeMs, elsewhereMs }: Cut): Promise<{ probes: number; isLost: boolean }> {
  const at = new HandlerBench();
  const isolate = at.load(1);
  await at.settle();
  let probes = 0;
  isolate.guest = (name) => {
    if (name === "probe" && ++probes > inVain) return usual[name];
    if (name !== "call" && name !== "probe") return usual[name];
    at.clock.advance(name === "call" ? 300 : probeMs);
    if (name === "probe") at.elsewhereMs += elsewhereMs;
    throw new Error("cut");
  };
  // One that must end soon is not sliced.
  const op = at.run(1, { timeoutMs: 20 });
  await at.settle();
  assert.equal(at.item(op)?.verdict, "timeout");
  assert.equal(at.item(op)?.isLost, isolate.isDisposed);
  return { probes, isLost: isolate.isDisposed };
}

suite("after a cut an isolate", () => {
  test("that answers is used further", async () => {
    assert.deepEqual(await cut({ inVain: 0, probeMs: 100, elsewhereMs: 0 }), { probes: 1, isLost: false });
    assert.deepEqual(await cut({ inVain: 1, probeMs: 100, elsewhereMs: 0 }), { probes: 2, isLost: false });
  });

  test("that computes on is ended", async () => {
    assert.deepEqual(await cut({ inVain: 9, probeMs: 100, elsewhereMs: 0 }), { probes: 2, isLost: true });
  });

  test("that had no time to answer is asked again, and used further when it does", async () => {
    assert.deepEqual(await cut({ inVain: 5, probeMs: 100, elsewhereMs: 90 }), { probes: 6, isLost: false });
  });

  test("that never has time to answer is ended all the same", async () => {
    assert.deepEqual(await cut({ inVain: 99, probeMs: 100, elsewhereMs: 90 }), { probes: 6, isLost: true });
  });
});
