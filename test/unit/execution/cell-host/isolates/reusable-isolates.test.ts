// Which isolates another sandbox may have.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  denseMax,
  ReusableIsolates,
} from "../../../../../src/execution/cell-host/isolates/reusable-isolates.ts";
import type { SharedIsolate } from "../../../../../src/execution/cell-host/isolates/shared-isolate.ts";
import { FakeIsolate } from "../../../../support/fake-isolate.ts";

const memoryMiB = 32;

/** An isolate that its only sandbox leaves. */
function left(reusable: ReusableIsolates, change: (isolate: FakeIsolate) => void = () => {}): FakeIsolate {
  const isolate = new FakeIsolate();
  isolate.shared.onLeft = () => reusable.noteLeft(isolate.shared);
  change(isolate);
  isolate.booted.isolate.end("gone", { isReusable: true });
  return isolate;
}

const smallOne = (isolate: FakeIsolate): void => void (isolate.heapBytes = 2 ** 19);

test("an isolate without a sandbox is given once, to one of its size", () => {
  const reusable = new ReusableIsolates();
  const { shared } = left(reusable);
  assert.equal(reusable.takeIdle(memoryMiB * 2), undefined);
  assert.equal(reusable.takeIdle(memoryMiB), shared);
  assert.equal(reusable.takeIdle(memoryMiB), undefined);
});

test("one that holds much, has had many contexts or is gone is not given", () => {
  const reusable = new ReusableIsolates();
  const full = left(reusable, (isolate) => (isolate.heapBytes = 9 * 2 ** 20));
  const buffers = left(reusable, (isolate) => (isolate.externalBytes = 20 * 2 ** 20));
  const worn = left(reusable, ({ shared }) => (shared.contexts = 64));
  assert.deepEqual(
    [full, buffers, worn].map(({ isDisposed }) => isDisposed),
    [true, true, true],
  );
  left(reusable).die();
  assert.equal(reusable.takeIdle(memoryMiB), undefined);
});

test("32 are kept, the latest ones", () => {
  const reusable = new ReusableIsolates();
  const isolates = Array.from({ length: 31 }, () => left(reusable, smallOne));
  assert.equal(reusable.wants(new FakeIsolate().shared), true);
  isolates.push(left(reusable, smallOne));
  assert.equal(reusable.wants(new FakeIsolate().shared), false);
  isolates.push(left(reusable, smallOne));
  assert.deepEqual(
    isolates.map(({ isDisposed }) => isDisposed),
    [true, ...Array.from({ length: 32 }, () => false)],
  );
});

test("those are kept that hold 32 MiB together, and those that were taken do not count", () => {
  const reusable = new ReusableIsolates();
  const largeOne = (isolate: FakeIsolate): void => void (isolate.heapBytes = 8 * 2 ** 20);
  const isolates = Array.from({ length: 5 }, () => left(reusable, largeOne));
  assert.deepEqual(
    isolates.map(({ isDisposed }) => isDisposed),
    [true, false, false, false, false],
  );
  assert.equal(reusable.wants(new FakeIsolate().shared), false);
  assert.notEqual(reusable.takeIdle(memoryMiB), undefined);
  assert.equal(reusable.wants(new FakeIsolate().shared), true);
});

test("a dense isolate is given until it is full, not while somebody holds it, and again when one has left", () => {
  const reusable = new ReusableIsolates();
  const isolate = new FakeIsolate();
  const { shared } = isolate;
  shared.onLeft = () => reusable.noteLeft(shared);
  reusable.makeDense(shared);
  shared.hold(isolate);
  assert.equal(reusable.findDense(memoryMiB), undefined);
  shared.release(isolate);
  for (let n = 1; n < denseMax; n++) {
    assert.equal(reusable.findDense(memoryMiB), shared);
    isolate.add();
  }
  assert.equal(reusable.findDense(memoryMiB), undefined);
  isolate.booted.isolate.end("gone");
  assert.equal(reusable.findDense(memoryMiB), shared);
});

test("a dense isolate that holds half of its limit, or whose guests were cut, gets no other", () => {
  const spoil: readonly ((isolate: FakeIsolate, shared: SharedIsolate) => void)[] = [
    (isolate) => (isolate.heapBytes = 17 * 2 ** 20),
    (isolate) => isolate.booted.isolate.noteCut(),
  ];
  for (const change of spoil) {
    const reusable = new ReusableIsolates();
    const isolate = new FakeIsolate();
    reusable.makeDense(isolate.shared);
    change(isolate, isolate.shared);
    assert.equal(reusable.findDense(memoryMiB), undefined);
  }
});

test("a dense isolate that all have left is for any sandbox", () => {
  const reusable = new ReusableIsolates();
  const isolate = new FakeIsolate();
  const { shared } = isolate;
  shared.onLeft = () => reusable.noteLeft(shared);
  reusable.makeDense(shared);
  isolate.booted.isolate.end("gone");
  assert.deepEqual([reusable.takeIdle(memoryMiB), shared.isDense], [shared, false]);
});
