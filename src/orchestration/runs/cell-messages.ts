// Messages to a cell: runs taken from a queue in chunks and put into groups that share all but sandbox and arguments, so that
// the shared part is sent once; and the load of a sandbox.
import { moduleTexts } from "../../code/modules/load-order.ts";
import {
  quickWidth,
  type BoxLimits,
  type DoneItem,
  type DoneReport,
  type LoadCommand,
  type ProcessPlan,
  type RunGroup,
} from "../../execution/protocol/messages.ts";
import { shippedNameOf } from "../../execution/protocol/shipped-code.ts";
import type { Limits } from "../../model/limits.ts";
import type { Queue } from "../../std/queue.ts";
import { featuresOf } from "../../security/profile.ts";
import type { SandboxView } from "../sandbox-view.ts";
import type { CaseList } from "./case-list.ts";
import type { LoadTicket, RunTicket } from "./ticket.ts";

const chunkBytesMax = 2 ** 20;

/** The next runs that are not settled, up to a count and an amount of text. */
export function takeChunk(from: Pick<Queue<RunTicket>, "shift">, countMax: number): RunTicket[] {
  const tickets: RunTicket[] = [];
  let bytes = 0;
  while (tickets.length < countMax && bytes < chunkBytesMax) {
    const ticket = from.shift();
    if (ticket === undefined) break;
    if (ticket.isSettled) continue;
    tickets.push(ticket);
    bytes += ticket.args.length;
  }
  return tickets;
}

/** Gives the number that a list of cases has at the cell. */
export type NumberOf = (list: CaseList) => number;

/** Groups of consecutive runs with the same terms. Their operations must be numbered one after the other. */
export function toRunGroups(tickets: readonly RunTicket[], numberOf: NumberOf): RunGroup[] {
  const groups: Group[] = [];
  for (const ticket of tickets) {
    const group = groups.at(-1);
    if (group !== undefined && isAlike(group[0], ticket)) group.push(ticket);
    else groups.push([ticket]);
  }
  return groups.map((group) => toRunGroup(group, numberOf));
}

type Group = [first: RunTicket, ...others: RunTicket[]];

function isAlike(one: RunTicket, other: RunTicket): boolean {
  if (one.terms !== other.terms || one.lane !== other.lane) return false;
  const { series } = one;
  if (series === undefined || other.series === undefined) return series === other.series;
  const { list, from, count, isStrict } = other.series;
  return (
    list === series.list && from === series.from && count === series.count && isStrict === series.isStrict
  );
}

function toRunGroup(tickets: Group, numberOf: NumberOf): RunGroup {
  const [{ op, lane, terms, series }] = tickets;
  const { module, timeoutMs, cpuMs, fuel, code, shipped, script, tell, stream } = terms;
  const keys = tickets.map((ticket) => ticket.place?.key ?? 0);
  const bounds = { timeoutMs, cpuMs, fuel };
  const group = { op, lane, module, export: terms.export, ...bounds, keys, ...argsOf(tickets) };
  if (series !== undefined) {
    const { list, from, count, isStrict } = series;
    return { ...group, series: { list: numberOf(list), from, count, isStrict } };
  }
  if (tell !== undefined) return { ...group, tell };
  if (stream !== undefined) return { ...group, stream: { id: stream.id, verb: stream.verb } };
  if (code === undefined || shipped === undefined) return group;
  const travelling = { ...group, code, codeName: shippedNameOf(shipped, script) };
  if (script === undefined) return travelling;
  return { ...travelling, script: { name: script.name, waits: script.waits } };
}

// Arguments that all have in common are sent once.
function argsOf(tickets: Group): Pick<RunGroup, "args" | "isShared"> {
  const [{ args }, ...others] = tickets;
  const isShared = others.length > 0 && others.every((ticket) => ticket.args === args);
  return isShared ? { args: [args], isShared } : { args: tickets.map((ticket) => ticket.args) };
}

/** The limits that a cell enforces by itself. */
export function boxLimitsOf(limits: Limits): BoxLimits {
  const { memoryBytes, stepMs, cpuPercent, resultBytes, outputBytes, fuel } = limits;
  const { processes, messageQueue, loadMs } = limits;
  const inside = { processes, messageQueue, loadMs };
  return { memoryBytes, stepMs, cpuPercent, resultBytes, outputBytes, fuel, ...inside };
}

/** How a sandbox's processes begin; null where it has none. */
function processPlanOf({ processes, checkpoint }: SandboxView): ProcessPlan | null {
  if (processes === null) return null;
  return {
    supervisor: processes.supervisor,
    capture: checkpoint.toText(),
    isCheckpointed: processes.checkpoint === "message",
  };
}

/** All items of a report, the short answers first. */
export function itemsOf({ quick, items }: DoneReport): readonly DoneItem[] {
  if (quick.length === 0) return items;
  const all: DoneItem[] = [];
  for (let at = 0; at < quick.length; at += quickWidth) all.push(quickItem(quick, at));
  return items.length === 0 ? all : [...all, ...items];
}

// One of the short answers, which are sent as values in a row.
function quickItem(quick: DoneReport["quick"], at: number): DoneItem {
  return {
    op: Number(quick[at]),
    verdict: "answered",
    answer: quick[at + 1] ?? "",
    startedUs: Number(quick[at + 2]),
    wallUs: Number(quick[at + 3]),
    cpuUs: Number(quick[at + 4]),
    outputBytes: 0,
    fuel: null,
    isLost: false,
  };
}

/** The command to load a sandbox at its head revision. */
export function loadCommandOf(
  sandbox: SandboxView,
  { op, lane, isProven, place, sentMs }: LoadTicket,
): LoadCommand {
  const { limits, character, order, modules } = sandbox;
  return {
    t: "load",
    op,
    key: place?.key ?? 0,
    lane,
    isProven,
    isDense: place?.isShared ?? false,
    budgetMs: limits.loadMs,
    limits: boxLimitsOf(limits),
    character,
    usedMs: Math.round(sandbox.service.at(sentMs)),
    features: featuresOf(sandbox.profile),
    fetchBy: sandbox.grants.fetchBy,
    processes: processPlanOf(sandbox),
    isHeld: sandbox.status === "suspended",
    modules: moduleTexts(order, modules),
  };
}
