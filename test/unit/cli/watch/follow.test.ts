// Changes of files: a burst is one change, told when it pauses or after a maximal delay.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Follower, isFollowed } from "../../../../src/cli/watch/follow.ts";
import { FakeClock } from "../../../../src/testing/fake-clock.ts";
import { Folder } from "../../../support/folders.ts";

function follow(path: string) {
  const clock = new FakeClock();
  let changes = 0;
  const follower = new Follower({
    clock,
    path,
    onChange: () => changes++,
    onError: (error) => assert.fail(error),
  });
  return { clock, follower, changes: () => changes };
}

test("a burst of writes is one change, told 40 ms after the last", () => {
  using folder = new Folder({ "a.ts": "" });
  const { clock, follower, changes } = follow(folder.path);
  for (let write = 0; write < 4; write++) {
    follower.note();
    clock.advance(30);
  }
  assert.equal(changes(), 0);
  clock.advance(10);
  assert.equal(changes(), 1);
  follower[Symbol.dispose]();
});

test("writes without a pause are told after 200 ms", () => {
  using folder = new Folder({ "a.ts": "" });
  const { clock, follower, changes } = follow(folder.path);
  for (let write = 0; write < 25; write++) {
    follower.note();
    clock.advance(10);
  }
  assert.equal(changes(), 1);
  follower.note();
  follower[Symbol.dispose]();
  clock.advance(1_000);
  assert.equal(changes(), 1);
});

test("dependencies and hidden files are not followed", () => {
  for (const name of ["node_modules/x/index.js", ".git/HEAD", "lib/.cache/a"])
    assert.equal(isFollowed(name), false);
  for (const name of ["a.ts", "lib/b.ts", "./a.ts"]) assert.equal(isFollowed(name), true);
});
