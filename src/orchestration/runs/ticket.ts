// The tickets that are sent to cells: runs, loads and control commands, each settled exactly once; and what they need of
// their sandbox and its place.
import type { Artifact } from "../../code/modules/artifact.ts";
import type { TimeInside } from "../../execution/cell.ts";
import type { MainLaneGuard } from "../../execution/main-lane.ts";
import type { Command, DoneItem, Lane, Primitive } from "../../execution/protocol/messages.ts";
import type { StreamStep } from "../../execution/protocol/run-parts.ts";
import type { LogLine } from "../../model/runs/log-line.ts";
import type { GuestFailure, Outcome } from "../../model/runs/outcome.ts";
import type { Read } from "../../model/wire/slices.ts";
import type { Link } from "../../std/linked-list.ts";
import type { Decision } from "../cells/death.ts";
import type { SandboxView } from "../sandbox-view.ts";
import type { CaseList } from "./case-list.ts";
import { chooseLoadLane } from "./lane.ts";
import type { ScriptTerms } from "./script-terms.ts";

/** What a run is to do, without its arguments. Runs that share this object are sent in one group. */
export interface RunTerms {
  readonly module: string;
  readonly export: string;
  /** A function shipped as source; module and export are then empty. */
  readonly code?: string;
  /** The compiled module that `code` was made of, for its source map. */
  readonly shipped?: Artifact;
  /** Where that is a script and no function. */
  readonly script?: ScriptTerms;
  /** A message to the process that `export` names. */
  readonly tell?: "ask" | "send";
  /** A step of a stream, and who counts the bytes of its answer. */
  readonly stream?: StreamStep & { readonly onAnswer: (bytes: number) => void };
  readonly timeoutMs: number;
  readonly cpuMs: number | null;
  readonly fuel: number | null;
  readonly isRepeatable: boolean;
  /** How long it may wait for a lane. */
  readonly waitMs: number;
}

/** Arguments as they are sent: primitives as they are, or the whole list encoded. */
export type WireArgs = string | readonly Primitive[];

/** Cases of a list that a run calls one after the other. */
export interface SeriesPlan {
  readonly list: CaseList;
  readonly from: number;
  readonly count: number;
  /** It ends with the first case that fails. */
  readonly isStrict: boolean;
  /** The terms of each target of the list. They differ in nothing else. */
  readonly terms: readonly RunTerms[];
  /** Called before the run is settled: with the outcomes of the cases before the one that settles it. */
  readonly onBefore: (outcomes: readonly Outcome[]) => void;
  /** Called before the run is settled where it is not known which of its cases that is about. */
  readonly onUnknown: () => void;
}

/** A run to be made. `settle` is called exactly once. */
export interface RunSubmission {
  readonly terms: RunTerms;
  readonly args: WireArgs;
  /** It belongs to the reload that is under way, and is sent while other runs are held back. */
  readonly isPrivileged?: boolean;
  readonly settle: (outcome: Outcome) => void;
  /** Instead of one function with its arguments: cases; it is settled with the outcome of the latest. */
  readonly series?: SeriesPlan;
}

const logLinesMax = 100;
/** The longest note that the cell adds to the line at which it cuts. */
const cutNoteMax = 100;

export class RunTicket {
  readonly kind = "run";
  /** Its number among all runs of the runtime. */
  readonly id: number;
  readonly sandbox: TicketSandbox;
  /** Of a series: those of the case that it is at. */
  terms: RunTerms;
  readonly args: WireArgs;
  readonly series: SeriesPlan | undefined;
  readonly submittedMs: number;
  readonly isPrivileged: boolean;
  /** The number of its latest attempt at a cell. */
  op = 0;
  lane: Lane = "async";
  sentMs = 0;
  /** The place that it was sent to; its sandbox may have another one by now. */
  place: Place | undefined;
  /** Since when it waits to be sent. Time that was lost with a cell does not count. */
  waitingSinceMs: number;
  /** When it entered its isolate, once the cell has reported that it waits there. */
  pendingSinceMs: number | undefined;
  /** Nothing had run in the isolate when it was sent. */
  wasPristine = false;
  /** How much processor time its sandbox had used lately when it began to wait for the main lane: a level of `QuickRuns`. */
  level = 0;
  /** It waits for its sandbox at the cell, and others for the main lane do not wait for it. */
  isAside = false;
  /** No run of its sandbox has ended yet, so that nothing is known of how long it takes. */
  isUnproven = false;
  /** How many runs of its sandbox in a row were quick when it was sent. */
  quickInRow = 0;
  /** It came back from its place without having begun, and has not been sent again. */
  isUnbegun = false;
  /** It was moved once to another cell, as its cell was blocked. */
  hasMoved = false;
  /** It asked the host for something. */
  hasAsked = false;
  /** What it did may be in states that were stored, though it was not answered. */
  hasTrace = false;
  /** Cells that died under it. */
  deaths = 0;
  /** How often it came back without having begun. */
  returns = 0;
  /** A slice was, or would be, too short for it. */
  needsOwnLane: boolean;
  /** Its value, where that was read before the run ends. */
  read: Read | undefined;
  /** Its places among all runs, and among those of its sandbox, while it is not settled. */
  inTable: Link<RunTicket> | undefined;
  inSandbox: Link<RunTicket> | undefined;
  /** By how much its time was prolonged, as it waited for lanes while it was pending. */
  #prolongedMs = 0;
  #logs: LogLine[] | undefined;
  #logLength = 0;
  #settle: ((outcome: Outcome) => void) | undefined;

  constructor(
    sandbox: TicketSandbox,
    submission: RunSubmission,
    { id, submittedMs }: { readonly id: number; readonly submittedMs: number },
  ) {
    this.id = id;
    this.sandbox = sandbox;
    this.terms = submission.terms;
    this.args = submission.args;
    this.series = submission.series;
    this.isPrivileged = submission.isPrivileged === true;
    this.needsOwnLane = chooseLoadLane(submission.terms.code?.length ?? 0) === "async";
    this.submittedMs = submittedMs;
    this.waitingSinceMs = submittedMs;
    this.#settle = submission.settle;
  }

  get isSettled(): boolean {
    return this.#settle === undefined;
  }

  /** Repeating it makes no difference: its caller allowed it, or it was the first in its isolate and asked the host for nothing. */
  get isRepeatable(): boolean {
    const isUntouched = this.wasPristine && !this.hasAsked;
    return (this.terms.isRepeatable && !this.hasTrace) || isUntouched;
  }

  /** Its caller allowed repeating it, and nothing of it has left the sandbox. */
  get maySafelyRepeat(): boolean {
    return this.terms.isRepeatable && !this.hasTrace && !this.hasAsked;
  }

  /**
   * Its cell says that it waited for a lane while it was pending, so that its time counts from later on. What a cell may add
   * in this way is bounded by the time that a run may wait for a lane.
   */
  prolong(sinceMs: number): void {
    const fromMs = this.pendingSinceMs ?? sinceMs;
    const addedMs = Math.min(Math.max(0, sinceMs - fromMs), this.terms.waitMs - this.#prolongedMs);
    this.#prolongedMs += addedMs;
    this.pendingSinceMs = fromMs + addedMs;
  }

  get logs(): readonly LogLine[] {
    return this.#logs?.slice(-logLinesMax) ?? [];
  }

  /** Adds a console line; no more than the run may write, whatever its cell reports. */
  log(line: LogLine): void {
    const room = this.sandbox.limits.outputBytes + cutNoteMax - this.#logLength;
    if (room <= 0) return;
    this.#logLength += line.text.length;
    this.#logs ??= [];
    this.#logs.push(line.text.length > room ? { ...line, text: line.text.slice(0, room) } : line);
    // Cut rarely, as each cut moves all lines that are left.
    if (this.#logs.length >= 2 * logLinesMax) this.#logs = this.#logs.slice(-logLinesMax);
  }

  /** A new attempt begins without lines. */
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

interface SentTicket {
  readonly sandbox: TicketSandbox;
  readonly place: Place;
  readonly lane: Lane;
  /** Its number at its cell. */
  op: number;
  sentMs: number;
}

/** The load of a sandbox into its place. */
export interface LoadTicket extends SentTicket {
  readonly kind: "load";
  /** Cells that died while it was being loaded, in a row. */
  readonly deaths: number;
  /** The same code was loaded quickly before. */
  readonly isProven: boolean;
}

/** A command whose answer is returned to its sender: a sample, a reload, the end of a reload, work on processes. */
export interface ControlTicket extends SentTicket {
  readonly kind: "control";
  readonly settle: (result: ControlResult) => void;
  /** How long the cell may take, once it has begun. */
  readonly budgetMs: number;
}

/** How a control command ended: with the cell's answer, or without one where the cell or the place was lost. */
export type ControlResult =
  | { readonly item: DoneItem }
  | { readonly item: undefined; readonly decision: Decision | undefined };

/** The runs of a sandbox that is taken out of its cell: those that were sent, which may have begun, and the others. */
export interface Dropped {
  readonly sent: readonly RunTicket[];
  readonly waiting: readonly RunTicket[];
}

export type Ticket = RunTicket | LoadTicket | ControlTicket;

/** The isolate of a sandbox in a cell. */
export interface Place {
  readonly queue: PlaceQueue;
  /** The number of the isolate, used once: reports on it cannot be mistaken for those on another isolate of the sandbox. */
  readonly key: number;
  /** Its modules have been evaluated there. */
  readonly isLoaded: boolean;
  /** Nothing has run in it since it was loaded. */
  readonly isPristine: boolean;
  /** Other sandboxes may be in the same isolate. */
  readonly isShared: boolean;
}

/** The queue of the cell that a place is in, as far as runs need it. */
export interface PlaceQueue {
  readonly number: number;
  readonly mainLane: Pick<MainLaneGuard, "isOpenTo">;
  /** Whether the cell has this run. */
  has(ticket: RunTicket): boolean;
  /** Whether its answer has arrived and waits until states are stored. */
  hasAnswerTo(ticket: RunTicket): boolean;
  /** Takes one run out. Where it was sent already, the cell is asked to end it, and its answer is still awaited. */
  withdraw(ticket: RunTicket): void;
  /** Sends the host's answer to a request of the guest. */
  answer(key: number, answer: Omit<Extract<Command, { t: "answer" }>, "t" | "key">): void;
}

/** A sandbox whose cell can be asked for something that is no run. */
export interface ControlledSandbox extends SandboxView {
  readonly place: Place | undefined;
  /** Sends a command and waits for the answer; there is none where the sandbox loses its place meanwhile. */
  control(budgetMs: number, commandOf: (op: number, key: number) => Command): Promise<ControlResult>;
}

/** The sandbox of a ticket: what it does about its runs and loads. */
export interface TicketSandbox extends ControlledSandbox {
  readonly cellEvents: TicketEvents;
  /** Ends a run from our side; with its time inside where its cell died with it. */
  endRun(ticket: RunTicket, failure: GuestFailure, inside?: TimeInside): void;
  /** It can no longer be called. */
  fail(failure: GuestFailure): void;
}

/** How an operation begins again whose cell died. */
export interface AgainHow {
  /** In a cell without other sandboxes. */
  readonly isAlone: boolean;
  /** Without a slice on the main lane. */
  readonly needsOwnLane: boolean;
}

export interface TicketEvents {
  onRunDone(ticket: RunTicket, item: DoneItem): void;
  onLoadDone(ticket: LoadTicket, item: DoneItem): void;
  /** Its load begins again, as its cell died under it. */
  loadAgain(how: AgainHow): void;
  /** A run begins again, as its cell died under it. */
  runAgain(ticket: RunTicket, how: AgainHow): void;
  /** A run that the dead cell had not begun is sent to the sandbox's next place. */
  redirect(ticket: RunTicket): void;
}
