// A long page of individuals is made in slices: nobody else's request waits for all of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Tracker } from "../../../src/evolution/index.ts";
import type { IndividualsPage } from "../../../src/contract/evolution-bodies.ts";
import { evolutionHandlers } from "../../../src/server/handlers/evolution.ts";
import type { Asked } from "../../../src/server/handler.ts";

const count = 10_000;

function filled(individualsMax = 100_000): Tracker {
  const tracker = new Tracker({ direction: "maximise", individualsMax });
  for (let at = 0; at < count; at++)
    tracker.lineage.born({ id: `i${at}`, parentIds: at > 0 ? [`i${at - 1}`] : [] });
  return tracker;
}

/** How often others had a turn until the page was there. */
async function asked(tracker: Tracker, tenant: string | null, onTurn: (turns: number) => void = () => {}) {
  const gate = { ownsId: (_: unknown, id: string) => id.endsWith("7") };
  const parts = { tracker: async () => tracker, gate };
  // What the handler reads.
  const given = { parts, caller: { tenant }, query: { limit: count }, signal: new AbortController().signal };
  const answer = (async (): Promise<IndividualsPage> =>
    evolutionHandlers.listIndividuals(given as unknown as Asked<"listIndividuals">))();
  const state = { isOver: false };
  void answer.finally(() => (state.isOver = true));
  let turns = 0;
  for (; !state.isOver; turns++) {
    await new Promise((go) => setImmediate(go));
    onTurn(turns);
  }
  return { turns, page: await answer };
}

test("others have turns while a page of 10,000 individuals is made", async () => {
  const { turns, page } = await asked(filled(), null);
  assert.equal(page.individuals.length, count);
  assert.ok(turns > 3, `They had ${turns}.`);
});

test("others have turns while the individuals of a tenant are looked for", async () => {
  const { turns, page } = await asked(filled(), "acme");
  assert.equal(page.individuals.length, count / 10);
  assert.ok(turns > 1, `They had ${turns}.`);
});

test("a birth while a page is made is in the next page", async () => {
  const tracker = filled();
  const { page } = await asked(tracker, null, (turn) => {
    if (turn === 1) tracker.lineage.born({ id: "late" });
  });
  assert.deepEqual([page.total, page.individuals.length, page.next], [count, count, null]);
});

test("individuals forgotten while a page is made are in none of it, and no other is missed", async () => {
  const tracker = filled(count + 10);
  for (let at = 0; at < 2_000; at++) tracker.lineage.died(`i${at}`);
  const { page } = await asked(tracker, null, (turn) => {
    if (turn === 1) for (let late = 0; late < 20; late++) tracker.lineage.born({ id: `late-${late}` });
  });
  assert.ok(page.forgotten > 0);
  assert.equal(page.forgotten, tracker.table.forgotten);
  assert.deepEqual(
    page.individuals.map(({ id }) => id),
    Array.from({ length: page.total }, (_, row) => tracker.table.idOf(row)),
  );
});
