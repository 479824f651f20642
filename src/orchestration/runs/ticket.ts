// Operations on their way to a cell and back. Each is settled exactly once.
import type { Artifact } from "../../code/modules/artifact.ts";
import type { DoneItem, Lane, Primitive } from "../../execution/protocol/messages.ts";
import type { LogLine } from "../../model/log-line.ts";
import type { Outcome } from "../../model/outcome.ts";
import type { Place } from "../cells/assignment.ts";
import type { Decision } from "../cells/death.ts";
import { chooseLoadLane } from "./lane.ts";
import type { ManagedSandbox } from "../sandboxes/managed-sandbox.ts";

/** What a run is to do, without its arguments. Runs that share one object of this travel in one group. */
export interface RunTerms {
  readonly module: string;
  readonly export: string;
  /** A function shipped as source; module and export are then empty. */
  readonly code?: string;
  /** The compiled module that `code` was made of, for its source map. */
  readonly shipped?: Artifact;
  /** A message to the process that `export` names. */
  readonly tell?: "ask" | "send";
  readonly timeoutMs: number;
  readonly cpuMs: number | null;
  readonly fuel: number | null;
  readonly isRepeatable: boolean;
  /** How long it may wait for a lane. */
  readonly waitMs: number;
}

/** Arguments on their way: primitives as they are, or the whole list encoded. */
export type WireArgs = string | readonly Primitive[];

/** A run that is wanted. `settle` is called exactly once. */
export interface RunSubmission {
  readonly terms: RunTerms;
  readonly args: WireArgs;
  /** It belongs to the reload that is under way, and goes in while others are held back. */
  readonly isPrivileged?: boolean;
  readonly settle: (outcome: Outcome) => void;
}

const logLinesMax = 100;
/** What the cell adds to the line at which it cuts. */
const cutNoteMax = 100;

export class RunTicket {
  readonly kind = "run";
  /** Its number among all runs of the runtime. */
  readonly id: number;
  readonly sandbox: ManagedSandbox;
  readonly terms: RunTerms;
  readonly args: WireArgs;
  readonly submittedMs: number;
  readonly isPrivileged: boolean;
  /** Its number at the cell it was sent to last. */
  op = 0;
  lane: Lane = "async";
  sentMs = 0;
  /** Where its sandbox was when it was sent; it may be elsewhere by now. */
  place: Place | undefined;
  /** Since when it waits to be sent: what a cell that died has cost it is not its waiting. */
  waitingSinceMs: number;
  /** When it entered its isolate, once the cell has said that it waits there. */
  pendingSinceMs: number | undefined;
  /** The sandbox was untouched when it was sent. */
  wasPristine = false;
  /** It was taken to another cell, as one held up the one it was in. */
  hasMoved = false;
  /** It asked the host for something. */
  hasAsked = false;
  /** What it did may be in states that were kept, though it was not answered. */
  hasTrace = false;
  /** Cells that died under it. */
  deaths = 0;
  /** How often it came back without having begun. */
  returns = 0;
  /** A slice was, or would be, too short for it. */
  needsOwnLane: boolean;
  #logs: LogLine[] | undefined;
  #logLength = 0;
  #settle: ((outcome: Outcome) => void) | undefined;

  constructor(
    sandbox: ManagedSandbox,
    submission: RunSubmission,
    { id, submittedMs }: { readonly id: number; readonly submittedMs: number },
  ) {
    this.id = id;
    this.sandbox = sandbox;
    this.terms = submission.terms;
    this.args = submission.args;
    this.isPrivileged = submission.isPrivileged === true;
    this.needsOwnLane = chooseLoadLane(submission.terms.code?.length ?? 0) === "async";
    this.submittedMs = submittedMs;
    this.waitingSinceMs = submittedMs;
    this.#settle = submission.settle;
  }

  get isSettled(): boolean {
    return this.#settle === undefined;
  }

  /** Repeating it cannot be told from running it once: it says so itself, or there was nothing to change before it. */
  get isRepeatable(): boolean {
    const isUntouched = this.wasPristine && !this.hasAsked;
    return (this.terms.isRepeatable && !this.hasTrace) || isUntouched;
  }

  /** Its caller said that it may be done again, and nothing of it has left the sandbox. */
  get maySafelyRepeat(): boolean {
    return this.terms.isRepeatable && !this.hasTrace && !this.hasAsked;
  }

  get logs(): readonly LogLine[] {
    return this.#logs ?? [];
  }

  /** Keeps a line; no more than the run may write, whatever the cell says that it wrote. */
  log(line: LogLine): void {
    const room = this.sandbox.limits.outputBytes + cutNoteMax - this.#logLength;
    if (room <= 0) return;
    this.#logLength += line.text.length;
    this.#logs ??= [];
    this.#logs.push(line.text.length > room ? { ...line, text: line.text.slice(0, room) } : line);
    if (this.#logs.length > logLinesMax) this.#logs.shift();
  }

  /** A new attempt starts with a clean page. */
  forgetLogs(): void {
    this.#logs = undefined;
    this.#logLength = 0;
  }

  settle(outcome: Outcome): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(outcome);
  }
}

/** How a load ended, as the cell or its death tells. */
export class LoadTicket {
  readonly kind = "load";
  readonly sandbox: ManagedSandbox;
  readonly place: Place;
  readonly lane: Lane;
  /** Cells that died while it was being loaded, in a row. */
  readonly deaths: number;
  op = 0;
  sentMs = 0;

  constructor(
    sandbox: ManagedSandbox,
    load: { readonly place: Place; readonly lane: Lane; readonly deaths: number },
  ) {
    this.sandbox = sandbox;
    this.place = load.place;
    this.lane = load.lane;
    this.deaths = load.deaths;
  }
}

/** How a control operation came back: with the cell's answer, or without one, and then what was decided about it. */
export type ControlResult =
  | { readonly item: DoneItem }
  | { readonly item: undefined; readonly decision: Decision | undefined };

/** Any operation whose answer goes straight back to whoever sent it: a sample, a reload, its settlement. */
export class ControlTicket {
  readonly kind = "control";
  readonly sandbox: ManagedSandbox;
  readonly place: Place;
  readonly settle: (result: ControlResult) => void;
  /** How long the cell may take over it, once it has begun. */
  readonly budgetMs: number;
  op = 0;
  lane: Lane;
  sentMs = 0;

  constructor(
    sandbox: ManagedSandbox,
    control: {
      readonly place: Place;
      readonly lane: Lane;
      readonly budgetMs: number;
      readonly settle: (result: ControlResult) => void;
    },
  ) {
    this.sandbox = sandbox;
    this.place = control.place;
    this.lane = control.lane;
    this.budgetMs = control.budgetMs;
    this.settle = control.settle;
  }
}

/** The runs of a sandbox that is taken out of its cell: those that the cell had, which may have begun, and the others. */
export interface Dropped {
  readonly sent: readonly RunTicket[];
  readonly waiting: readonly RunTicket[];
}

export type Ticket = RunTicket | LoadTicket | ControlTicket;

const laneWaitMsMax = 60_000;

const silenceMs = 5_000;

/** Whether a cell owes an answer to any of these for longer than all bounds of the operation together. */
export function isAnyOverdue(tickets: readonly Ticket[], nowMs: number, heardMs: number): boolean {
  // Who waits for the main lane may have to wait for the longest run that was sent there.
  let heldMs = 0;
  for (const ticket of tickets)
    if (ticket.kind === "run" && ticket.lane !== "async") heldMs = Math.max(heldMs, ticket.terms.timeoutMs);
  return tickets.some((ticket) => {
    const waitMs = ticket.lane === "async" ? 0 : heldMs;
    const dueMs = ticket.sentMs + patienceMs(ticket, Infinity) + waitMs + silenceMs;
    // One that says nothing at all need not be waited for as long as one that is at work.
    const quietDueMs =
      Math.max(ticket.sentMs, heardMs) + patienceMs(ticket, laneWaitMsMax) + waitMs + silenceMs;
    return nowMs > Math.min(dueMs, quietDueMs);
  });
}

// What an operation may take once it is sent: its own time, and that of those before it in its lane.
function patienceMs(ticket: Ticket, waitMsMax: number): number {
  const { limits } = ticket.sandbox;
  if (ticket.kind === "run") return Math.min(ticket.terms.waitMs, waitMsMax) + ticket.terms.timeoutMs;
  if (ticket.kind === "load") return laneWaitMsMax + limits.loadMs;
  // A control operation begins when nobody is inside its sandbox.
  return laneWaitMsMax + limits.maxTimeoutMs + ticket.budgetMs;
}
