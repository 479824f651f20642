// Requests about the processes of a sandbox, and their answers checked.
import { isOfOthers, type DoneItem } from "../../execution/protocol/messages.ts";
import { LoadError, SandboxNotRunningError } from "../../model/errors.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import { processKinds, processStatuses, type ProcessView } from "../../model/sandboxes/process.ts";
import { decode } from "../../model/wire/decode.ts";
import { MalformedError } from "../../model/wire/malformed.ts";
import { thrownFailure } from "../runs/outcome-of.ts";
import type { ControlledSandbox, Place } from "../runs/ticket.ts";
import type { SandboxView } from "../sandbox-view.ts";

export interface ManageRequest {
  readonly verb: string;
  readonly first: string;
  readonly second: string;
  readonly budgetMs: number;
  /** May be asked again where the isolate was lost before it answered. */
  readonly isRepeatable?: boolean;
  /** Its answer is of use only while the isolate that gave it exists. */
  readonly mustStay?: boolean;
  /** The phase of an error. Default: evaluate. */
  readonly phase?: "evaluate" | "migrate";
}

const attemptsMax = 3;

// Sends a request; its answer is a text. Rejects where the sandbox cannot answer, or its code throws.
async function manageProcesses(sandbox: ControlledSandbox, request: ManageRequest): Promise<string> {
  const item = await answerTo(sandbox, request);
  if (item === undefined) throw lostError(sandbox, request);
  const answer = String(item.answer);
  if (item.verdict === "answered" && answer.startsWith("V")) return "";
  if (item.verdict === "answered" && answer.startsWith('"')) return textOf(answer);
  const failure: GuestFailure =
    item.verdict === "answered"
      ? thrownFailure(sandbox, answer)
      : { kind: "timeout", limit: "loadMs", message: `it took longer than ${request.budgetMs} ms` };
  throw new LoadError(`Cannot ${request.verb} the processes of sandbox "${sandbox.id}": ${failure.message}`, {
    phase: request.phase ?? "evaluate",
    failure,
  });
}

// A sandbox that lost its isolate still runs: it has another one, or gets one.
function lostError(sandbox: SandboxView, { verb, phase = "evaluate" }: ManageRequest): Error {
  if (!isAtWork(sandbox)) return new SandboxNotRunningError(verb, sandbox);
  const message = `Cannot ${verb} the processes of sandbox "${sandbox.id}" as its isolate was lost before they answered`;
  return new LoadError(message, { phase, failure: { kind: "cell-lost", message } });
}

function isAtWork({ status }: SandboxView): boolean {
  return status === "running" || status === "reloading" || status === "suspended";
}

// A malformed text counts as empty.
function textOf(answer: string): string {
  try {
    return String(decode(answer));
  } catch (error) {
    if (error instanceof MalformedError) return "";
    throw error;
  }
}

/**
 * Asks about processes. `read` turns the answer into a value, or into undefined where it is not of the right form: then this
 * rejects.
 */
export async function askOfProcesses<T>(
  sandbox: ControlledSandbox,
  request: ManageRequest & { readonly read: (value: unknown) => T | undefined },
): Promise<T> {
  const value = request.read(parsed(await manageProcesses(sandbox, request)));
  if (value !== undefined) return value;
  const message = `Cannot ${request.verb} the processes of sandbox "${sandbox.id}" as its cell must answer with what was asked: it did not`;
  throw new LoadError(message, { phase: "evaluate" });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a value is a list of objects that have these fields. */
export function isListOf(value: unknown, names: readonly string[]): boolean {
  return (
    Array.isArray(value) &&
    value.every((row) => typeof row === "object" && row !== null && names.every((name) => name in row))
  );
}

// A repeatable request is sent again where the isolate was lost meanwhile. Undefined where there is no answer.
async function answerTo(sandbox: ControlledSandbox, request: ManageRequest): Promise<DoneItem | undefined> {
  const { verb, first, second, budgetMs } = request;
  for (let attempt = 1; ; attempt++) {
    let place: Place | undefined;
    const { item } = await sandbox.control(budgetMs, (op, key) => {
      ({ place } = sandbox);
      return { t: "manage", op, key, verb, first, second, budgetMs };
    });
    const hasLeft = request.mustStay === true && sandbox.place !== place;
    if (item !== undefined && !isOfOthers(item.verdict) && !hasLeft) return item;
    const mayRepeat = request.isRepeatable === true && isAtWork(sandbox) && attempt < attemptsMax;
    if (!mayRepeat) return undefined;
  }
}

const isCount = (value: unknown): boolean =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
const isText = (value: unknown): boolean => typeof value === "string";
const isTextOrNone = (value: unknown): boolean => value === null || isText(value);

const rowForm: Readonly<Record<Exclude<keyof Row, "parent">, (value: unknown) => boolean>> = {
  pid: isCount,
  name: isTextOrNone,
  kind: (value) => processKinds.some((kind) => kind === value),
  status: (value) => processStatuses.some((status) => status === value),
  path: isTextOrNone,
  queueLength: isCount,
  queueMax: isCount,
  messages: isCount,
  restarts: isCount,
  links: (value) => Array.isArray(value) && value.every(isCount),
  trappingExits: (value) => typeof value === "boolean",
};

type Row = Omit<ProcessView, "children"> & { readonly parent: number | null };

function isRow(value: unknown): value is Row {
  if (typeof value !== "object" || value === null) return false;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  return Object.entries(rowForm).every(([name, isFormed]) => isFormed(fields[name]));
}

/** The processes of a sandbox as trees, those of a supervisor below it. Undefined for a malformed answer. */
export function toTrees(value: unknown): ProcessView[] | undefined {
  if (!Array.isArray(value) || !value.every(isRow)) return undefined;
  const entries = value.map((row) => ({ row, view: toView(row) }));
  const views = new Map(entries.map(({ view }) => [view.pid, view]));
  if (views.size !== value.length) return undefined;
  const roots: ProcessView[] = [];
  for (const { row, view } of entries) {
    const above = row.path === "" || row.path === null ? undefined : views.get(row.parent ?? -1);
    if (above === undefined) roots.push(view);
    else if (above.kind === "supervisor") above.children.push(view);
  }
  return roots;
}

// Field by field, so that unknown fields are dropped.
function toView(row: Row): ProcessView & { readonly children: ProcessView[] } {
  const { pid, name, kind, status, path, queueLength, queueMax } = row;
  const { messages, restarts, links, trappingExits } = row;
  const counts = { queueLength, queueMax, messages, restarts };
  return { pid, name, kind, status, path, ...counts, links, trappingExits, children: [] };
}
