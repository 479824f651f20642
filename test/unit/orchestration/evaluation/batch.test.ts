// A batch gives every item exactly one result: in input order when awaited, as they finish when iterated.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { RunningBatch, type BatchRun } from "../../../../src/orchestration/evaluation/batch.ts";

type Result = { readonly index: number; readonly how: string };

/** A batch whose items end when the test says so. */
class Controlled {
  readonly started: number[] = [];
  readonly cancelled: string[] = [];
  readonly ended: (readonly Result[])[] = [];
  readonly batch: RunningBatch<number, Result>;
  readonly #done = new Map<number, (result: Result) => void>();

  constructor(size: number, concurrency: number, given: Partial<BatchRun<number, Result>> = {}) {
    this.batch = new RunningBatch<number, Result>({
      items: Array.from({ length: size }, (_, index) => index),
      concurrency,
      start: (index, done) => {
        this.started.push(index);
        this.#done.set(index, done);
      },
      cancel: (index, reason) => {
        this.cancelled.push(`${index}:${reason}`);
        this.finish(index, reason);
      },
      unstarted: (index, reason) => ({ index, how: `unstarted:${reason}` }),
      onEnd: (results) => this.ended.push([...results]),
      ...given,
    });
  }

  finish(index: number, how = "done"): void {
    this.#done.get(index)?.({ index, how });
  }
}

test("a batch gives its results in the order of the input, however they finish", async () => {
  const controlled = new Controlled(3, 3);
  for (const index of [2, 0, 1]) controlled.finish(index);
  assert.deepEqual(
    (await controlled.batch).map(({ index }) => index),
    [0, 1, 2],
  );
});

test("a batch gives its results as they finish when it is iterated", async () => {
  const controlled = new Controlled(3, 3);
  const seen: number[] = [];
  const reading = (async () => {
    for await (const { index } of controlled.batch) seen.push(index);
  })();
  for (const index of [2, 0, 1]) {
    controlled.finish(index);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(seen.at(-1), index);
  }
  await reading;
  assert.deepEqual(seen, [2, 0, 1]);
});

test("a batch can be awaited and iterated any number of times, also when it is over", async () => {
  const controlled = new Controlled(2, 2);
  controlled.finish(1);
  controlled.finish(0);
  const first = await controlled.batch;
  assert.deepEqual(await controlled.batch, first);
  for (let round = 0; round < 2; round++) {
    const seen: number[] = [];
    for await (const { index } of controlled.batch) seen.push(index);
    assert.deepEqual(seen, [1, 0]);
  }
});

test("a batch works on no more items at a time than its concurrency", () => {
  const controlled = new Controlled(5, 2);
  assert.deepEqual(controlled.started, [0, 1]);
  controlled.finish(1);
  assert.deepEqual(controlled.started, [0, 1, 2]);
  controlled.finish(0);
  controlled.finish(2);
  assert.deepEqual(controlled.started, [0, 1, 2, 3, 4]);
  assert.deepEqual(controlled.batch.progress, { done: 3, size: 5 });
});

test("an empty batch is over at once, with one end", async () => {
  const { batch, ended } = new Controlled(0, 5);
  assert.deepEqual(await batch, []);
  for await (const result of batch) assert.fail(`there is no ${String(result)}`);
  assert.deepEqual(ended, [[]]);
});

test("an item may be done before its start returns, ten thousand times over", async () => {
  let active = 0;
  const { batch, ended } = new Controlled(10_000, 1, {
    start: (index, done) => {
      assert.equal(active++, 0);
      active--;
      done({ index, how: "at once" });
    },
  });
  const results = await batch;
  assert.equal(results.length, 10_000);
  assert.ok(results.every(({ index, how }, at) => index === at && how === "at once"));
  assert.equal(ended.length, 1);
});

for (const reason of ["signal", "deadline"] as const) {
  test(`a batch that is cut by its ${reason} cancels what runs, starts nothing more and keeps what is done`, async () => {
    const controlled = new Controlled(5, 2);
    controlled.finish(0);
    controlled.batch.cut(reason);
    const results = await controlled.batch;
    assert.deepEqual(controlled.started, [0, 1, 2]);
    assert.deepEqual(controlled.cancelled, [`1:${reason}`, `2:${reason}`]);
    assert.deepEqual(
      results.map(({ how }) => how),
      ["done", reason, reason, `unstarted:${reason}`, `unstarted:${reason}`],
    );
    assert.equal(controlled.ended.length, 1);
  });
}

test("a second cut and a late result change nothing", async () => {
  const controlled = new Controlled(2, 1);
  controlled.batch.cut("signal");
  controlled.batch.cut("deadline");
  controlled.finish(0, "late");
  const results = await controlled.batch;
  assert.deepEqual(
    results.map(({ how }) => how),
    ["signal", "unstarted:signal"],
  );
  assert.deepEqual(controlled.batch.progress, { done: 2, size: 2 });
});

test("a cut after the end changes nothing", async () => {
  const controlled = new Controlled(1, 1);
  controlled.finish(0);
  controlled.batch.cut("deadline");
  assert.deepEqual(
    (await controlled.batch).map(({ how }) => how),
    ["done"],
  );
  assert.deepEqual(controlled.cancelled, []);
});

test("a batch that is cut waits for items that take their time to end", async () => {
  const controlled = new Controlled(2, 1, { cancel: () => {} });
  controlled.batch.cut("signal");
  assert.deepEqual(controlled.batch.progress, { done: 1, size: 2 });
  controlled.finish(0, "in the end");
  assert.deepEqual(
    (await controlled.batch).map(({ how }) => how),
    ["in the end", "unstarted:signal"],
  );
});

const url = new URL("../../../../src/orchestration/evaluation/batch.ts", import.meta.url).href;
for (const [use, status] of [
  ["", 1],
  [".catch(() => {})", 0],
  ["[Symbol.asyncIterator]().next().catch(() => {})", 0],
] as const) {
  test(`refusedBatch()${use} is ${status === 0 ? "no" : "an"} unhandled rejection`, () => {
    const program = `import { refusedBatch } from "${url}"; refusedBatch(new RangeError("refused"))${use};`;
    const child = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      encoding: "utf8",
    });
    assert.equal(child.status, status, child.stderr);
    assert.equal(child.stderr.includes("RangeError: refused"), status === 1);
  });
}
