// Which of the events that the page keeps are shown, and as what.
import type { AnyEvent } from "../../../../src/index.ts";
import type { EventLog } from "../../model/event-log.ts";
import { eventNames } from "../../source/event-names.ts";

export interface StreamRow {
  /** Names it in the address: where it was counted, and its number there. */
  readonly key: string;
  readonly any: AnyEvent;
}

export interface StreamFilter {
  /** Only these; none means all. */
  readonly names: ReadonlySet<string>;
  /** A part of the id of a sandbox. */
  readonly sandboxId: string;
  /** In any of what it carries; small and capital letters are the same. */
  readonly text: string;
}

/** The part before the first dot. */
const groupOf = (name: string): string => name.split(".", 1)[0] ?? name;

/** All names, those of an unknown version included, by their groups, each with how many are kept. */
export function groupsOf(counts: ReadonlyMap<string, number>): readonly {
  readonly group: string;
  readonly names: readonly { readonly name: string; readonly count: number }[];
}[] {
  const names = new Set<string>([...eventNames, ...counts.keys()]);
  const groups = Map.groupBy(names, groupOf);
  return [...groups].map(([group, own]) => ({
    group,
    names: own.map((name) => ({ name, count: counts.get(name) ?? 0 })),
  }));
}

export const noFilter: StreamFilter = { names: new Set(), sandboxId: "", text: "" };

export function readFilter(query: Readonly<Record<string, string>>): StreamFilter {
  const names = (query["names"] ?? "").split(",").filter((name) => name !== "");
  return { names: new Set(names), sandboxId: query["id"] ?? "", text: query["q"] ?? "" };
}

/** Chooses names, or no longer; as they stand in the address, null for all. */
export function toggledNames(
  chosen: ReadonlySet<string>,
  names: readonly string[],
  isChosen: boolean,
): string | null {
  const next = new Set(chosen);
  for (const name of names) {
    if (isChosen) next.add(name);
    else next.delete(name);
  }
  return next.size === 0 ? null : [...next].join(",");
}

/** Of the kept ones of both logs, how many there are of each name. */
export function countNames(logs: readonly EventLog[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const log of logs)
    for (let place = 0; place < log.size; place++) {
      const name = log.at(place)?.any.name;
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  return counts;
}

/** Newest first. Those of one log stay in their order; between the logs the time decides. */
export function rowsOf(own: EventLog, others: EventLog, filter: StreamFilter): readonly StreamRow[] {
  const isWanted = matcher(filter);
  const first = own.latest(own.size, ({ any }) => isWanted(any));
  const second = others.latest(others.size, ({ any }) => isWanted(any));
  const rows: StreamRow[] = [];
  for (let [one, other] = [0, 0]; one < first.length || other < second.length;) {
    const [mine, theirs] = [first[one], second[other]];
    const isMine = theirs === undefined || (mine !== undefined && mine.any.at >= theirs.any.at);
    const logged = isMine ? mine : theirs;
    if (logged === undefined) break;
    rows.push({ key: `${isMine ? "e" : "o"}${logged.number}`, any: logged.any });
    if (isMine) one++;
    else other++;
  }
  return rows;
}

/** Those of the rows that are wanted. */
export function filterRows(rows: readonly StreamRow[], filter: StreamFilter): readonly StreamRow[] {
  const isWanted = matcher(filter);
  return rows.filter(({ any }) => isWanted(any));
}

/** One that is still kept, by its name in the address. */
export function findRow(own: EventLog, others: EventLog, key: string): StreamRow | undefined {
  const log = key.startsWith("e") ? own : others;
  const number = Number(key.slice(1));
  const place = number - (log.total - log.size) - 1;
  const logged = Number.isInteger(place) && place >= 0 && place < log.size ? log.at(place) : undefined;
  return logged?.number === number ? { key, any: logged.any } : undefined;
}

export function sandboxIdOf({ event }: AnyEvent): string | null {
  return "sandboxId" in event ? event.sandboxId : null;
}

/** As one JSON document in each line, oldest first, as journals are. */
export function ndjsonOf(rows: readonly StreamRow[]): string {
  return rows
    .toReversed()
    .map(({ any }) => `${JSON.stringify(any)}\n`)
    .join("");
}

/** So much of what an event carries is searched. */
export const searchedMax = 2_000;
const texts = new WeakMap<AnyEvent, string>();

function matcher({ names, sandboxId, text }: StreamFilter): (any: AnyEvent) => boolean {
  const wanted = text.toLowerCase();
  return (any) => {
    if (names.size > 0 && !names.has(any.name)) return false;
    if (sandboxId !== "" && sandboxIdOf(any)?.includes(sandboxId) !== true) return false;
    return wanted === "" || textOf(any).includes(wanted);
  };
}

function textOf(any: AnyEvent): string {
  const known = texts.get(any);
  if (known !== undefined) return known;
  const text = `${any.name} ${JSON.stringify(any.event)}`.slice(0, searchedMax).toLowerCase();
  texts.set(any, text);
  return text;
}
