// In which order runs that wait for a cell are sent to it.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { QuickRuns } from "../../../../src/orchestration/cells/quick-runs.ts";
import { SlowRuns } from "../../../../src/orchestration/cells/slow-runs.ts";
import type { RunTicket } from "../../../../src/orchestration/runs/ticket.ts";
import { ServiceMeter } from "../../../../src/std/service-meter.ts";

let lastId = 0;

function ticketOf(key: number, usedMs = 0, waitingSinceMs = 0): RunTicket {
  const service = new ServiceMeter();
  service.add(usedMs, 0);
  const given = { id: ++lastId, place: { key }, sandbox: { service }, waitingSinceMs };
  return { ...given, isSettled: false, level: 0, args: "" } as unknown as RunTicket;
}

const keys = (tickets: readonly (RunTicket | undefined)[]): unknown[] =>
  tickets.map((ticket) => ticket?.place?.key);

suite("runs for lanes of their own", () => {
  const at = (...sent: number[]): Map<number, number> => new Map(sent.map((key) => [key, 1]));

  test("are sent by how little their sandboxes used, and those of one sandbox in their order", () => {
    const runs = new SlowRuns();
    const [first, second] = [ticketOf(1, 200), ticketOf(1, 200)];
    for (const ticket of [first, second, ticketOf(2, 100), ticketOf(3)]) runs.push(ticket);
    const load = { lanes: 9, byKey: new Map<number, number>() };
    const taken = [0, 0, 0].map(() => runs.take(load, 0));
    assert.deepEqual(keys(taken), [3, 2, 1]);
    assert.equal(taken[2], first);
    assert.equal(runs.take(load, 0), second);
    assert.equal(runs.size, 0);
  });

  test("of a sandbox that has a lane wait while another sandbox waits, and then follow one at a time", () => {
    const runs = new SlowRuns();
    for (const ticket of [ticketOf(1), ticketOf(1), ticketOf(2, 1_000)]) runs.push(ticket);
    assert.equal(runs.take({ lanes: 1, byKey: at(1) }, 0), undefined);
    assert.deepEqual(keys([runs.take({ lanes: 2, byKey: at(1) }, 0)]), [2]);
    assert.deepEqual(keys([runs.take({ lanes: 2, byKey: at(1, 2) }, 0)]), [1]);
    assert.equal(runs.take({ lanes: 2, byKey: new Map([[1, 2]]) }, 0), undefined);
  });

  test("wait while all lanes are taken, the one for those that used little too", () => {
    const runs = new SlowRuns();
    for (const key of [3, 4, 5]) runs.push(ticketOf(key));
    assert.equal(runs.take({ lanes: 1, byKey: at(1, 2) }, 0), undefined);
    assert.deepEqual(keys([runs.take({ lanes: 1, byKey: at(1) }, 0)]), [3]);
  });

  test("are left out when they are settled, and taken out oldest first", () => {
    const runs = new SlowRuns();
    const [gone, one, two] = [ticketOf(1), ticketOf(2), ticketOf(1)];
    for (const ticket of [gone, one, two]) runs.push(ticket);
    Object.assign(gone, { isSettled: true });
    assert.deepEqual(
      runs.takeWhere((ticket) => ticket !== gone),
      [one, two],
    );
    assert.equal(runs.take({ lanes: 2, byKey: new Map() }, 0), undefined);
    assert.equal(runs.size, 0);
  });
});

suite("runs for the main lane", () => {
  const none = [0, 0, 0, 0];
  const heavy = (count: number): number[] => [0, 0, 0, count];

  test("of sandboxes that used little go before those that used much", () => {
    const runs = new QuickRuns();
    for (const ticket of [ticketOf(1, 900), ticketOf(2), ticketOf(3)]) runs.push(ticket, 0);
    assert.deepEqual(keys(runs.take(64, none, 0)), [2, 3]);
    assert.deepEqual(keys(runs.take(64, none, 0)), [1]);
    assert.deepEqual(runs.take(64, none, 0), []);
  });

  test("do not wait for those at the cell of sandboxes that used more", () => {
    const runs = new QuickRuns();
    for (const usedMs of [200, 80, 20, 5]) runs.push(ticketOf(usedMs, usedMs), 0);
    const full = (level: number): number[] => none.map((_, at) => (at === level ? 16 : 0));
    const first = (sent: readonly number[]): unknown[] => {
      const taken = runs.take(16, sent, 0);
      for (const ticket of taken) runs.push(ticket, 0);
      return keys(taken);
    };
    assert.deepEqual(
      [0, 1, 2, 3].map((level) => first(full(level))),
      [[200], [5], [5], [5]],
    );
    assert.deepEqual(keys(runs.take(16, full(1), 0)), [5]);
    assert.deepEqual(keys(runs.take(16, full(1), 0)), [200]);
    assert.deepEqual(keys(runs.take(16, full(2), 0)), [20]);
    assert.deepEqual(keys(runs.take(16, full(2), 0)), []);
    assert.deepEqual(keys(runs.take(16, full(3), 0)), [80]);
  });

  test("of a sandbox for which two wait at the cell stay here until fewer do, and keep their order", () => {
    const runs = new QuickRuns();
    const aside = [ticketOf(1), ticketOf(1)];
    const own = [ticketOf(1), ticketOf(1, 900), ticketOf(1)];
    runs.push(own[0] as RunTicket, 0);
    for (const ticket of aside) {
      ticket.isAside = true;
      runs.noteAside(ticket);
    }
    for (const ticket of [...own.slice(1), ticketOf(2)]) runs.push(ticket, 0);
    assert.deepEqual(keys(runs.take(64, none, 9)), [2]);
    assert.deepEqual([runs.take(64, none, 9), runs.size], [[], 3]);
    for (const ticket of [...aside, ...aside]) runs.noteBack(ticket, 0);
    assert.deepEqual(runs.take(64, none, 0), own);
    // Taken out of the cell, nothing of it is known any more.
    for (const ticket of aside) runs.noteAside(ticket);
    const held = ticketOf(1);
    for (const ticket of [held, ticketOf(3)]) runs.push(ticket, 0);
    runs.remove(held);
    assert.equal(runs.size, 1);
    runs.push(held, 0);
    assert.deepEqual(runs.takeOf(1), [held]);
    runs.push(held, 0);
    assert.deepEqual(keys(runs.takeWhere(() => true)), [1, 3]);
  });

  test("of every level have a quarter of the room when they have waited for long", () => {
    const runs = new QuickRuns();
    for (const usedMs of [5, 20, 80]) for (let n = 0; n < 8; n++) runs.push(ticketOf(usedMs, usedMs), 0);
    assert.deepEqual(keys(runs.take(16, none, 3)), [80, 80, 80, 80]);
    assert.deepEqual(keys(runs.take(16, [0, 0, 4, 0], 3)), [20, 20, 20, 20]);
    assert.deepEqual(keys(runs.take(16, [16, 4, 4, 0], 3)), []);
    assert.deepEqual(keys(runs.take(16, [0, 4, 4, 0], 3)), Array(8).fill(5));
  });

  test("of sandboxes that used much are sent only so far that they take 1 ms together", () => {
    const runs = new QuickRuns();
    for (let n = 0; n < 200; n++) runs.noteHeavy(0.4);
    for (let n = 0; n < 5; n++) runs.push(ticketOf(1, 900), 0);
    assert.equal(runs.take(64, heavy(1), 0).length, 1);
    assert.equal(runs.take(64, heavy(2), 0).length, 0);
    assert.equal(runs.take(64, none, 0).length, 2);
    assert.equal(runs.size, 2);
  });

  test("of sandboxes that used much go first after they have waited for long", () => {
    const runs = new QuickRuns();
    for (const ticket of [ticketOf(1, 900), ticketOf(2)]) runs.push(ticket, 0);
    assert.deepEqual(keys(runs.take(64, none, 1)), [2]);
    runs.push(ticketOf(3), 0);
    assert.deepEqual(keys(runs.take(64, none, 3)), [1]);
  });

  test("are sent sandbox by sandbox, one of each in turn, however many one of them has", () => {
    for (const usedMs of [0, 900]) {
      const runs = new QuickRuns();
      for (const key of [1, 1, 1, 1, 2, 2, 3]) runs.push(ticketOf(key, usedMs), 0);
      const taken = Array.from({ length: 7 }, () => runs.take(1, none, 0)[0]);
      assert.deepEqual(keys(taken), [1, 2, 3, 1, 2, 1, 1]);
    }
  });

  test("of those that used much and are settled hide no others", () => {
    const runs = new QuickRuns();
    const settled = ticketOf(1, 900);
    for (const ticket of [settled, ticketOf(2)]) runs.push(ticket, 0);
    Object.assign(settled, { isSettled: true });
    assert.deepEqual(keys(runs.take(64, none, 3)), [2]);
  });

  test("are taken out oldest first", () => {
    const runs = new QuickRuns();
    for (const [key, usedMs] of [
      [1, 0],
      [2, 900],
      [1, 0],
      [3, 0],
    ] as const)
      runs.push(ticketOf(key, usedMs), 0);
    assert.deepEqual(keys(runs.takeWhere((ticket) => ticket.place?.key !== 3)), [1, 2, 1]);
    assert.deepEqual(keys(runs.take(64, none, 0)), [3]);
    assert.equal(runs.size, 0);
  });

  test("of one sandbox keep their order when it comes to count as one that used much", () => {
    const runs = new QuickRuns();
    const [first, second] = [ticketOf(1), ticketOf(1, 900)];
    for (const ticket of [first, second, ticketOf(2)]) runs.push(ticket, 0);
    assert.equal(first.level, 3);
    assert.deepEqual(keys(runs.take(64, none, 0)), [2]);
    assert.deepEqual(runs.take(64, none, 0), [first, second]);
  });

  test("of one sandbox keep their order when it comes to count as one that used little", () => {
    const runs = new QuickRuns();
    const [first, second] = [ticketOf(1, 900), ticketOf(1)];
    for (const ticket of [first, second]) runs.push(ticket, 0);
    assert.deepEqual(runs.take(64, none, 0), [first, second]);
    const third = ticketOf(1);
    runs.push(third, 0);
    assert.equal(third.level, 0);
  });
});
