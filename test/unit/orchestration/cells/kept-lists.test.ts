// A cell is sent a list of cases once, before what refers to it, and is told when it is not needed any more.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "../../../../src/execution/protocol/messages.ts";
import { KeptLists } from "../../../../src/orchestration/cells/kept-lists.ts";
import { CaseList } from "../../../../src/orchestration/runs/case-list.ts";

function keeper(): { readonly lists: KeptLists; readonly sent: Command[] } {
  const sent: Command[] = [];
  return { lists: new KeptLists({ send: (command) => sent.push(command) }), sent };
}

const listOf = (args: string): CaseList => new CaseList([["main", "f"]], [{ target: 0, args }]);

test("a list is sent once, however often it is asked for", () => {
  const { lists, sent } = keeper();
  const list = listOf("[1]");
  assert.equal(lists.numberOf(list), lists.numberOf(list));
  assert.deepEqual(sent, [{ t: "keep", list: 1, targets: [["main", "f"]], cases: ["[0,[1]]"] }]);
});

test("a list that is released is forgotten by every cell that has it, and has another number afterwards", () => {
  const [one, other] = [keeper(), keeper()];
  const list = listOf("[1]");
  one.lists.numberOf(list);
  other.lists.numberOf(list);
  list.release();
  list.release();
  assert.deepEqual(one.sent.slice(1), [{ t: "release", lists: [1] }]);
  assert.deepEqual(other.sent.slice(1), [{ t: "release", lists: [1] }]);
  assert.equal(one.lists.numberOf(list), 2);
});

test("a cell keeps no more than a bound: the oldest list goes, and is sent again when it is needed", () => {
  const { lists, sent } = keeper();
  const half = `["${"x".repeat(40 * 2 ** 20)}"]`;
  const [first, second] = [listOf(half), listOf(half)];
  lists.numberOf(first);
  lists.numberOf(second);
  assert.equal(lists.numberOf(second), 2);
  assert.equal(lists.numberOf(first), 3);
  assert.deepEqual(
    sent.map((command) => (command.t === "release" ? command.lists[0] : command.t)),
    ["keep", 1, "keep", 2, "keep"],
  );
});
