// Long values are read in slices before their runs end, so that no value keeps the host's thread busy for long.
import { quickWidth, type DoneReport } from "../../execution/protocol/messages.ts";
import { itemsOf } from "../runs/cell-messages.ts";
import { lengthToSlice, readAhead } from "../runs/outcome-of.ts";
import type { Ticket } from "../runs/ticket.ts";
import type { DonePart, WorkBefore } from "./barrier.ts";

/** What is still being read, by operation. */
export type Readings = ReadonlyMap<number, Promise<void>>;

const none: Readings = new Map();

/** Begins to read the long values of a report; what finished in its first slice is not waited for. */
export function readLongValues(report: DoneReport, find: (op: number) => Ticket | undefined): Readings {
  if (!hasLong(report)) return none;
  const readings = new Map<number, Promise<void>>();
  for (const item of itemsOf(report)) {
    const ticket = find(item.op);
    const later = ticket?.kind === "run" ? readAhead(ticket, item) : undefined;
    if (later !== undefined) readings.set(item.op, later);
  }
  return readings;
}

// Most reports have none: they are not gone through item by item.
function hasLong({ quick, items }: DoneReport): boolean {
  for (let at = 1; at < quick.length; at += quickWidth) if (isLong(quick[at])) return true;
  return items.some(({ answer }) => isLong(answer));
}

const isLong = (answer: unknown): boolean => typeof answer === "string" && answer.length >= lengthToSlice;

/** What must be done before the answers of one isolate are passed on. */
export function workBefore(
  { states, items }: DonePart,
  readings: Readings,
  store: () => Promise<void>,
): WorkBefore {
  const own = readings.size === 0 ? [] : items.flatMap(({ op }) => readings.get(op) ?? []);
  return states.length === 0 ? { readings: own } : { store, readings: own };
}
