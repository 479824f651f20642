// What a cell may report of a ticket, and what cannot be.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DoneItem } from "../../../../src/execution/protocol/messages.ts";
import { isLie } from "../../../../src/orchestration/cells/report-worth.ts";
import { CaseList } from "../../../../src/orchestration/runs/case-list.ts";
import type { RunTerms, RunTicket, SeriesPlan } from "../../../../src/orchestration/runs/ticket.ts";
import { doneItem } from "../../../support/done-item.ts";

function ticketOf(fuel: number | null, series?: Partial<SeriesPlan>): RunTicket {
  const list = new CaseList([["main", "f"]], []);
  const plan = { list, from: 0, count: 3, isStrict: true, terms: [], ...series };
  const terms: Partial<RunTerms> = { fuel };
  const ticket = { kind: "run", lane: "sync", terms, series: series === undefined ? undefined : plan };
  return ticket as unknown as RunTicket;
}

const item = (before: readonly (number | string)[]): DoneItem => ({ ...doneItem(1, 1), before });

test("a run that is no series has no cases before its own", () => {
  assert.equal(isLie(ticketOf(null), item([])), true);
  assert.equal(isLie(ticketOf(null), doneItem(1, 1)), false);
});

test("a series has fewer cases before the latest than were asked", () => {
  const ticket = ticketOf(null, {});
  assert.equal(isLie(ticket, item([1, "2"])), false);
  assert.equal(isLie(ticket, item([1, 2, 3])), true);
});

test("a series whose fuel is counted has a number behind each answer", () => {
  const ticket = ticketOf(100, {});
  assert.equal(isLie(ticket, item([1, 5, "2", 6])), false);
  assert.equal(isLie(ticket, item([1, 5, "2"])), true);
  assert.equal(isLie(ticket, item([1, 5, "2", 6, 3, 7])), true);
});

test("a series has no longer answers than the guest runtime lets through", () => {
  const ticket = ticketOf(null, {});
  assert.equal(isLie(ticket, item(["x".repeat(30_000)])), false);
  assert.equal(isLie(ticket, item(["x".repeat(60_000)])), true);
});
