// One operation while the cell works on it: a run, a load or another, with its clock and its meters.
import type { Clock, Timer } from "../../std/clock.ts";
import type { CellVerdict, DoneItem, Lane } from "../protocol/messages.ts";

/** `tell` is a message to a process: when its time is over, the process goes on. */
export type ActivityKind = "run" | "tell" | "load" | "reload" | "manage";

export interface ActivityPlan {
  readonly op: number;
  readonly lane: Lane;
  readonly timeoutMs: number;
  readonly cpuMs: number | null;
  /** How long a slice lasts at most. */
  readonly sliceMs: number;
  /** The fuel that it is granted, where that is counted. */
  readonly fuel?: number | null;
  /** Default: `run`. */
  readonly kind?: ActivityKind;
}

/** The meters of the sandbox that it runs in. */
export interface Metered {
  readonly isLost: boolean;
  readonly output: { readonly bytes: number; readonly isOver: boolean };
  cpuMs(): number;
}

/** The readings of the meters when it began. */
export interface Start {
  readonly startedMs: number;
  readonly cpuMs: number;
  readonly outputBytes: number;
}

/** How an activity ended. */
export interface Completion {
  readonly verdict: CellVerdict;
  readonly answer: number | string;
}

/** What changed in the states of processes, and what must be reported with it. */
export interface StateChanges {
  readonly capture: string;
  /** Operations that were answered. */
  readonly answered: readonly (readonly [op: number, answer: number | string])[];
  /** Operations that were begun and not answered. */
  readonly begun: readonly number[];
}

/** Waiting for lanes prolongs an activity by no more than this in all. */
const excusedMsMax = 60_000;

export class Activity {
  readonly op: number;
  readonly lane: Lane;
  readonly timeoutMs: number;
  readonly cpuMs: number | null;
  readonly startedMs: number;
  readonly kind: ActivityKind;
  readonly fuel: number | null;
  readonly #start: Start;
  readonly #clock: Clock;
  #allowanceMs: number;
  #countedFromMs: number;
  #excusedMs = 0;
  /** The fuel that it used, as of the latest reading. */
  fuelUsed: number | null = null;
  /** It has used up its fuel. */
  isExhausted = false;
  /** What it changed in the states of processes, where that is to be stored. */
  changes: StateChanges | undefined;
  /** Of a series: the answers of the cases before the one that it is at; undefined where that is not known. */
  before: readonly (number | string)[] | undefined;
  /** Ends it while it waits for timers. */
  deadline: Timer | undefined;

  constructor(plan: ActivityPlan, start: Start, clock: Clock) {
    this.op = plan.op;
    this.lane = plan.lane;
    this.timeoutMs = plan.timeoutMs;
    this.cpuMs = plan.cpuMs;
    this.startedMs = start.startedMs;
    this.kind = plan.kind ?? "run";
    this.fuel = plan.fuel ?? null;
    this.#start = start;
    this.#clock = clock;
    this.#allowanceMs = allowanceMs(plan);
    this.#countedFromMs = start.startedMs;
  }

  /** Its code is entered now: the time of preparing it does not count. */
  countFromHere(): void {
    this.#countedFromMs = this.#clock.monotonic();
  }

  /** Its sandbox waited so long for a lane while it was pending: that is not its time. */
  excuse(waitedMs: number): void {
    this.#excusedMs = Math.min(excusedMsMax, this.#excusedMs + waitedMs);
  }

  /** Until when its time lasts, where its sandbox has been waiting for a lane for `waitingMs` now. */
  #endMs(waitingMs = 0): number {
    const excusedMs = Math.min(excusedMsMax, this.#excusedMs + waitingMs);
    return this.#countedFromMs + excusedMs + this.#allowanceMs;
  }

  /** Where waiting for lanes has prolonged it, counting the present wait: how much of its time is left. */
  prolongedMs(waitingMs: number): number | undefined {
    const leftMs = this.#endMs(waitingMs) - this.#clock.monotonic();
    return this.#excusedMs + waitingMs === 0 || leftMs < 1 ? undefined : leftMs;
  }

  /** The moment from which its time counts, shifted by what it had to wait for lanes. */
  countedFromMs(waitingMs: number): number {
    return this.#endMs(waitingMs) - this.#allowanceMs;
  }

  /** What is left of its time, at least 1 ms, which is the least that the isolate's timer takes. */
  remainingMs(): number {
    return Math.max(1, this.#endMs() - this.#clock.monotonic());
  }

  get isOverdue(): boolean {
    return this.#clock.monotonic() >= this.#endMs();
  }

  /** It had only a slice, so that a cut does not mean that its deadline is over. */
  get isSliced(): boolean {
    return this.#allowanceMs < this.timeoutMs;
  }

  /** It waits and holds no lane: from now on it has its whole time. */
  outgrowSlice(): void {
    this.#allowanceMs = this.timeoutMs;
  }

  /** How long ago it began. */
  ageMs(): number {
    return this.#clock.monotonic() - this.startedMs;
  }

  cpuUsedMs(box: Metered): number {
    return Math.max(0, box.cpuMs() - this.#start.cpuMs);
  }

  /** Where output or fuel is used up, that is the verdict, whatever the guest answered. */
  verdictOf(box: Metered, { verdict }: Completion): CellVerdict {
    if (verdict !== "answered") return verdict;
    if (this.isExhausted) return "fuel";
    return box.output.isOver ? "output" : "answered";
  }

  /** The report of its end. */
  toDone(box: Metered, completion: Completion): DoneItem {
    const item = {
      op: this.op,
      verdict: this.verdictOf(box, completion),
      answer: completion.answer,
      startedUs: toUs(this.startedMs),
      wallUs: toUs(this.ageMs()),
      cpuUs: toFineUs(this.cpuUsedMs(box)),
      outputBytes: Math.max(0, box.output.bytes - this.#start.outputBytes),
      fuel: this.fuelUsed,
      isLost: box.isLost,
    };
    return this.before === undefined ? item : { ...item, before: this.before };
  }
}

/** The operation of the only one of these; 0 where there is none, or more than one. */
export function onlyOpOf([first, second]: readonly Activity[]): number {
  return second === undefined ? (first?.op ?? 0) : 0;
}

/** How long an entry may last: a slice, or the whole deadline. */
export function allowanceMs(plan: Pick<ActivityPlan, "lane" | "timeoutMs" | "sliceMs">): number {
  return plan.lane === "slice" ? Math.min(plan.sliceMs, plan.timeoutMs) : plan.timeoutMs;
}

export function toUs(ms: number): number {
  return Math.round(ms * 1_000);
}

/** Processor time to a tenth of a microsecond: a short run takes two or three. */
export function toFineUs(ms: number): number {
  return Math.round(ms * 10_000) / 10;
}
