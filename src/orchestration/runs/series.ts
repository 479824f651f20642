// A run that is a series: cases of a list, called one after the other. Its cell reports on the latest case as on any run, with the
// answers of those before it; the cases that are left are asked by another series.
import type { DoneItem } from "../../execution/protocol/messages.ts";
import type { Outcome } from "../../model/runs/outcome.ts";
import { beforeLengthMost } from "../../model/runs/series-bounds.ts";
import { assert } from "../../std/assert.ts";
import { endedBy, outcomeOf } from "./outcome-of.ts";
import { usageOf } from "./run-usage.ts";
import type { RunTerms, RunTicket, Ticket } from "./ticket.ts";

/** Whether a cell may report this of a ticket: only a series has cases before, and not more than were asked. */
export function mayHaveBefore(ticket: Ticket, { before }: DoneItem): boolean {
  if (before === undefined) return true;
  if (ticket.kind !== "run" || ticket.series === undefined) return false;
  let length = 0;
  for (const answer of before) length += typeof answer === "string" ? answer.length : 0;
  const width = widthOf(ticket);
  const isWhole = before.length % width === 0 && before.length / width < ticket.series.count;
  return isWhole && length <= beforeLengthMost;
}

/** The outcomes of a series: of the latest case, and of those before it. The time inside is divided among them. */
export interface SeriesOutcomes {
  readonly before: readonly Outcome[];
  readonly last: Outcome;
}

/** Cases that write something end their series. */
const noLines: Outcome["logs"] = Object.freeze([]);

export function outcomesOf(ticket: RunTicket, item: DoneItem): SeriesOutcomes {
  const { before = [] } = item;
  const width = widthOf(ticket);
  const count = before.length / width + 1;
  const outcomes: Outcome[] = [];
  const each = { ...item, wallUs: item.wallUs / count, cpuUs: item.cpuUs / count };
  const silent = usageOf(ticket, { ...each, outputBytes: 0, fuel: null });
  for (let at = 0; at < before.length; at += width) {
    const answer = before[at] ?? "";
    const usage = width === 1 ? silent : { ...silent, fuel: Number(before[at + 1]) };
    if (typeof answer === "number") {
      outcomes.push({ ok: true, value: answer, usage, logs: noLines });
      continue;
    }
    ticket.terms = termsAt(ticket, at / width);
    const ended = endedBy(ticket, answer);
    outcomes.push(
      "failure" in ended
        ? { ok: false, error: ended.failure, usage, logs: noLines }
        : { ok: true, value: ended.value, usage, logs: noLines },
    );
  }
  ticket.terms = termsAt(ticket, count - 1);
  return { before: outcomes, last: outcomeOf(ticket, each) };
}

/** Whether a cell could not tell which case its report is about. */
export function isUnknown({ series }: RunTicket, { before, verdict }: DoneItem): boolean {
  return before === undefined && verdict !== "cancelled" && series !== undefined && series.count > 1;
}

/** The terms of one of the cases of a series. */
export function termsAt({ series, terms }: RunTicket, index: number): RunTerms {
  if (series === undefined) return terms;
  const found = series.terms[series.list.cases[series.from + index]?.target ?? 0];
  assert(found !== undefined, "a series has the terms of all its targets");
  return found;
}

// Where fuel is counted, each answer is followed by its own.
function widthOf({ terms }: RunTicket): number {
  return terms.fuel === null ? 1 : 2;
}
