// Asking again and again: one question at a time, longer pauses where answers are slow, nothing where nobody looks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseOf, Poll, type PollTimers } from "../../../dashboard/src/controls/poll.ts";

class TestTimers implements PollTimers {
  #now = 0;
  readonly #waiting = new Map<object, { readonly at: number; readonly act: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, act: () => void): () => void {
    const key = {};
    this.#waiting.set(key, { at: this.#now + ms, act });
    return () => this.#waiting.delete(key);
  }

  get count(): number {
    return this.#waiting.size;
  }

  async pass(ms: number): Promise<void> {
    this.#now += ms;
    for (const [key, { at, act }] of this.#waiting)
      if (at <= this.#now) {
        this.#waiting.delete(key);
        act();
      }
    await settled();
  }
}

/** All that was waiting for answers that are there has gone on. */
const settled = (): Promise<void> => new Promise((go) => setImmediate(go));

function pollOf() {
  const timers = new TestTimers();
  const asked: { readonly answer: PromiseWithResolvers<number>; readonly signal: AbortSignal }[] = [];
  const told: unknown[] = [];
  const poll = new Poll<number>({
    ask: (signal) => {
      const answer = Promise.withResolvers<number>();
      asked.push({ answer, signal });
      return answer.promise;
    },
    got: (value) => told.push(value),
    failed: (error) => told.push(error.message),
    slow: (isSlow) => told.push(isSlow ? "slow" : "not slow"),
    everyMs: 1_000,
    timers,
  });
  const answer = async (value: number | Error): Promise<void> => {
    const { resolve, reject } = asked.at(-1)!.answer;
    if (typeof value === "number") resolve(value);
    else reject(value);
    await settled();
  };
  return { timers, asked, told, poll, answer };
}

test("a poll asks at once, and again a pause after the answer", async () => {
  const { timers, asked, told, poll, answer } = pollOf();
  poll.start();
  assert.equal(asked.length, 1);
  await answer(1);
  await timers.pass(999);
  assert.equal(asked.length, 1);
  await timers.pass(1);
  assert.equal(asked.length, 2);
  assert.deepEqual(told, [1, "not slow"]);
  poll.stop();
});

test("a poll never asks twice at a time, and asks once more where it was told to meanwhile", async () => {
  const { asked, poll, answer } = pollOf();
  poll.start();
  poll.start();
  poll.now();
  poll.now();
  assert.equal(asked.length, 1);
  await answer(1);
  assert.equal(asked.length, 2);
  await answer(2);
  assert.equal(asked.length, 2);
  poll.stop();
});

test("a poll says that an answer is slow, and pauses for longer after it", async () => {
  const { timers, asked, told, poll, answer } = pollOf();
  poll.start();
  await timers.pass(5_000);
  assert.deepEqual(told, ["slow"]);
  await answer(1);
  await timers.pass(14_999);
  assert.equal(asked.length, 1);
  await timers.pass(1);
  assert.equal(asked.length, 2);
  poll.stop();
});

test("a poll that is stopped drops the answer that is under way, aborts its question and leaves no timer", async () => {
  const { timers, asked, told, poll, answer } = pollOf();
  poll.start();
  poll.stop();
  assert.equal(asked[0]?.signal.aborted, true);
  await answer(1);
  assert.equal(told.includes(1), false);
  poll.now();
  await timers.pass(100_000);
  assert.equal(asked.length, 1);
  assert.equal(timers.count, 0);
});

test("a poll that is begun again while its former question is under way tells only the new answer", async () => {
  const { asked, told, poll, answer } = pollOf();
  poll.start();
  poll.stop();
  poll.start();
  assert.equal(asked.length, 2);
  await answer(2);
  asked[0]?.answer.resolve(1);
  await settled();
  assert.deepEqual(
    told.filter((each) => typeof each === "number"),
    [2],
  );
  poll.stop();
});

test("a poll asks nothing while the page is hidden, and at once when it is seen again", async () => {
  const { timers, asked, poll, answer } = pollOf();
  poll.start();
  await answer(1);
  poll.setVisible(false);
  await timers.pass(100_000);
  assert.equal(asked.length, 1);
  poll.setVisible(true);
  assert.equal(asked.length, 2);
  poll.stop();
});

test("a poll that is paused asks only when it is told to", async () => {
  const { timers, asked, poll, answer } = pollOf();
  poll.start();
  poll.setPaused(true);
  await answer(1);
  await timers.pass(100_000);
  assert.equal(asked.length, 1);
  poll.now();
  assert.equal(asked.length, 2);
  await answer(2);
  poll.setPaused(false);
  assert.equal(asked.length, 3);
  poll.stop();
});

test("a poll tells failures, and pauses for longer after each", async () => {
  const { timers, asked, told, poll, answer } = pollOf();
  poll.start();
  await answer(new Error("no"));
  assert.equal(told[0], "no");
  await timers.pass(1_999);
  assert.equal(asked.length, 1);
  await timers.pass(1);
  assert.equal(asked.length, 2);
  poll.stop();
});

test("a pause is bounded", () => {
  assert.equal(pauseOf(1_000, 10, 0), 1_000);
  assert.equal(pauseOf(1_000, 10, 100), 16_000);
  assert.equal(pauseOf(1_000, 600_000, 0), 60_000);
});
