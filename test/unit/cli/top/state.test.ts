// What the keys of `vivarium top` do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstState, press, sorted, sortNames, type TopState } from "../../../../src/cli/top/state.ts";
import { sandboxInfo } from "../../../support/sandbox-infos.ts";

const shown = { ids: ["a", "b", "c", "d"], rows: 3 };

function after(keys: readonly string[], state: TopState = firstState): TopState {
  return keys.reduce((now, name) => press(now, { name, ctrl: false }, shown).state, state);
}

test("q and Ctrl-C quit; while it is asked, q does not", () => {
  assert.deepEqual(press(firstState, { name: "q", ctrl: false }, shown).wish, { kind: "quit" });
  assert.deepEqual(press(firstState, { name: "c", ctrl: true }, shown).wish, { kind: "quit" });
  const asked = after(["down", "k"]);
  assert.deepEqual(press(asked, { name: "q", ctrl: false }, shown).wish, { kind: "none" });
  assert.deepEqual(press(asked, { name: "c", ctrl: true }, shown).wish, { kind: "quit" });
});

test("arrows and pages choose, and stop at both ends", () => {
  assert.equal(after(["down"]).selected, "a");
  assert.equal(after(["up"]).selected, "a");
  assert.equal(after(["down", "down", "down"]).selected, "c");
  assert.equal(after(["end"]).selected, "d");
  assert.equal(after(["end", "down"]).selected, "d");
  assert.equal(after(["end", "pageup"]).selected, "b");
  assert.equal(after(["end", "home"]).selected, "a");
  assert.equal(press(firstState, { name: "down", ctrl: false }, { ids: [], rows: 3 }).state.selected, null);
});

test("k asks first, and only y destroys what was chosen", () => {
  assert.equal(after(["k"]).page, "table");
  const asked = after(["down", "down", "k"]);
  assert.equal(asked.page, "confirm");
  assert.deepEqual(press(asked, { name: "y", ctrl: false }, shown), {
    state: { ...asked, page: "table" },
    wish: { kind: "destroy", id: "b" },
  });
  for (const name of ["n", "return", "escape", "k", "down"])
    assert.deepEqual(press(asked, { name, ctrl: false }, shown), {
      state: { ...asked, page: "table" },
      wish: { kind: "none" },
    });
});

test("s goes round all orders, f round all statuses and looks anew, p pauses and goes on", () => {
  assert.equal(after(sortNames.map(() => "s")).sort, firstState.sort);
  const filtered = press(firstState, { name: "f", ctrl: false }, shown);
  assert.deepEqual([filtered.state.filter, filtered.wish.kind], ["running", "refresh"]);
  const paused = press(firstState, { name: "p", ctrl: false }, shown);
  assert.deepEqual([paused.state.paused, paused.wish.kind], [true, "none"]);
  const on = press(paused.state, { name: "p", ctrl: false }, shown);
  assert.deepEqual([on.state.paused, on.wish.kind], [false, "refresh"]);
});

test("? shows help, and any key goes back", () => {
  assert.equal(after(["?"]).page, "help");
  assert.equal(after(["?", "s"]).page, "table");
  assert.equal(after(["?", "s"]).sort, firstState.sort);
});

test("sandboxes are in the wanted order, equal ones as they were created", () => {
  const usage = sandboxInfo("x").usage;
  const list = [
    sandboxInfo("b", { createdAt: 1, usage: { ...usage, runs: 1, cpuMs: 9 } }),
    sandboxInfo("a", { createdAt: 2, usage: { ...usage, runs: 5, heapBytes: 7 }, status: "failed" }),
    sandboxInfo("c", { createdAt: 3, usage: { ...usage, runs: 5 } }),
  ];
  const ids = sortNames.map((sort) =>
    sorted(list, sort)
      .map(({ id }) => id)
      .join(""),
  );
  assert.deepEqual(Object.fromEntries(sortNames.map((name, at) => [name, ids[at]])), {
    created: "bac",
    runs: "acb",
    cpu: "bac",
    heap: "abc",
    status: "abc",
    id: "abc",
  });
});
