// How much of the main thread's time guests on other threads get, in one turn of the event loop and in all.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HostShare, HostUse } from "../../../../../src/execution/cell-host/isolates/host-share.ts";

class Loop {
  nowMs = 0;
  readonly #later: (() => void)[] = [];
  readonly share = new HostShare({
    nowMs: () => this.nowMs,
    inNextTurn: (act) => void this.#later.push(act),
  });

  turn(): void {
    for (const act of this.#later.splice(0)) act();
  }

  /** Serves requests of so long each until one is refused; how many were served. */
  serve(use: HostUse, ms: number, countMax = 1_000): number {
    for (let served = 0; served < countMax; served++)
      if (this.share.serve(use, () => (this.nowMs += ms)) === null) return served;
    return countMax;
  }
}

test("a guest that asks without end is served for a moment in each turn of the event loop", () => {
  const loop = new Loop();
  const use = new HostUse();
  assert.equal(loop.serve(use, 1), 6);
  assert.equal(loop.serve(use, 1), 0);
  loop.turn();
  assert.equal(loop.serve(use, 1), 2);
  loop.turn();
  assert.equal(loop.serve(use, 0.25), 5);
});

test("while others want the main thread, guests that ask without end get a third of its time", () => {
  const loop = new Loop();
  const use = new HostUse();
  let served = 0;
  for (let turns = 0; turns < 1_000; turns++) {
    loop.share.noteWanted();
    served += loop.serve(use, 0.5) * 0.5;
    loop.nowMs += 0.5;
    loop.turn();
  }
  const share = served / loop.nowMs;
  assert.ok(share > 0.25 && share < 0.35, `a share of ${share}`);
});

test("one long request of a guest that used little keeps nobody waiting, and one of another not for long", () => {
  const loop = new Loop();
  const [first, second, third] = [new HostUse(), new HostUse(), new HostUse()];
  loop.serve(second, 1, 6);
  loop.serve(third, 1, 6);
  loop.nowMs += 50;
  loop.turn();
  loop.share.noteWanted();
  loop.serve(first, 500, 1);
  loop.turn();
  assert.equal(loop.serve(second, 500, 1), 1);
  loop.turn();
  loop.share.noteWanted();
  assert.equal(loop.serve(third, 1), 0);
  loop.nowMs += 30;
  loop.turn();
  loop.share.noteWanted();
  assert.equal(loop.serve(third, 1, 1), 1);
});

test("where nobody has wanted it for a while, they get all of it", () => {
  const loop = new Loop();
  const use = new HostUse();
  loop.share.noteWanted();
  loop.serve(use, 1);
  loop.nowMs += 100;
  let served = 0;
  for (let turns = 0; turns < 100; turns++) {
    loop.turn();
    served += loop.serve(use, 0.5);
  }
  assert.equal(served, 300);
});

test("a guest that asks for little is served beside one that asks without end", () => {
  const loop = new Loop();
  const [greedy, modest] = [new HostUse(), new HostUse()];
  loop.serve(greedy, 1);
  assert.equal(
    loop.share.serve(greedy, () => "served"),
    null,
  );
  assert.equal(
    loop.share.serve(modest, () => "served"),
    "served",
  );
});

test("what a guest used is counted in all, for its share of the lanes", () => {
  const loop = new Loop();
  const use = new HostUse();
  loop.serve(use, 0.5, 3);
  assert.equal(use.totalMs, 1.5);
});
