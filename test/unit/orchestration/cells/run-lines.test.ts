// The lines of runs that wait for the main lane, one for each sandbox in the cell.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RunLines, Turns, type RunLine } from "../../../../src/orchestration/cells/run-lines.ts";
import type { RunTicket } from "../../../../src/orchestration/runs/ticket.ts";

const ticket = (id: number): RunTicket => ({ id }) as RunTicket;

test("the line of a sandbox that left the cell goes when its last run has, and at once where none waits", () => {
  const lines = new RunLines();
  const turns = new Turns(0, (line) => lines.deleteIfOver(line));
  const busy = lines.open(1);
  for (const id of [1, 2]) busy.items.push(ticket(id));
  turns.add(busy);
  lines.open(2);
  for (const key of [1, 2, 3]) lines.forget(key);
  assert.deepEqual(lines.all(), [busy]);
  assert.deepEqual([turns.shift()?.id, lines.get(1)], [1, busy]);
  assert.deepEqual([turns.shift()?.id, lines.get(1), turns.shift()], [2, undefined, undefined]);
});

test("a line stands once among the turns of a level, and has none where its runs are of another", () => {
  const given: RunLine[] = [];
  const turns = [0, 1].map((level) => new Turns(level, (line) => given.push(line)));
  const lines = new RunLines();
  const [moved, other] = [lines.open(1), lines.open(2)];
  for (const line of [moved, other]) line.items.push(ticket(line.key));
  for (const line of [moved, other, moved]) turns[0]?.add(line);
  moved.level = 1;
  for (const line of [moved, moved]) turns[1]?.add(line);
  assert.deepEqual([turns[0]?.peek()?.id, turns[0]?.shift()?.id, turns[0]?.shift()], [2, 2, undefined]);
  assert.deepEqual([turns[1]?.shift()?.id, turns[1]?.shift(), given], [1, undefined, [other, moved]]);
  moved.level = 0;
  moved.items.push(ticket(3));
  for (const line of [moved, moved]) turns[0]?.add(line);
  assert.deepEqual([turns[0]?.shift()?.id, turns[0]?.shift()], [3, undefined]);
});
