// What is written down of a sandbox's processes: the newest word counts, in whatever order the words are told.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Checkpoint } from "../../../../src/orchestration/processes/checkpoint.ts";

function captureOf(state: number, path: string = "counter"): string {
  const server = { path, key: "main.counter", version: null, state: String(state) };
  return JSON.stringify({ servers: [server], children: [] });
}

const statesIn = (checkpoint: Checkpoint): string[] =>
  checkpoint.toCapture().servers.map(({ state }) => state);

suite("a capture that was asked for", () => {
  test("is taken where nothing has changed since", () => {
    const checkpoint = new Checkpoint();
    checkpoint.take(captureOf(1));
    checkpoint.refresh(captureOf(2), checkpoint.changes);
    assert.deepEqual(statesIn(checkpoint), ["2"]);
  });

  test("is taken twice where it was asked for twice", () => {
    const checkpoint = new Checkpoint();
    const { changes } = checkpoint;
    checkpoint.refresh(captureOf(1), changes);
    checkpoint.refresh(captureOf(2), changes);
    assert.deepEqual(statesIn(checkpoint), ["2"]);
  });

  test("does not undo the state of a message that was answered meanwhile", () => {
    const checkpoint = new Checkpoint();
    checkpoint.take(captureOf(1));
    const { changes } = checkpoint;
    checkpoint.take(captureOf(2));
    checkpoint.refresh(captureOf(1), changes);
    assert.deepEqual(statesIn(checkpoint), ["2"]);
  });

  test("does not undo states that were put back meanwhile", () => {
    const checkpoint = new Checkpoint();
    const { changes } = checkpoint;
    checkpoint.replace(captureOf(7));
    checkpoint.refresh(captureOf(1), changes);
    assert.deepEqual(statesIn(checkpoint), ["7"]);
  });
});

suite("states that are tried out", () => {
  const partOf = (state: number, path: string): string =>
    JSON.stringify({ servers: [{ path, key: "main.counter", version: null, state: String(state) }] });

  test("are as they were when they are taken back, and others are as they have become meanwhile", () => {
    const checkpoint = new Checkpoint();
    checkpoint.take(captureOf(1, "a"));
    checkpoint.take(partOf(1, "b"));
    const takeBack = checkpoint.tryOut(partOf(1_001, "a"));
    assert.deepEqual(statesIn(checkpoint), ["1001", "1"]);
    checkpoint.take(partOf(2, "b"));
    takeBack();
    assert.deepEqual(statesIn(checkpoint), ["1", "2"]);
  });

  test("are not there when they are taken back and were not there before", () => {
    const checkpoint = new Checkpoint();
    checkpoint.take(captureOf(1, "a"));
    const takeBack = checkpoint.tryOut(partOf(5, "b"));
    takeBack();
    assert.deepEqual(statesIn(checkpoint), ["1"]);
  });
});
